package steps

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
)

var errDown = errors.New("the line is down")

// TestRun: each step is reported before the next one begins, what fails ends the run, and a response next to an error
// has happened.
func TestRun(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		steps string // "<verb>[=<response>][!]": what is returned, and ! for an error
		want  string // what was run, saved, and reported as failed, in order
		last  string
		done  bool
	}{
		"none":                 {"", "", "0", true},
		"all":                  {"a=1 b=2", "run a, reached a 1, run b, ended with b 2", "2", true},
		"one without response": {"a=1 b", "run a, reached a 1, run b, ended with b -", "1", true},
		"no response at all":   {"a", "run a, ended with a -", "0", true},
		"the first fails":      {"a! b=2", "run a, failed a", "0", false},
		"the second fails":     {"a=1 b! c=3", "run a, reached a 1, run b, failed b", "1", false},
		"the last half-done":   {"a=1 b=2!", "run a, reached a 1, run b, reached b 2, failed b", "2", false},
		"the second half-done": {"a=1 b=2! c=3", "run a, reached a 1, run b, reached b 2, failed b", "2", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var told []string
			tell := func(format string, arguments ...any) { told = append(told, fmt.Sprintf(format, arguments...)) }
			var all []Step[string]
			for text := range strings.FieldsSeq(c.steps) {
				text, fails := strings.CutSuffix(text, "!")
				verb, response, responses := strings.Cut(text, "=")
				all = append(all, Step[string]{Verb: verb, Run: func(context.Context) (out *string, err error) {
					tell("run %s", verb)
					if responses {
						out = &response
					}
					if fails {
						err = errDown
					}
					return out, err
				}})
			}
			before := "0"
			now, done := Run(t.Context(), &before, all,
				func(_ context.Context, s Step[string], response *string, last bool) {
					how := "reached"
					if last {
						how = "ended with"
					}
					tell("%s %s %s", how, s.Verb, orDash(response))
				},
				func(verb string, err error) {
					if !errors.Is(err, errDown) {
						t.Errorf("%s failed with %v", verb, err)
					}
					tell("failed %s", verb)
				})
			if have := strings.Join(told, ", "); have != c.want || done != c.done || *now != c.last {
				t.Errorf("%s; now %s, done %v", have, *now, done)
			}
		})
	}
}

func orDash(text *string) string {
	if text == nil || *text == "" {
		return "-"
	}
	return *text
}

package life

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest/golden"
	"github.com/recurring-billing/terraform-provider-billing/internal/core"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// TestExplain plans and sends what each section of a file says, and expects that the plan explains the requests, or the
// reason why it does not. The file begins with an object of each block. A section has these lines:
//
//	ACTION ADDRESS [AFTER [BEFORE]]              a planned change, as differences from that object; ? is unknown
//	had OBJECT                                   the object of the last change at the service
//	warning TEXT                                 of the plan
//	METHOD OPERATION PATH BODY [fault|created]   a request
//	unexplained TEXT                             is in the reason
func TestExplain(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/explain/cases.txt")
	if err != nil {
		t.Fatal(err)
	}
	value := func(text string) object {
		v, _ := parsed([]byte(text)).(object)
		for name := range v {
			if v[name] == "?" {
				v[name] = core.Unknown
			}
		}
		return v
	}
	begin, sections := golden.Sections(string(text))
	objects := map[string]object{}
	for line := range strings.Lines(begin) {
		address, text, _ := strings.Cut(line, " ")
		objects[address] = value(text)
	}
	for _, section := range sections {
		plan, says, sent := &core.Plan{}, "", []sandbox.Request{}
		a := applied{plan: plan, before: map[string]object{},
			newIDs: map[string]string{"": "an object without an id", "new-1": "billing_customer.made"}}
		for line := range strings.Lines(section.Text) {
			words, err := split(strings.TrimSpace(line))
			if err != nil {
				t.Fatal(err)
			}
			words = append(words, "", "", "", "")
			switch words[0] {
			case "":
			case "had":
				a.before[plan.Changes[len(plan.Changes)-1].Address] = value(words[1])
			case "warning":
				plan.Warnings = append(plan.Warnings, words[1])
			case "unexplained":
				says = words[1]
			case core.Create, core.Update, core.NoOp, core.Delete:
				change := &core.Change{Action: words[0], Address: words[1], After: merged(objects[words[1]], value(words[2]))}
				if words[0] != core.Create {
					change.Before = merged(objects[words[1]], value(words[3]))
				}
				plan.Changes = append(plan.Changes, change)
			default:
				r := sandbox.Request{Method: words[0], Operation: words[1], Path: words[2], Body: []byte(words[3])}
				if r.Fault = words[4]; r.Fault == "created" {
					r.Fault, r.Changes = "", slices.Grow(r.Changes, 1)[:1]
				}
				sent = append(sent, r)
			}
		}
		have := strings.Join(a.explain(sent), "\n")
		if (have == "") != (says == "") || !strings.Contains(have, says) {
			t.Errorf("%s: want %q: %q", section.Name, says, have)
		}
	}
}

package life

import (
	"flag"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
	"github.com/recurring-billing/terraform-provider-billing/internal/core"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

var twins = flag.Uint64("twins", 2, "the number of lives that TestTwins compares, from seed")

// TestTwins plays lives without misfortunes through Terraform itself too: it plans the same actions and values,
// replaces for the same reasons, says the same, and has the same state after each apply, and the provider sends the
// same writes.
func TestTwins(t *testing.T) {
	acctest.Long(t)
	defer acctest.WithLag()()
	t.Run("lives", func(t *testing.T) {
		for seed := *soakSeed; seed < *soakSeed+*twins; seed++ {
			t.Run(fmt.Sprint(seed), func(t *testing.T) {
				t.Parallel()
				twin(t, seed)
			})
		}
	})
}

func twin(t *testing.T, seed uint64) {
	t.Helper()
	text, bad := lifeOf(t, true, seed)
	if bad != nil {
		t.Fatalf("%s\n%s", bad, text)
	}
	here, there := happens(t, text, false), happens(t, text, true)
	for i := range min(len(here), len(there)) {
		if !slices.Equal(here[i], there[i]) {
			t.Fatalf("event %d is\n%s\nand through Terraform\n%s\n%s", i, without(here[i], there[i]),
				without(there[i], here[i]), text)
		}
		if slices.Contains(here[i], byOrder) {
			return
		}
	}
	if len(here) != len(there) {
		t.Fatalf("%d events, and %d through Terraform\n%s", len(here), len(there), text)
	}
}

// happens plays a scenario, and describes its plans and applies without what differs between any two runs.
func happens(t *testing.T, text string, genuine bool) (events [][]string) {
	t.Helper()
	bad := living(t, genuine, text, func(s *scenario) {
		s.witness = func(p *core.Plan, sent []sandbox.Request) {
			var lines []string
			for _, r := range sent {
				if r.Method != http.MethodGet { // reads depend on the order in which Terraform refreshes
					lines = append(lines, fmt.Sprintf("%s %s %s", r.Method, r.Path, r.Body))
				}
			}
			for address, object := range s.objects() {
				lines = append(lines, address+" is "+show(arranged(object)))
			}
			if p != nil {
				said := slices.Concat(p.Errors, p.Warnings)
				if strings.Contains(strings.Join(p.Errors, ""), ofStranger) {
					said = p.Errors // one object reports it, so the order decides what else is planned
				}
				for _, text := range said {
					_, text, _ = strings.Cut(text, ": ") // an import and an object that is removed have no address
					if text, _, _ = strings.Cut(text, ": "); text != "Some objects will no longer be managed by Terraform" {
						lines = append(lines, text)
					}
				}
			}
			if p != nil && len(p.Errors) == 0 {
				if ofOrder(p) {
					lines = append(lines, byOrder)
				}
				for _, c := range p.Changes {
					lines = append(lines, fmt.Sprintf("%s %s, replaced for %v: %s → %s", c.Action, c.Address, c.Replaces,
						show(arranged(c.Before)), show(arranged(c.After))))
				}
			}
			names := s.names()
			for i, line := range lines {
				line = uuid.ReplaceAllStringFunc(line, func(id string) string {
					if name, named := names[id]; named {
						return name
					}
					return "<id>"
				})
				lines[i] = secret.ReplaceAllString(timestamp.ReplaceAllString(line, "<time>"), `"$1":"<secret>"`)
			}
			slices.Sort(lines)
			events = append(events, lines)
		}
		s.tick = time.Second // as for Terraform: no two commands are at the same time
		s.playAll()
	})
	if bad != nil {
		t.Errorf("through Terraform %t: %s\n%s", genuine, bad, text)
	}
	return events
}

const byOrder = "the order of an apply, which Terraform does not define, decides what follows"

// ofOrder reports whether a plan creates a record with a key that may be that of a record which it deletes.
func ofOrder(p *core.Plan) bool {
	of := func(is func(*core.Change) bool) bool {
		return slices.ContainsFunc(p.Changes, func(c *core.Change) bool {
			return typeOf(c.Address) == "billing_finance_record" && is(c)
		})
	}
	return of(func(c *core.Change) bool { return c.Action == core.Delete }) && of(func(c *core.Change) bool {
		return c.Action == core.Create && c.After["idempotency_key"] == any(core.Unknown)
	})
}

var secret = regexp.MustCompile(`"(token|secret|key_prefix|keyPrefix|encrypted_token|encrypted_secret)":"[^"]*"`)

// arranged returns a value with sorted lists: Terraform sorts sets.
func arranged(v any) any {
	switch v := v.(type) {
	case object:
		all := object{}
		for name, inner := range v {
			all[name] = arranged(inner)
		}
		return all
	case []any:
		all := slices.Clone(v)
		text := func(v any) string { return uuid.ReplaceAllString(secret.ReplaceAllString(show(v), "$1"), "") }
		slices.SortStableFunc(all, func(a, b any) int { return strings.Compare(text(a), text(b)) })
		return all
	}
	return v
}

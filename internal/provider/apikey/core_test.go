package apikey_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// runs is one key and its runs: each plan and each apply has a provider of its own, as with Terraform. The clock of the
// service stands still unless a test moves it.
type runs struct {
	t       *testing.T
	service *acctest.Service
	core    *acctest.Core
	base    acctest.JSON
}

func begin(t *testing.T, base acctest.JSON) *runs {
	t.Helper()
	service := acctest.Start(t)
	return &runs{t: t, service: service, core: service.Core(),
		base: merged(acctest.JSON{"name": "ci", "scopes": []any{"webhook_endpoints:*"}}, base)}
}

func (l *runs) plan(lines acctest.JSON) *acctest.CorePlan {
	l.t.Helper()
	return l.core.Plan(l.configuration(lines))
}

func (l *runs) configuration(lines acctest.JSON) acctest.Configuration {
	return acctest.Configuration{Blocks: []acctest.Block{{Address: "billing_api_key.k", Values: merged(l.base, lines)}}}
}

// apply plans and applies, which has to succeed. It returns the warnings, and those of the plan first.
func (l *runs) apply(lines acctest.JSON) string {
	l.t.Helper()
	p := l.plan(lines)
	if len(p.Errors) > 0 {
		l.t.Fatalf("plan: %s", p.Errors)
	}
	done := l.core.Apply(p, false)
	if len(done.Errors) > 0 {
		l.t.Fatalf("apply: %s", done.Errors)
	}
	return strings.Join(append(p.Warnings, done.Warnings...), "\n")
}

// fails plans and applies, which has to fail in the apply. It returns the errors.
func (l *runs) fails(lines acctest.JSON) string {
	l.t.Helper()
	p := l.plan(lines)
	if len(p.Errors) > 0 {
		l.t.Fatalf("plan: %s", p.Errors)
	}
	done := l.core.Apply(p, false)
	if len(done.Errors) == 0 {
		l.t.Fatal("the apply has not failed")
	}
	return strings.Join(done.Errors, "\n")
}

// settled holds the configuration to an empty plan, and returns its warnings.
func (l *runs) settled(lines acctest.JSON) string {
	l.t.Helper()
	p := l.plan(lines)
	for _, c := range p.Changes {
		if c.Action != acctest.NoOp {
			l.t.Errorf("the plan has %s from %v to %v", c.Action, c.Before, c.After)
		}
	}
	if len(p.Errors) > 0 {
		l.t.Errorf("plan: %s", p.Errors)
	}
	return strings.Join(p.Warnings, "\n")
}

// killed applies as a run that is killed before it writes its state.
func (l *runs) killed(lines acctest.JSON) {
	l.t.Helper()
	before := *l.core
	p := l.plan(lines)
	kept := l.core
	l.core = &before
	kept.Apply(p, false)
}

func (l *runs) get(name string) any { return l.core.State("billing_api_key.k")[name] }
func (l *runs) id() string          { return fmt.Sprint(l.get("id")) }
func (l *runs) token() string       { return fmt.Sprint(l.get("token")) }

// previous lists previous_keys: id, and "open" where the service does not end the key yet.
func (l *runs) previous() (all []string) {
	l.t.Helper()
	for _, element := range l.get("previous_keys").([]any) {
		key := element.(acctest.JSON)
		text := key["id"].(string)
		if key["grace_until"] == nil {
			text += " open"
		}
		all = append(all, text)
	}
	return all
}

func (l *runs) advance(d time.Duration) { l.service.Sandbox.Clock().Advance(d) }

func (l *runs) moment(distance time.Duration) string {
	return l.service.Sandbox.Clock().Now().Add(distance).UTC().Format(time.RFC3339)
}

// works holds the tokens to being accepted, or to being rejected.
func (l *runs) works(want bool, tokens ...string) {
	l.t.Helper()
	for i, token := range tokens {
		status, _ := l.service.CallWithKey(token, "GET", "/api/v1/webhook-endpoints", nil)
		if (status == 200) != want {
			l.t.Errorf("token %d gets status %d", i, status)
		}
	}
}

// living are the keys with one of the names that work, oldest first.
func (l *runs) living(names ...string) (ids []string) {
	l.t.Helper()
	for page := 1; ; page++ {
		_, list := l.service.CallCollections("GET", fmt.Sprintf("%s?page=%d", keys, page), nil)
		all := list["data"].([]any)
		for _, element := range all {
			key := element.(map[string]any)
			end, _ := time.Parse(time.RFC3339, fmt.Sprint(key["expiresAt"]))
			over := key["expiresAt"] != nil && !end.After(l.service.Sandbox.Clock().Now())
			if slices.Contains(names, key["name"].(string)) && key["revokedAt"] == nil && !over {
				ids = append(ids, key["id"].(string))
			}
		}
		if len(all) == 0 {
			return ids
		}
	}
}

func (l *runs) fault(f sandbox.Fault) { l.service.Sandbox.AddFault(f) }

// calls are the operations since the last call that change something.
func (l *runs) calls() []string {
	l.t.Helper()
	all := slices.DeleteFunc(l.service.Operations(), func(name string) bool {
		return strings.HasSuffix(name, ".get") || strings.HasSuffix(name, ".list")
	})
	l.service.Sandbox.ResetRequests()
	for i := range all {
		all[i] = strings.TrimPrefix(all[i], "api_keys.")
	}
	return all
}

func merged(lines, more acctest.JSON) acctest.JSON {
	all := maps.Clone(lines)
	if all == nil {
		all = acctest.JSON{}
	}
	maps.Copy(all, more)
	return all
}

package life

import (
	"strings"
	"testing"
)

// transition is an operation that changes the state of an object: the commands before it, and the run that needs it.
type transition struct {
	before, run string
	billed      bool // each one that is carried out may be billed
	operation   string
}

// transitions are all operations that change the state of an object, by object and name.
var transitions = map[string]transition{
	"subscription, pause":         {"", "apply s.pause={}", false, "subscriptions.pause"},
	"subscription, another pause": {"apply s.pause={}", `apply 's.pause={behavior="void"}'`, false, "subscriptions.pause"},
	"subscription, resume":        {"apply s.pause={}", "apply s.pause=", false, "subscriptions.resume"},
	"subscription, end":           {"", "apply s.cancel_at_period_end=true", false, "subscriptions.cancel"},
	"subscription, destroy":       {"", "apply without.tf", false, "subscriptions.cancel"},
	"subscription, destroy later": {`apply s.deletion_policy="cancel_at_period_end"`, "apply without.tf", false,
		"subscriptions.cancel"},
	"subscription, replace": {"", "apply -replace=billing_subscription.s", false, "subscriptions.cancel"},
	"subscription, plan":    {"", "apply s.plan_id=local.b", true, "subscriptions.change_plan"},
	"subscription, plan later": {"", `apply s.plan_id=local.b 's.plan_change={timing="end_of_period"}'`, true,
		"subscriptions.change_plan"},
	"account, suspend":    {"", `apply a.status="suspended"`, false, "billing_accounts.suspend"},
	"account, reactivate": {`apply a.status="suspended"`, `apply a.status="active"`, false, "billing_accounts.reactivate"},
	"account, close":      {"", "destroy", false, "billing_accounts.close"},
}

// disturbances are what happens to the request, as commands before the run.
var disturbances = map[string]string{
	"request lost":             "fault OPERATION drop=before times=1",
	"request lost three times": "fault OPERATION drop=before times=3",
	"response lost":            "fault OPERATION drop=after times=1",
	"the service's own 503":    "fault OPERATION status=503 times=1",
	"a proxy's 502":            "fault OPERATION status=502 foreign=html times=1",
	"504, carried out later":   "fault OPERATION status=504 late=50ms times=1",
	"killed":                   "at request 1 of OPERATION: kill",
}

const transitioned = `-- main.tf --
locals { b = "5b0f7d52-8f0a-4a35-9d7e-6f6f1f0c2a02" }
resource "billing_customer" "c" {
  name                   = "Ana"
  create_billing_account = false
}
resource "billing_account" "a" {
  customer_id = billing_customer.c.id
}
resource "billing_subscription" "s" {
  billing_account_id = billing_account.a.id
  plan_id            = "5b0f7d52-8f0a-4a35-9d7e-6f6f1f0c2a01"
}
`

// withoutSubscription is the configuration in which the subscription is destroyed.
const withoutSubscription = `-- without.tf --
resource "billing_customer" "c" {
  name                   = "Ana"
  create_billing_account = false
}
resource "billing_account" "a" {
  customer_id = billing_customer.c.id
}
`

// TestSentAgain: no disturbance of a transition fails an apply, except one after which a change of plan may have been
// carried out or not; then the next apply continues. A kill ends the run, and the next apply does the rest.
// Every apply that succeeds is followed by an empty plan.
func TestSentAgain(t *testing.T) {
	t.Parallel()
	for name, does := range transitions {
		for what, fault := range disturbances {
			if does.billed && (strings.HasPrefix(what, "504") || strings.HasSuffix(what, "three times")) {
				continue // the same as one lost request; the sandbox's own 504 is not that of a proxy
			}
			t.Run(name+", "+what, func(t *testing.T) {
				t.Parallel()
				lines := []string{"apply", does.before, strings.ReplaceAll(fault, "OPERATION", does.operation)}
				switch {
				case what == "killed":
					lines = append(lines, "! "+does.run, "expect error 'The run was killed'", does.run)
				case does.billed && what != "the service's own 503" && what != "response lost":
					lines = append(lines, "! "+does.run, "expect error 'may or may not have been carried out'",
						"expect requests "+does.operation+" 1", does.run)
				default:
					lines = append(lines, does.run)
				}
				files := transitioned
				if strings.Contains(does.run, "without.tf") {
					files += withoutSubscription
				}
				play(t, name+", "+what, strings.Join(lines, "\n")+"\n"+files)
			})
		}
	}
}

// Package rehearsal applies a configuration to a copy of an organization. It reports the requests that the apply would
// send, those that the service would reject, and the changes until a later day: invoices, subscriptions, events and
// keys. It sends nothing to the service.
package rehearsal

import (
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/rehearsal/internal/money"
)

// How a rehearsal has ended.
const (
	Applied  = "applied"   // and the second plan is empty
	NotEmpty = "not empty" // applied, and the second plan wants to change something
	Other    = "other"     // applied, but the plan on the copy has other changes than the given one
	Refused  = "refused"   // the plan or the apply failed
	Nothing  = "nothing"   // the plan has no billing changes
)

type (
	// Report is the result of a rehearsal. Its JSON is the output of --json.
	Report struct {
		Result       string    `json:"result"`
		Organization string    `json:"organization"` // name
		From         time.Time `json:"from"`         // the time of the copy
		Until        time.Time `json:"until"`
		// Plan counts the changes of the whole plan, with those of other providers.
		Plan Counts `json:"plan"`
		// NotRehearsed is how many billing changes of the plan were left out; LeftOut says why.
		NotRehearsed int `json:"not_rehearsed"`
		// Incomplete is true if the token may not read everything; LeftOut names what the copy lacks.
		Incomplete bool `json:"incomplete"`
		// Stale is a sentence if the state is newer than the copy.
		Stale string `json:"stale,omitempty"`
		// Differs has a sentence for each change that the plan on the copy has otherwise than the given plan.
		Differs     []string     `json:"differs"`
		Warnings    []Diagnostic `json:"warnings"` // of the plans and the apply
		Sent        []Sent       `json:"sent"`     // requests of the apply that change something, in their order
		Refused     []Diagnostic `json:"refused"`
		SecondPlan  []Change     `json:"second_plan"` // changes of the plan after the apply
		Differences Differences  `json:"differences"`
		Later       []Later      `json:"later"` // what is scheduled for after the last day
		// Rows are what each subscription that the apply changes is invoiced, see Compare.
		Rows []Row `json:"rows"`
		// Assumed has a sentence for each rule of the copy that no description of the service gives and that was used for a
		// subscription of the difference.
		Assumed  []string `json:"assumed"`
		NotKnown []string `json:"not_known"` // a sentence for each effect that the rehearsal cannot determine
		LeftOut  []string `json:"left_out"`  // a sentence for each thing that was not applied or not copied
		// FailedOn are the conditions of the caller that hold.
		FailedOn []Failed `json:"failed_on"`

		secrets []string // texts that the plan marks as sensitive
		unknown []string // texts that stand for what is known only after the apply
	}
	// Diagnostic is an error or a warning of Terraform.
	Diagnostic struct {
		Address string `json:"address,omitempty"`
		Place   string `json:"place,omitempty"` // in the configuration, such as main.tf, line 3
		Summary string `json:"summary"`
		Detail  string `json:"detail,omitempty"`
	}
	// Sent is a request of the apply that is not a GET.
	Sent struct {
		Operation string   `json:"operation"`           // such as subscriptions.change_plan
		Verb      string   `json:"verb"`                // create, update, cancel, …
		Object    string   `json:"object"`              // type and name, such as customer "aurora"
		ID        string   `json:"id,omitempty"`        // of the object
		Address   string   `json:"address,omitempty"`   // of the resource, where a plan shows it
		Arguments []string `json:"arguments,omitempty"` // arguments that the request sets
		// Values are the values of arguments that the plan shows and changes.
		Values []Value `json:"values,omitempty"`
		Status int     `json:"status"`
		Code   string  `json:"code,omitempty"` // of an error
	}
	// Value is an argument with its old and its new value, as a plan shows them.
	Value struct {
		Argument string `json:"argument"`
		From     string `json:"from"`
		To       string `json:"to"`
	}
	// Change is a planned change.
	Change struct {
		Address   string   `json:"address"`
		Type      string   `json:"type"`
		Action    string   `json:"action"`
		Arguments []string `json:"arguments,omitempty"`
	}
	// Differences are between the copy with the apply and the one without, until the end.
	Differences struct {
		Months        []Month         `json:"months"`        // with an invoice in either
		Subscriptions []money.Amounts `json:"subscriptions"` // whose amount differs
		Events        []Event         `json:"events"`
		Occurrences   []Occurrence    `json:"occurrences"` // of accounts, subscriptions and keys, by time
	}
	// Month is the sum of the payable invoices of a calendar month (UTC).
	Month struct {
		Month    string      `json:"month"` // 2026-12
		Days     string      `json:"days"`  // the days that are looked at, such as 1-15; empty: the whole month
		Currency string      `json:"currency"`
		Without  money.Money `json:"without"`
		With     money.Money `json:"with"`
		// Difference is the sum over the subscriptions whose invoices differ.
		Difference money.Money `json:"difference"`
	}
	// Event is how many webhook deliveries of an event an endpoint gets.
	Event struct {
		Event    string `json:"event"`
		Endpoint string `json:"endpoint"` // URL
		Without  int    `json:"without"`
		With     int    `json:"with"`
	}
	// Occurrence is something that happens to an object in one of the two copies and not in the other.
	Occurrence struct {
		At     time.Time `json:"at"`
		Kind   string    `json:"-"`      // name of an evidence.Kind
		Object string    `json:"object"` // its noun and name
		What   What      `json:"what"`
		With   bool      `json:"with"` // it happens with the apply, and not without
	}
	// What is what happens to an object, such as "changes" and " from plan 1 to plan 2".
	What struct {
		Verb Verb
		More string
	}
	// Verb is a predicate whose subject is the object.
	Verb string
)

// Verbs of the objects that are billed, and of keys.
const (
	begins      Verb = "begins"
	ends        Verb = "ends"
	changes     Verb = "changes"
	continues   Verb = "continues"
	deleted     Verb = "is deleted"
	reactivated Verb = "is reactivated"
)

// becomes is what happens to an object that gets a status.
func becomes(status string) Verb { return Verb("is " + status) }

// String is what happens in words.
func (w What) String() string { return string(w.Verb) + w.More }

// MarshalText implements encoding.TextMarshaler.
func (w What) MarshalText() ([]byte, error) { return []byte(w.String()), nil }

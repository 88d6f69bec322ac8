// Package rehearsal applies a configuration to a copy of an organization, and reports what it would send, what the
// service would reject, and what differs until a later day: invoices, subscriptions, events and keys. Nothing that it
// does reaches the service.
package rehearsal

import "time"

// How a rehearsal has ended.
const (
	Applied  = "applied"   // and the second plan is empty
	NotEmpty = "not empty" // applied, and the second plan wants to change something
	Refused  = "refused"   // the plan or the apply failed
)

type (
	// Report is what a rehearsal found. Its JSON is the output of --json.
	Report struct {
		Result       string       `json:"result"`
		Organization string       `json:"organization"` // name
		From         time.Time    `json:"from"`         // the time of the copy
		Until        time.Time    `json:"until"`
		Warnings     []Diagnostic `json:"warnings"` // of the first plan
		Sent         []Sent       `json:"sent"`     // requests of the apply that change something, in their order
		Refused      []Diagnostic `json:"refused"`
		SecondPlan   []Change     `json:"second_plan"` // what is left to do after the apply; empty: nothing
		Differences  Differences  `json:"differences"`
		NotKnown     []string     `json:"not_known"` // what the rehearsal cannot say, a sentence each
		LeftOut      []string     `json:"left_out"`  // what was not applied or not copied, a sentence each
	}
	// Diagnostic is an error or a warning of Terraform.
	Diagnostic struct {
		Address string `json:"address,omitempty"`
		Summary string `json:"summary"`
		Detail  string `json:"detail,omitempty"`
	}
	// Sent is a request of the apply that is not a GET.
	Sent struct {
		Operation string   `json:"operation"`           // such as subscriptions.change_plan
		Verb      string   `json:"verb"`                // create, update, cancel, …
		Object    string   `json:"object"`              // type and name, such as customer "aurora"
		ID        string   `json:"id,omitempty"`        // of the object
		Arguments []string `json:"arguments,omitempty"` // what the request sets
		Status    int      `json:"status"`
		Code      string   `json:"code,omitempty"` // of an error
	}
	// Change is a planned change.
	Change struct {
		Address   string   `json:"address"`
		Action    string   `json:"action"`
		Arguments []string `json:"arguments,omitempty"`
	}
	// Differences are between the copy with the apply and the one without, until the end.
	Differences struct {
		Months        []Month      `json:"months"`        // with an invoice in either
		Subscriptions []Amounts    `json:"subscriptions"` // whose amount differs
		Events        []Event      `json:"events"`
		Occurrences   []Occurrence `json:"occurrences"` // of accounts, subscriptions and keys, by time
	}
	// Month is what the invoices of a calendar month (UTC) come to.
	Month struct {
		Month    string `json:"month"` // 2026-12
		Currency string `json:"currency"`
		Without  Money  `json:"without"`
		With     Money  `json:"with"`
	}
	// Money is an amount, or not known.
	Money struct {
		Cents int64 `json:"cents"`
		Known bool  `json:"known"`
	}
	// Amounts is what a subscription costs a billing cycle, now and then. Nil: there is no such subscription, or it has
	// ended.
	Amounts struct {
		ID       string `json:"id"`
		Name     string `json:"name"` // external_id, or the id
		Cycle    string `json:"cycle"`
		Currency string `json:"currency"`
		Now      *Money `json:"now"`
		Then     *Money `json:"then"`
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
		Object string    `json:"object"`
		What   string    `json:"what"` // such as "ends", "begins", "changes its plan to …"
		With   bool      `json:"with"` // it happens with the apply, and not without
	}
)

// Package page writes the sandbox's web page: what stands in it, to be read by
// people. It knows plain data only, and no credential is ever part of it.
package page

import (
	"embed"
	"fmt"
	"html/template"
	"io"
	"time"
)

// View is what the page shows.
type View struct {
	Now      time.Time // on the sandbox's clock
	Fixed    bool      // the clock stands still
	Several  bool      // there is more than one organization, so each object names its own
	Sections []Section

	Customers     []Customer
	Accounts      []Account
	Subscriptions []Subscription
	Endpoints     []Endpoint
	Keys          []Key
	Collections   []Collection
	Requests      []Request // newest first
}

// Section is one entry of the navigation.
type Section struct {
	Anchor, Title string
	Count         int
}

// Customer of recurring billing.
type Customer struct {
	Organization, ID, Name, ExternalID, Document, Email string
	Created                                             time.Time
	Accounts                                            int // how many it has
}

// Account is a billing account.
type Account struct {
	Organization, ID, ExternalID, Customer, Status, Balance, Email string
	TermsDays                                                      int64
	Created                                                        time.Time
}

// Subscription with what has happened to it, and what will.
type Subscription struct {
	Organization, ID, ExternalID, Account, Status, Plan, Pending string
	Items                                                        int
	PeriodStart, PeriodEnd                                       time.Time
	Timeline                                                     []Moment // oldest first
}

// Moment is one entry of a timeline.
type Moment struct {
	At   time.Time
	What string
	// ToCome says that it has not happened yet.
	ToCome bool
}

// Endpoint is a webhook endpoint with its last deliveries.
type Endpoint struct {
	Organization, ID, URL, Description, Authentication string
	Events                                             []string // none: all of them
	Active                                             bool
	Created                                            time.Time
	Deliveries                                         []Delivery // newest first
	More                                               int        // older ones that are not shown
}

// Delivery of an event, with every attempt.
type Delivery struct {
	ID, Event, Status string
	Created           time.Time
	Next              time.Time // of the next attempt; zero: there is none
	Attempts          []Attempt // oldest first
}

// Attempt to deliver. HTTPCode is 0 when no answer came.
type Attempt struct {
	Number, Cycle, HTTPCode int
	At                      time.Time
	Error                   string
}

// Key is an API key, without its token.
type Key struct {
	Organization, ID, Name, Prefix, Status, Successor string
	Scopes                                            []string // none: everything but administration
	Created, Expires, LastUsed, Revoked               time.Time
	// Grace is when a key that was rotated stops working; zero: it was not, or
	// has stopped.
	Grace time.Time
}

// Collection of financial management, with its newest records.
type Collection struct {
	Organization, Name string
	Count              int
	Newest             []Record
}

// Record of financial management.
type Record struct {
	ID, Name, Amount, Type, OccurredAt string
	Created                            time.Time
}

// Request is a line of the request log.
type Request struct {
	At                                                           time.Time
	Service, Operation, Method, Address, RequestID, Token, Fault string
	Status                                                       int
	Dropped                                                      bool
}

// Class is how a status counts: ok, refused or failed.
func (r Request) Class() string {
	switch {
	case r.Dropped || r.Status >= 500:
		return "failed"
	case r.Status >= 400:
		return "refused"
	}
	return "ok"
}

//go:embed page.html style.css page.js
var files embed.FS

var tmpl = template.Must(template.New("page.html").Funcs(template.FuncMap{
	"moment": moment, "iso": func(t time.Time) string { return t.UTC().Format(time.RFC3339) }, "left": left,
}).ParseFS(files, "page.html"))

// Render writes the whole page.
func Render(w io.Writer, v View) error {
	v.Sections = []Section{
		{"customers", "Customers", len(v.Customers)}, {"accounts", "Billing accounts", len(v.Accounts)},
		{"subscriptions", "Subscriptions", len(v.Subscriptions)}, {"endpoints", "Webhook endpoints", len(v.Endpoints)},
		{"keys", "API keys", len(v.Keys)}, {"finance", "Financial management", len(v.Collections)}, {"requests", "Requests", len(v.Requests)},
	}
	return tmpl.Execute(w, v)
}

// File is one of the two files that the page refers to, style.css and page.js,
// with its media type; false for any other.
func File(name string) (content []byte, kind string, ok bool) {
	kinds := map[string]string{"style.css": "text/css; charset=utf-8", "page.js": "text/javascript; charset=utf-8"}
	kind, ok = kinds[name]
	if !ok {
		return nil, "", false
	}
	content, err := files.ReadFile(name)
	return content, kind, err == nil
}

// moment is a time for people, in UTC to the second.
func moment(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05") }

// left says how long it is until then, in the two largest units.
func left(now, then time.Time) string {
	d := then.Sub(now).Round(time.Minute)
	switch days := int(d / (24 * time.Hour)); {
	case d <= 0:
		return "over"
	case days > 0:
		return fmt.Sprintf("%d d %d h", days, int(d%(24*time.Hour)/time.Hour))
	default:
		return fmt.Sprintf("%d h %d min", int(d/time.Hour), int(d%time.Hour/time.Minute))
	}
}

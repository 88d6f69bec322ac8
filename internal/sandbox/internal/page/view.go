package page

import (
	"net/http"
	"time"
)

// View is what the page shows. Lists are in the order in which they are to be
// shown. A zero time means none.
type View struct {
	Now   time.Time // on the sandbox's clock
	Fixed bool      // the clock stands still
	// Organizations are all there are. With more than one, each object says
	// whose it is, in its field Organization.
	Organizations []Organization

	Faults        []Fault // in force
	Customers     List[Customer]
	Accounts      List[Account]
	Subscriptions List[Subscription]
	Invoices      List[Invoice]
	Endpoints     List[Endpoint]
	Keys          List[Key]
	Tokens        []Token // those that work
	Collections   []Collection
	Requests      List[Request]
}

// Several reports whether objects have to say whose they are.
func (v View) Several() bool { return len(v.Organizations) > 1 }

// Records is how many records financial management has.
func (v View) Records() int {
	total := 0
	for _, c := range v.Collections {
		total += c.Records.Total
	}
	return total
}

// List is a part of the objects of a kind, or all of them.
type List[T any] struct {
	Shown []T
	Total int
}

// More is how many there are beyond those that are shown.
func (l List[T]) More() int { return l.Total - len(l.Shown) }

// Organization owns objects.
type Organization struct{ ID, Name string }

// Fault is a fault in force.
type Fault struct{ ID, Spec string }

// Ref leads to another object on the page.
type Ref struct{ ID, Text string }

// Owner is a client with the keys of custom_metadata that it has written last. Client is empty for a seed.
type Owner struct {
	Client, Token string
	Keys          []string
}

// Customer of recurring billing.
type Customer struct {
	Organization, ID, Name, ExternalID, Document, Email string
	Created                                             time.Time
	Accounts                                            []Ref
	Metadata                                            []Owner
}

// Account is a billing account.
type Account struct {
	Organization, ID, ExternalID, Status, Reason, Balance, Email string
	Customer                                                     Ref // ID is empty when it has been deleted
	Subscriptions                                                []Ref
	TermsDays                                                    int64
	Created                                                      time.Time
	Metadata                                                     []Owner
}

// Plan by its id, with the name that the catalogue has for it.
type Plan struct{ ID, Name string }

// Subscription with what has happened to it, and what will.
type Subscription struct {
	Organization, ID, ExternalID, Status string
	Customer                             Ref // ID is empty when it has been deleted
	Account                              Ref
	Cycle, Amount                        string
	Plan, PendingPlan                    Plan
	Items                                int
	PeriodStart, PeriodEnd               time.Time
	Timeline                             []Moment // oldest first
	Metadata                             []Owner
}

// Invoice of a subscription.
type Invoice struct {
	Organization, ID, Number, Status, Amount, Reason string
	Customer                                         string
	Account, Subscription                            Ref
	PeriodStart, PeriodEnd, Created                  time.Time
	Due                                              string // a date
}

// Token of recurring billing or financial management, without its value.
type Token struct {
	Organization, Service, Prefix string
	Scopes                        []string
	Expires                       time.Time
}

// Moment is one entry of a timeline.
type Moment struct {
	At           time.Time
	What, Detail string
	By           string // client that has requested it; empty: due at that time, or not known
	// ToCome says that it has not happened yet.
	ToCome bool
}

// Endpoint is a webhook endpoint with its newest deliveries.
type Endpoint struct {
	Organization, ID, URL, Description, Authentication string
	Events                                             []string // none: all of them
	Active                                             bool
	Created                                            time.Time
	Deliveries                                         List[Delivery]
}

// Delivery of an event, with every attempt.
type Delivery struct {
	ID, Event, Status string
	Created           time.Time
	Next              time.Time // of the next attempt
	Attempts          []Attempt // oldest first
}

// Attempt to deliver. HTTPCode is 0 when there was no response, Cycle how often the
// delivery had been sent again manually before.
type Attempt struct {
	Number, Cycle, HTTPCode int
	At                      time.Time
	Error                   string // empty: it succeeded
}

// Key is an API key, without its token.
type Key struct {
	Organization, ID, Name, Prefix, Status string
	Scopes                                 []string // none: everything but administration
	Created, Expires, LastUsed, Revoked    time.Time
	Successor                              string    // prefix of the key that has taken over
	GraceUntil                             time.Time // when a rotated key stops working
}

// Collection of financial management, with its newest records.
type Collection struct {
	Organization, Name string
	Records            List[Record]
}

// Record of financial management, by the fields that most have.
type Record struct {
	ID, Name, Amount, Type, Occurred, Status string
	Created                                  time.Time
}

// Request is a line of the request log.
type Request struct {
	Sequence                                                             uint64
	At                                                                   time.Time
	Service, Operation, Method, Address, RequestID, Token, Client, Fault string
	Status                                                               int // 0: dropped unprocessed
	Dropped                                                              bool
	// Older says that only a filter shows it: there are too many newer ones.
	Older bool
}

// Write reports whether the request could change something.
func (r Request) Write() bool { return r.Method != http.MethodGet && r.Method != http.MethodHead }

// Failed reports whether the request had no success.
func (r Request) Failed() bool { return r.Outcome() != "ok" }

// Outcome is how the request ended, in a word: ok, rejected, failed, dropped.
func (r Request) Outcome() string {
	switch {
	case r.Dropped:
		return "dropped"
	case r.Status >= 500:
		return "failed"
	case r.Status >= 400:
		return "rejected"
	default:
		return "ok"
	}
}

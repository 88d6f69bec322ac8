package server

import (
	"cmp"
	"strconv"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/store"
)

// Causes of a change.
const (
	ByRequest = "request"
	ByClock   = "clock" // it was due at that time
	ByPayment = "payment"
	ByCommand = "command" // a command of the control listener
	BySeed    = "seed"
)

// Deleted is the status of a deleted object.
const Deleted = "deleted"

// AuditEntry is a transition, a redelivery, or a rotation or revocation of a credential. The service writes an audit
// log too (service description, Recurring billing §4; Collections §3), which no operation returns.
type AuditEntry struct {
	Number       int64     `json:"number"` // counts from 1 for the life of the state
	Time         time.Time `json:"time"`   // by the sandbox's clock
	Organization string    `json:"organization"`
	Cause        string    `json:"cause"`                // request, clock, payment, command or seed
	Client       string    `json:"client,omitempty"`     // of a request, as in the request log
	Token        string    `json:"token,omitempty"`      // its public prefix
	RequestID    string    `json:"request_id,omitempty"` // of a request
	Action       string    `json:"action"`               // the operation, the command or the due event
	Type         string    `json:"type"`                 // of the object, such as subscription
	ID           string    `json:"id"`
	Name         string    `json:"name,omitempty"`
	Before       string    `json:"before,omitempty"` // status
	After        string    `json:"after,omitempty"`
	Reason       string    `json:"reason,omitempty"`
	// Terms are the terms that the change agreed, such as plan_id; null removes a term.
	Terms map[string]*string `json:"terms,omitempty"`
}

// auditCapacity limits the audit trail; the oldest entries are dropped.
const auditCapacity = 10_000

// Audit appends an entry to the audit trail, which is part of the state.
func (c *Core) Audit(tx *store.Tx, e AuditEntry) {
	const name = "audit"
	last, _ := c.sequence.Get(tx, name)
	e.Number = last + 1
	e.Reason, e.Name = short(e.Reason), short(e.Name)
	c.sequence.Put(tx, name, e.Number)
	c.audit.Put(tx, strconv.FormatInt(e.Number%auditCapacity, 10), e)
}

// AuditTrail returns the kept entries of the audit trail, oldest first.
func (c *Core) AuditTrail(tx *store.Tx) []AuditEntry {
	return store.Sorted(c.audit.All(tx), func(a, b AuditEntry) int {
		return cmp.Or(a.Time.Compare(b.Time), cmp.Compare(a.Number, b.Number))
	})
}

// Audited returns an entry about the call's change of an object, with the reason that was sent.
func (c *Call) Audited(kind, id, name string) AuditEntry {
	e := AuditEntry{Time: c.Now, Organization: c.Organization, Cause: ByRequest, Client: c.Client, Token: c.Token,
		RequestID: c.RequestID, Action: c.Operation, Type: kind, ID: id, Name: name}
	if c.Token == "" {
		e.Cause = BySeed
	}
	e.Reason, _ = c.Sent["reason"].(string)
	return e
}

// Moved returns the entry with a status change.
func (e AuditEntry) Moved(before, after string) AuditEntry {
	e.Before, e.After = before, after
	return e
}

package sandbox

import (
	"cmp"
	"slices"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/store"
)

// AuditEntry is one entry of the audit trail, which records manual redeliveries
// (service description, Collections §3 Delivery status).
type AuditEntry struct {
	Number       int64     `json:"number"` // grows with every entry
	Organization string    `json:"organization"`
	At           time.Time `json:"at"`
	Key          string    `json:"key"` // public prefix of the key that did it
	Operation    string    `json:"operation"`
	Object       string    `json:"object"` // id of what it was done to
}

// audit records that the caller has done something to an object.
func (c *call) audit(tx *store.Tx, operation, object string) {
	c.server.collections.audit.Put(tx, c.server.source.uuid(), AuditEntry{
		Number: c.server.next(tx), Organization: c.organization, At: c.now,
		Key: c.key, Operation: operation, Object: object,
	})
}

// Audit answers the audit trail, oldest first.
func (s *Server) Audit() []AuditEntry {
	entries := []AuditEntry{}
	// The function given to View returns no error, so View returns none.
	_ = s.db.View(func(tx *store.Tx) error {
		for _, entry := range s.collections.audit.All(tx) {
			entries = append(entries, entry)
		}
		return nil
	})
	slices.SortFunc(entries, func(a, b AuditEntry) int { return cmp.Compare(a.Number, b.Number) })
	return entries
}

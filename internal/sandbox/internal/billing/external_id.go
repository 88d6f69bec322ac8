package billing

import (
	"iter"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/server"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/store"
)

// externalKey is what no two live objects of one type share; empty when there
// is nothing to share.
func externalKey(organization string, externalID *string) string {
	if externalID == nil {
		return ""
	}
	return organization + "/" + *externalID
}

// claimExternalID rejects an external_id that another object in the index of
// the live ones has (wire contract: same external_id twice in one resource
// type). own is the id of the object that wants it, empty for a new one.
func claimExternalID[T any](c *server.Call, tx *store.Tx, live store.Index[T], wanted *string, own string) error {
	if wanted == nil {
		return nil
	}
	for id := range live.All(tx, externalKey(c.Organization, wanted)) {
		if id != own {
			return errExternalIDTaken.About(map[string]any{"field": "external_id", "id": id})
		}
	}
	return nil
}

// CustomerCoded returns the id of the live customer with an external_id.
func (s *Service) CustomerCoded(tx *store.Tx, organization, code string) (id string, ok bool) {
	return firstOf(s.customerCodes.All(tx, externalKey(organization, &code)))
}

// AccountCoded returns the id of the live billing account with an external_id.
func (s *Service) AccountCoded(tx *store.Tx, organization, code string) (id string, ok bool) {
	return firstOf(s.accountCodes.All(tx, externalKey(organization, &code)))
}

func firstOf[T any](rows iter.Seq2[string, T]) (id string, ok bool) {
	for id := range rows {
		return id, true
	}
	return "", false
}

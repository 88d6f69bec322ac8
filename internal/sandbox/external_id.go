package sandbox

import "github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/store"

// externalKey is what no two live objects of one type share; empty when there
// is nothing to share.
func externalKey(organization string, externalID *string) string {
	if externalID == nil {
		return ""
	}
	return organization + "/" + *externalID
}

// claimExternalID refuses an external_id that another object in the index of
// the live ones has (wire contract: same external_id twice in one resource
// type). own is the id of the object that wants it, empty for a new one.
func claimExternalID[T any](c *call, tx *store.Tx, live store.Index[T], wanted *string, own string) error {
	if wanted == nil {
		return nil
	}
	for id := range live.All(tx, externalKey(c.organization, wanted)) {
		if id != own {
			return errExternalIDTaken.about(map[string]any{"field": "external_id", "id": id})
		}
	}
	return nil
}

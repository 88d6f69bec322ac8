package finance

import (
	"errors"

	"github.com/recurring-billing/terraform-provider-billing/internal/orgcopy"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/server"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/store"
)

// Load stores a record of a copy unchanged. A copy does not contain the idempotency key of its creation.
func (s *Service) Load(tx *store.Tx, organization string, o orgcopy.Object) error {
	row := RecordRow{Owned: server.Owned{Organization: organization}, Collection: o.Collection, Number: s.Next(tx)}
	stamps := struct {
		ID        string           `json:"id"`
		CreatedAt server.Timestamp `json:"created_at"`
		UpdatedAt server.Timestamp `json:"updated_at"`
	}{}
	fields, err := server.ReadObject(o.Object)
	if err != nil {
		return errors.New("the record is not a JSON object")
	}
	given := map[string]any{}
	for _, name := range givenByService {
		given[name] = fields[name]
		delete(fields, name)
	}
	if row.Fields, err = server.Encode(fields); err != nil {
		return err
	}
	document, err := server.Encode(given)
	if err != nil {
		return err
	}
	id, err := s.Keep(tx, document, &stamps, func() error { return nil })
	row.ID, row.CreatedAt, row.UpdatedAt = id, stamps.CreatedAt, stamps.UpdatedAt
	if err == nil {
		s.Records.Put(tx, id, row)
	}
	return err
}

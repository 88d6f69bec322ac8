package collections

import (
	"slices"

	"github.com/recurring-billing/terraform-provider-billing/internal/evidence"
	"github.com/recurring-billing/terraform-provider-billing/internal/orgcopy"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/collections/delivery"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/server"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/store"
)

// In a copy of an organization, endpoints have the addresses of real consumers. Deliveries are recorded as pending but
// never sent: the pipeline does not run, and names are not resolved.

// Load stores an object of a copy unchanged. A copy has no secrets, credentials or tokens: an endpoint gets another
// secret, and no token fits a key.
func (s *Service) Load(tx *store.Tx, organization string, o orgcopy.Object) error {
	owned := server.Owned{Organization: organization}
	if o.Kind == evidence.Key {
		row := KeyRow{Owned: owned, Number: s.Next(tx), Digest: server.Digest(s.Source.Hex(20))}
		id, err := s.Keep(tx, o.Object, &row.Key, func() error { return nil })
		if err == nil {
			s.Keys.Put(tx, id, row)
		}
		return err
	}
	row := EndpointRow{Owned: owned, Number: s.Next(tx)}
	id, err := s.Keep(tx, o.Object, &row.Endpoint, func() error { return nil })
	if err != nil {
		return err
	}
	row.Credentials = delivery.Credentials{Type: row.Endpoint.Authentication.Type}
	s.newSecret(&row)
	s.Endpoints.Put(tx, id, row)
	return nil
}

// LinkSuccessors infers the rotations in a copy, which the service does not return. A rotated key ends a whole number
// of days after its successor was created, to the millisecond, and has the same name, description and scopes.
func (s *Service) LinkSuccessors(tx *store.Tx) {
	keys := store.Sorted(s.Keys.All(tx), func(a, b KeyRow) int { return a.Key.CreatedAt.Compare(b.Key.CreatedAt.Time) })
	for _, old := range keys {
		if i := slices.IndexFunc(keys, old.precedes); i >= 0 {
			old.SuccessorID = keys[i].Key.ID
			s.Keys.Put(tx, old.Key.ID, old)
		}
	}
}

func (r KeyRow) precedes(other KeyRow) bool {
	if r.Key.ExpiresAt == nil || !other.Key.CreatedAt.After(r.Key.CreatedAt.Time) || r.Key.Name != other.Key.Name ||
		r.Key.Description != other.Key.Description || !slices.Equal(r.Key.Scopes, other.Key.Scopes) {
		return false
	}
	grace := r.Key.ExpiresAt.Sub(other.Key.CreatedAt.Time)
	return grace >= 0 && grace <= maxGraceDays*graceDay && grace%graceDay == 0
}

// Use assigns a token to the key with its public prefix, or to a hidden key.
func (s *Service) Use(tx *store.Tx, organization, token string) {
	for id, row := range s.Keys.All(tx) {
		if row.Key.KeyPrefix == server.PublicPrefix(token) {
			row.Digest = server.Digest(token)
			s.Keys.Put(tx, id, row)
			return
		}
	}
	s.Keys.Put(tx, hiddenKey, KeyRow{Owned: server.Owned{Organization: organization}, Digest: server.Digest(token),
		Hidden: true, Key: apiKey{KeyPrefix: server.PublicPrefix(token), Source: sourceSandbox, Scopes: []string{"*"}}})
}

// hiddenKey is the id of a hidden key.
const hiddenKey = "hidden"

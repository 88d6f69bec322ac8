package finance

import (
	"crypto/sha256"
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/server"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/store"
)

// The companies of the example data, whose ids stay the same so that examples
// can filter by them.
const (
	ExampleCompany       = "7b0d3c1e-52f4-4a63-8c1d-1f2e3d4c5b6a" // Padaria Aurora Ltda.
	ExampleSecondCompany = "2c9e4f7a-0b1d-4e85-9a36-c4d5e6f70819" // Livraria Ipê Amarelo Ltda.
)

// examples are the records of the example data by collection. days_ago is when one occurred, from the start of the
// clock.
//
//go:embed examples.json
var examples []byte

// daysToPay is how long after it occurred a payable or receivable is due.
const daysToPay = 15

// PutExamples makes the example data of an organization.
func (s *Service) PutExamples(tx *store.Tx, organization string) error {
	lists, err := server.ReadObject(examples)
	if err != nil {
		return err
	}
	for _, collection := range slices.Sorted(maps.Keys(lists)) {
		for i, element := range lists[collection].([]any) {
			fields := element.(map[string]any)
			daysAgo, _ := fields["days_ago"].(json.Number).Int64()
			delete(fields, "days_ago")
			at := s.Clock.Now().AddDate(0, 0, -int(daysAgo)).Truncate(time.Hour)
			if collection != "accounts" {
				fields["occurred_at"] = at.UTC().Format(time.DateOnly)
				fields["due_on"] = at.UTC().AddDate(0, 0, daysToPay).Format(time.DateOnly)
			}
			_, _, err := s.putRecord(tx, RecordRow{
				Owned: server.Owned{Organization: organization}, Collection: collection, ID: exampleID(collection, i),
				Number: s.Next(tx), CreatedAt: server.Timestamp{Time: at}, UpdatedAt: server.Timestamp{Time: at},
			}, fields)
			if err != nil {
				return fmt.Errorf("example %d of %s: %w", i, collection, err)
			}
		}
	}
	return nil
}

// exampleID is the same in every sandbox, and takes nothing from the source of
// the other ids.
func exampleID(collection string, i int) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "example %s %d", collection, i))
	id := uuid.UUID(sum[:16])
	id[6], id[8] = id[6]&0x0f|0x40, id[8]&0x3f|0x80 // version 4, variant of RFC 9562
	return id.String()
}

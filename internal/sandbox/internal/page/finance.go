package page

import (
	"maps"
	"slices"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/finance"
)

func recordAge(r finance.RecordRow) (time.Time, int64) { return r.CreatedAt.Time, r.Number }

// viewFinance are the collections that have records, by organization and name.
// It fails when a record cannot be read.
func (v viewer) viewFinance() ([]Collection, error) {
	names := map[[2]string]bool{}
	for _, row := range v.Finance.Records.All(v.tx) {
		names[[2]string{row.Organization, row.Collection}] = true
	}
	sorted := slices.SortedFunc(maps.Keys(names), func(a, b [2]string) int { return slices.Compare(a[:], b[:]) })
	var shown []Collection
	var failed error
	for _, name := range sorted {
		rows := v.Finance.RecordsOf.All(v.tx, finance.CollectionKey(name[0], name[1]))
		records := newest(rows, shownRecords, recordAge, func(row finance.RecordRow) Record {
			record, err := viewRecord(row)
			if err != nil {
				failed = err
			}
			return record
		})
		shown = append(shown, Collection{Organization: name[0], Name: name[1], Records: records})
	}
	return shown, failed
}

func viewRecord(r finance.RecordRow) (Record, error) {
	fields, err := r.Decoded()
	if err != nil {
		return Record{}, err
	}
	field := func(name string) string {
		text, _ := finance.Simple(fields[name])
		return text
	}
	return Record{
		ID: r.ID, Name: field("name"), Amount: field("amount"), Type: field("type"),
		Occurred: field("occurred_at"), Status: field("status"), Created: r.CreatedAt.Time,
	}, nil
}

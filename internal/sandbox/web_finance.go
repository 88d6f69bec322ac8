package sandbox

import (
	"maps"
	"slices"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/page"
)

func (r recordRow) age() (time.Time, int64) { return r.CreatedAt.Time, r.Number }

// viewFinance are the collections that have records, by organization and name.
// It fails when a record cannot be read.
func (v viewer) viewFinance() ([]page.Collection, error) {
	names := map[[2]string]bool{}
	for _, row := range v.finance.records.All(v.tx) {
		names[[2]string{row.Organization, row.Collection}] = true
	}
	sorted := slices.SortedFunc(maps.Keys(names), func(a, b [2]string) int { return slices.Compare(a[:], b[:]) })
	var shown []page.Collection
	var failed error
	for _, name := range sorted {
		records := newest(v.finance.recordsOf.All(v.tx, collectionKey(name[0], name[1])), shownRecords, func(row recordRow) page.Record {
			record, err := row.view()
			if err != nil {
				failed = err
			}
			return record
		})
		shown = append(shown, page.Collection{Organization: name[0], Name: name[1], Records: records})
	}
	return shown, failed
}

func (r recordRow) view() (page.Record, error) {
	fields, err := r.fields()
	if err != nil {
		return page.Record{}, err
	}
	field := func(name string) string {
		text, _ := simple(fields[name])
		return text
	}
	return page.Record{
		ID: r.ID, Name: field("name"), Amount: field("amount"), Type: field("type"),
		Occurred: field("occurred_at"), Status: field("status"), Created: r.CreatedAt.Time,
	}, nil
}

package subscription

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/billing"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/same"
)

// collections has the objects that a field refers to (wire contract: records.list).
var collections = map[string]string{"plan_id": "plans", "product_id": "products", "price_id": "prices"}

const (
	// mostNamed is how many objects an error names.
	mostNamed = 10
	// mostLooked is how many are looked through for the one that was rejected: a page, so that it takes one request.
	mostLooked = 100
)

// namingExisting is err, the rejection of what m asks for, with the plans, products or prices that exist where one of
// them is what was rejected. It takes one request; where that fails, or lists what was rejected, err stays as it is.
func namingExisting(ctx context.Context, client *billing.Service, err error, m model) error {
	e, ok := api.AsError(err)
	if _, ambiguous := api.AsAmbiguous(err); !ok || ambiguous ||
		!slices.Contains([]int{http.StatusBadRequest, http.StatusNotFound, http.StatusUnprocessableEntity}, e.Status) {
		return err
	}
	fields := e.Fields
	if len(fields) == 0 && e.Field != "" {
		fields = map[string]string{e.Field: e.Message}
	}
	field := ""
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		// A price is wrong also where its product is.
		if collections[lastPart(name)] != "" && (field == "" || lastPart(field) == "price_id") {
			field = name
		}
	}
	guessed := len(fields) == 0 && e.Structured && !m.PlanID.IsNull()
	if guessed {
		// A rejection that names nothing may be about the plan: it is, if the service does not list it.
		field, fields = "plan_id", map[string]string{"plan_id": e.Message}
	}
	if field == "" {
		return err
	}
	collection := collections[lastPart(field)]
	exist, all, lookErr := lookThrough(ctx, client, collection)
	wanted := m.refersTo(lastPart(field))
	known := slices.ContainsFunc(exist, func(r billing.Record) bool {
		return slices.ContainsFunc(wanted, func(id string) bool { return same.ID(id, r.ID) })
	})
	if lookErr != nil || len(exist) == 0 || known && len(wanted) == 1 || guessed && !all {
		return err
	}
	named := *e
	named.Fields = maps.Clone(fields)
	named.Fields[field] = strings.TrimRight(fields[field], ". ") + ". " + listing(collection, exist, all)
	return &named
}

// lookThrough lists what exists, as far as it is looked through; all says that this is everything.
func lookThrough(ctx context.Context, client *billing.Service,
	collection string) (exist []billing.Record, all bool, err error) {
	for record, err := range client.ListRecords(ctx, collection, billing.RecordQuery{}) {
		if err != nil {
			return nil, false, err
		}
		if exist = append(exist, record); len(exist) == mostLooked {
			return exist, false, nil
		}
	}
	return exist, true, nil
}

// refersTo are the ids that the configuration has for a field.
func (m model) refersTo(field string) (ids []string) {
	if field == "plan_id" {
		return []string{m.PlanID.ValueString()}
	}
	for _, i := range itemsOf(m.Items) {
		id := i.product
		if field == "price_id" {
			id = i.price
		}
		if !slices.Contains(ids, id.ValueString()) {
			ids = append(ids, id.ValueString())
		}
	}
	return ids
}

// listing words what exists, in a sentence.
func listing(collection string, exist []billing.Record, all bool) string {
	slices.SortFunc(exist, func(a, b billing.Record) int { return strings.Compare(a.Name, b.Name) })
	texts := make([]string, 0, mostNamed)
	for _, record := range exist[:min(mostNamed, len(exist))] {
		text := record.ID
		if record.Name != "" {
			text = fmt.Sprintf("%q (%s)", record.Name, record.ID)
		}
		texts = append(texts, text)
	}
	text := "The service has these " + collection + ": " + strings.Join(texts, ", ")
	switch more := len(exist) - len(texts); {
	case !all:
		text += ", and more"
	case more > 0:
		text += fmt.Sprintf(", and %d more", more)
	}
	return text + "."
}

// lastPart is plan_id of plan_id, and price_id of items[0].price_id.
func lastPart(field string) string { return field[strings.LastIndexByte(field, '.')+1:] }

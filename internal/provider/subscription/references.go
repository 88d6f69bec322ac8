package subscription

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

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
	// lookTime bounds looking through them, with every repetition.
	lookTime = 5 * time.Second
)

// namingExisting is err, the rejection of what m asks for, with the plans, products or prices that exist where one of
// them is what was rejected. It takes one request for each of these collections; where that fails, or lists what was
// rejected, nothing is added.
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
	refused := map[string]string{} // collection → field, the first of them
	for _, name := range slices.Backward(slices.Sorted(maps.Keys(fields))) {
		if collection := collections[lastPart(name)]; collection != "" {
			refused[collection] = name
		}
	}
	if refused["products"] != "" {
		delete(refused, "prices") // a price is wrong also where its product is
	}
	guessed := len(fields) == 0 && e.Structured && !m.PlanID.IsNull()
	if guessed {
		// A rejection that names nothing may be about the plan: it is, if the service does not list it.
		refused, fields = map[string]string{"plans": "plan_id"}, map[string]string{"plan_id": e.Message}
	}
	// The error is what matters: it does not wait until a service that fails has recovered.
	ctx, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()
	named := *e
	named.Fields = maps.Clone(fields)
	for _, collection := range slices.Sorted(maps.Keys(refused)) {
		field := refused[collection]
		exist, all, lookErr := lookThrough(ctx, client, collection)
		wanted := m.refersTo(lastPart(field))
		known := slices.ContainsFunc(exist, func(r billing.Record) bool {
			return slices.ContainsFunc(wanted, func(id string) bool { return same.ID(id, r.ID) })
		})
		if lookErr != nil || len(exist) == 0 || known && len(wanted) == 1 || guessed && !all {
			continue
		}
		named.Fields[field] = strings.TrimRight(fields[field], ". ") + ". " + listing(collection, exist, all)
		err = &named
	}
	return err
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

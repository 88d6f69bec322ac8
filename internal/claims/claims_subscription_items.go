package claims

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
)

func subscriptionItemClaims() []Claim {
	const list = "Recurring billing §4 Subscription create (items); wire contract: subscriptions.items.list"
	const sync = "Recurring billing §4 Subscription create (items); wire contract: subscriptions.items.sync"
	return []Claim{
		claim(261, list, "The items of a create are listed in the list envelope, each with its own id.",
			checkItemsListed),
		claim(262, list, "quantity is 1 when it is not sent, and unit_amount_subcents is then null.", checkItemDefaults),
		claim(263, sync+" (the whole wanted set)",
			"A sync adds, changes and removes until the items are those that were sent, in any order.", checkItemsSync),
		claim(264, sync+" (the whole wanted set)", "An empty set removes all items from a subscription to a plan.",
			checkItemsEmptied),
		claim(265, sync+" (validation failure)", "A sync with an item that is not valid is rejected and changes nothing.",
			checkItemsSyncRefused),
	}
}

// wantSet fails unless the items under data are those, in any order.
func (a *response) wantSet(wanted ...object) *response {
	form := func(at func(string) any) string {
		return fmt.Sprint(at("product_id"), " ", at("price_id"), " x", at("quantity"), " at ",
			show(at("unit_amount_subcents")))
	}
	got, want := []string{}, []string{}
	for i := range a.list("data") {
		a.wantMatch("data."+strconv.Itoa(i)+".id", uuidForm)
		got = append(got, form(func(member string) any { return a.at("data." + strconv.Itoa(i) + "." + member) }))
	}
	for _, item := range wanted {
		full := response{body: asJSON(merged(object{"quantity": 1, "unit_amount_subcents": nil}, item))}
		want = append(want, form(full.at))
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		a.failf("the items are %q, want %q", got, want)
	}
	return a
}

// items reads the items of a subscription, as many as a page holds.
func (p *probe) items(path string) *response {
	return p.get(path+"/items", "per_page", strconv.Itoa(p.maxPerPage())).wantStatus(http.StatusOK)
}

func checkItemsListed(p *probe) {
	items := []object{p.item(0, object{"quantity": 2, "unit_amount_subcents": 0}),
		p.item(1, object{"quantity": 3, "unit_amount_subcents": 1050125})}
	path, _ := p.subscription(object{"plan_id": nil, "items": items})
	a := p.items(path).wantSet(items...).want("meta.total", 2)
	for _, member := range []string{"meta.page", "meta.per_page", "meta.total_pages"} {
		a.integer(member)
	}
	if a.text("data.0.id") == a.text("data.1.id") {
		a.failf("two items have one id")
	}
}

func checkItemDefaults(p *probe) {
	path, _ := p.subscription(object{"plan_id": nil, "items": []object{p.item(0, nil)}})
	p.items(path).want("data.0.quantity", 1).want("data.0.unit_amount_subcents", nil)
}

func checkItemsSync(p *probe) {
	path, _ := p.subscription(object{"plan_id": nil, "items": []object{p.item(0, nil), p.item(1, object{"quantity": 2})}})
	for _, wanted := range [][]object{
		{p.item(1, object{"quantity": 5, "unit_amount_subcents": 990000}), p.item(2, nil)},
		{p.item(2, nil), p.item(1, object{"quantity": 5, "unit_amount_subcents": 990000})},
		{p.item(1, nil)},
	} {
		p.put(path+"/items", object{"items": wanted}).wantStatus(http.StatusOK).wantSet(wanted...)
		p.items(path).wantSet(wanted...)
	}
}

func checkItemsEmptied(p *probe) {
	path, _ := p.subscription(object{"items": []object{p.item(0, nil)}})
	p.put(path+"/items", object{"items": []object{}}).wantStatus(http.StatusOK).wantSet()
	p.items(path).wantSet().want("meta.total", 0)
}

func checkItemsSyncRefused(p *probe) {
	path, _ := p.subscription(object{"plan_id": nil, "items": []object{p.item(0, nil)}})
	for _, item := range p.badItems() {
		p.put(path+"/items", object{"items": []object{p.item(1, nil), item}}).wantInvalidPart()
	}
	p.items(path).wantSet(p.item(0, nil))
}

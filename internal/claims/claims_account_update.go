package claims

import (
	"maps"
	"net/http"
	"slices"
	"strings"
)

func accountUpdateClaims() []Claim {
	const source = "Recurring billing §4 Billing account update; wire contract: billing_accounts.update"
	return []Claim{
		claim(161, source, "Each field of the account can be changed alone, and nothing else of it changes.",
			checkAccountUpdateEachField),
		claim(162, source, "name, email and phone change the customer; email and phone become the first.",
			checkAccountUpdateCustomer),
		claim(163, source+" (address)", "address becomes the first of the customer's addresses.", checkAccountUpdateAddress),
		claim(164, source+" (null clears)", "null clears external_id.", checkAccountNullClears),
		claim(165, source+" (validation failure)",
			"A term outside of 1 to 90 and a name outside of 1 to 255 characters are rejected with the name of the field.",
			checkAccountUpdateLimits),
		claim(166, source+" (validation failure)",
			"An unknown field and a wrong type are rejected with the name of the field, and nothing of that update is applied.",
			checkAccountUpdateInvalid),
		claim(167, "Recurring billing §4 custom_metadata_mode; wire contract: billing_accounts.update",
			"custom_metadata is replaced unless the mode is merge.", checkAccountMetadata),
		claim(168, "Recurring billing §7 Errors; wire contract: billing_accounts.update",
			"Every operation on an account that does not exist returns 404.", checkAccountUnknown),
	}
}

func checkAccountUpdateEachField(p *probe) {
	path, created := p.openAccount(accountFields(unique()))
	before := created.at("data")
	word := unique()
	fields := object{
		"external_id": word, "billing_email": word + "@correio.example", "payment_terms_days": 90,
		"auto_collection": true, "custom_metadata": object{"cost_center": object{"code": "SP-002"}},
	}
	for _, field := range slices.Sorted(maps.Keys(fields)) {
		a := p.patch(path, object{field: fields[field]}).wantStatus(http.StatusOK).want("data."+field, fields[field])
		a.wantKept(accountMembers, before, field)
		before = a.at("data")
	}
	p.get(path).wantStatus(http.StatusOK).wantFields("data", fields)
}

func checkAccountUpdateCustomer(p *probe) {
	word := unique()
	path, created := p.openAccount(object{"customer": object{"name": word, "email": "a-" + word + "@correio.example",
		"phone": "+55 11 3091-0001"}})
	name, email := word+" b", "b-"+word+"@correio.example"
	p.patch(path, object{"name": name, "email": email, "phone": "+55 11 3091-0002"}).wantStatus(http.StatusOK)
	embedded := p.get(path).wantStatus(http.StatusOK).want("data.customer.name", name)
	embedded.want("data.customer.emails.0.value", email).want("data.customer.phones.0.value", "+55 11 3091-0002")
	customer := p.get(customerPath(created.text("data.customer.id"))).wantStatus(http.StatusOK)
	customer.want("data.name", name).want("data.emails.0.value", email).want("data.phones.0.value", "+55 11 3091-0002")
}

func checkAccountUpdateAddress(p *probe) {
	fields := allFields(unique())
	path, created := p.openAccount(object{"customer": merged(fields, object{"kind": "company"})})
	address := object{"kind": "billing", "street": "Rua Sergipe", "number": "925", "complement": "ap. 302",
		"neighborhood": "Savassi", "city": "Belo Horizonte", "state": "MG", "postal_code": "30130-171", "country": "BR"}
	p.patch(path, object{"address": address}).wantStatus(http.StatusOK)
	p.get(path).wantStatus(http.StatusOK).want("data.customer.addresses.0", address)
	p.get(customerPath(created.text("data.customer.id"))).wantStatus(http.StatusOK).want("data.addresses.0", address)
}

func checkAccountNullClears(p *probe) {
	path, created := p.openAccount(accountFields(unique()))
	a := p.patch(path, object{"external_id": nil}).wantStatus(http.StatusOK).want("data.external_id", nil)
	a.wantKept(accountMembers, created.at("data"), "external_id")
}

func checkAccountUpdateLimits(p *probe) {
	path, _ := p.openAccount(nil)
	for _, days := range []any{0, 91, 1.5} {
		p.patch(path, object{"payment_terms_days": days}).wantInvalid("payment_terms_days")
	}
	for _, name := range []any{"", strings.Repeat("ã", 256), nil} {
		p.patch(path, object{"name": name}).wantInvalid("name")
	}
	for _, days := range []any{1, 90} {
		p.patch(path, object{"payment_terms_days": days}).wantStatus(http.StatusOK).want("data.payment_terms_days", days)
	}
	p.patch(path, object{"name": strings.Repeat("ã", 255)}).wantStatus(http.StatusOK)
}

func checkAccountUpdateInvalid(p *probe) {
	path, created := p.openAccount(nil)
	for field, value := range map[string]any{
		"favourite_colour": "azul", "customer": object{"name": unique()}, "status": "suspended", "balance_cents": 1,
		"auto_collection": "yes", "email": 7, "address": "text", "custom_metadata_mode": "append",
	} {
		p.patch(path, object{"payment_terms_days": 20, field: value}).wantInvalid(field)
	}
	p.get(path).wantStatus(http.StatusOK).want("data", created.at("data"))
}

func checkAccountMetadata(p *probe) {
	path, _ := p.openAccount(object{"custom_metadata": object{"a": object{"b": 1, "c": 2}, "d": 3}})
	checkMetadataModes(p, path)
}

// checkMetadataModes changes {a: {b: 1, c: 2}, d: 3} in each mode.
func checkMetadataModes(p *probe, path string) {
	a := p.patch(path, object{"custom_metadata": object{"a": object{"b": nil}, "e": 4}, "custom_metadata_mode": "merge"})
	a.wantStatus(http.StatusOK).want("data.custom_metadata", object{"a": object{"b": nil, "c": 2}, "d": 3, "e": 4})
	b := p.patch(path, object{"custom_metadata": object{"a": object{"b": nil}}, "custom_metadata_mode": "replace"})
	b.wantStatus(http.StatusOK).want("data.custom_metadata", object{"a": object{"b": nil}})
	p.patch(path, object{"custom_metadata": object{"f": 5}}).wantStatus(http.StatusOK).want("data.custom_metadata",
		object{"f": 5})
	p.patch(path, object{"custom_metadata": object{}}).wantStatus(http.StatusOK).wantEmpty("data.custom_metadata")
}

func checkAccountUnknown(p *probe) {
	path := accountPath(nobody)
	p.get(path).wantStatus(http.StatusNotFound).wantError("")
	p.patch(path, object{"payment_terms_days": 20}).wantStatus(http.StatusNotFound).wantError("")
	for _, step := range []string{"/suspend", "/reactivate", "/close"} {
		p.post(path+step, object{"reason": "nobody"}).wantStatus(http.StatusNotFound).wantError("")
	}
	p.delete(path).wantStatus(http.StatusNotFound).wantError("")
}

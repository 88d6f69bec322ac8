package claims

import (
	"maps"
	"net/http"
	"slices"
)

func updateClaims() []Claim {
	const source = "Recurring billing §4 Customer update; wire contract: customers.update"
	return []Claim{
		claim(71, source, "Each field can be changed alone, and nothing else changes with it.", checkUpdateEachField),
		claim(72, source, "All fields can be changed in one update, and a read returns what the update returned.",
			checkUpdateAll),
		claim(73, source, "An update without fields changes nothing.", checkUpdateNothing),
		claim(74, source+" (null clears)", "null clears every single value that may be returned as null.", checkNullClears),
		claim(75, source+" (null clears)", "null clears a list.", checkNullClearsList),
		claim(76, source+" ([] clears)", "[] clears a list.", checkEmptyListClears),
		claim(77, source+" (email and phone become the first of emails and phones)",
			"email and phone are inserted before the existing items, once.", checkUpdateEmail),
		claim(78, "Recurring billing §2 Customer; wire contract: customers.update",
			"document_type changes with a new document_number.", checkUpdateDocument),
	}
}

// listMembers are the members of a customer that hold arrays.
var listMembers = []string{"addresses", "phones", "emails", "websites", "tags"}

// otherFields are values that differ from allFields everywhere.
func otherFields(word string) object {
	return object{
		"external_id":     word + "-b",
		"name":            "Ateliê " + word,
		"nickname":        "Ateliê",
		"legal_name":      "Ateliê " + word + " S.A.",
		"document_number": cpf(),
		"kind":            "natural",
		"birthday":        "1984-03-09",
		"notes":           "Entregas até as 9h.",
		"addresses": []object{{"kind": "billing", "street": "Rua das Acácias", "number": "500", "complement": nil,
			"neighborhood": "Centro", "city": "Recife", "state": "PE", "postal_code": "50010-000", "country": "BR"}},
		"phones":          []object{{"value": "+55 81 3224-9000"}},
		"emails":          []object{{"kind": "work", "value": "b-" + word + "@correio.example"}},
		"websites":        []object{{"value": "https://b-" + word + ".example"}},
		"tags":            []string{"varejo"},
		"custom_metadata": object{"crm": object{"owner": "Jonas Meireles"}},
	}
}

func checkUpdateEachField(p *probe) {
	word := unique()
	path, created := p.customer(allFields(word))
	before := created.at("data.customer")
	fields := otherFields(word)
	for _, field := range slices.Sorted(maps.Keys(fields)) {
		a := p.patch(path, object{field: fields[field]}).wantStatus(http.StatusOK)
		a.wantItems("data."+field, fields[field])
		a.wantUnchanged(before, field)
		before = a.at("data")
	}
}

// wantUnchanged fails when the customer returned as data differs from the one
// before in another member than those, in what follows from them, or in
// updated_at.
func (a *response) wantUnchanged(before any, changed ...string) {
	if slices.Contains(changed, "document_number") {
		changed = append(changed, "document_type")
	}
	a.wantKept(customerMembers, before, changed...)
}

func checkUpdateAll(p *probe) {
	word := unique()
	path, _ := p.customer(allFields(word))
	fields := otherFields(word)
	a := p.patch(path, fields).wantStatus(http.StatusOK).wantFields("data", fields)
	b := p.get(path).wantStatus(http.StatusOK)
	if !sameJSON(b.at("data"), a.at("data")) {
		b.failf("data is %s, the update returned %s", show(b.at("data")), show(a.at("data")))
	}
}

func checkUpdateNothing(p *probe) {
	path, created := p.customer(allFields(unique()))
	p.patch(path, object{}).wantStatus(http.StatusOK).wantUnchanged(created.at("data.customer"))
}

func checkNullClears(p *probe) {
	path, created := p.customer(allFields(unique()))
	before := created.at("data.customer")
	for _, field := range []string{"external_id", "nickname", "legal_name", "document_number", "kind",
		"birthday", "notes"} {
		a := p.patch(path, object{field: nil}).wantStatus(http.StatusOK).want("data."+field, nil)
		a.wantUnchanged(before, field)
		before = a.at("data")
	}
}

func checkNullClearsList(p *probe) { checkListCleared(p, nil) }

func checkEmptyListClears(p *probe) { checkListCleared(p, []any{}) }

func checkListCleared(p *probe, empty any) {
	path, created := p.customer(allFields(unique()))
	before := created.at("data.customer")
	for _, field := range listMembers {
		a := p.patch(path, object{field: empty}).wantStatus(http.StatusOK).wantEmpty("data." + field)
		a.wantUnchanged(before, field)
		before = a.at("data")
		p.get(path).wantEmpty("data." + field)
	}
}

func checkUpdateEmail(p *probe) {
	first, second := unique()+"@correio.example", unique()+"@correio.example"
	path, _ := p.customer(object{"email": first, "phone": "+55 11 3091-0001"})
	change := object{"email": second, "phone": "+55 11 3091-0002"}
	wanted := object{
		"emails": []object{{"value": second}, {"value": first}},
		"phones": []object{{"value": "+55 11 3091-0002"}, {"value": "+55 11 3091-0001"}},
	}
	p.patch(path, change).wantStatus(http.StatusOK).wantFields("data", wanted)
	p.patch(path, change).wantStatus(http.StatusOK).wantFields("data", wanted)
	p.patch(path, object{"email": first}).wantStatus(http.StatusOK).wantFields("data", wanted)
}

func checkUpdateDocument(p *probe) {
	path, _ := p.customer(object{"document_number": maskedCPF(cpf())})
	a := p.patch(path, object{"document_number": maskedCNPJ}).wantStatus(http.StatusOK)
	a.want("data.document_type", "cnpj").want("data.document_number", maskedCNPJ)
}

package claims

import (
	"maps"
	"net/http"
	"slices"
)

func refusalClaims() []Claim {
	const invalid = "Recurring billing §4 Customer create, §7 Errors; wire contract: customers.create (validation failure)"
	const change = "Recurring billing §4 Customer update, §7 Errors; wire contract: customers.update (validation failure)"
	const taken = " (same external_id twice)"
	return []Claim{
		claim(101, invalid, "A customer without a name is rejected.", checkNameRequired),
		claim(102, invalid, "A field that does not exist is rejected with its name.", checkUnknownField),
		claim(103, invalid, "A value of the wrong type is rejected with the name of its field.", checkWrongType),
		claim(104, invalid,
			"A kind, a birthday or a term outside of the documented values is rejected with the name of its field.",
			checkBadValue),
		claim(105, invalid, "custom_metadata_mode is rejected on create.", checkModeOnCreate),
		claim(106, invalid, "A rejected create creates nothing.", checkRefusedCreate),
		claim(107, change, "Each field that is for creation only is rejected in an update.", checkCreateOnly),
		claim(108, change, "name cannot be null, and a mode that does not exist is rejected.", checkBadUpdate),
		claim(109, change, "A rejected update changes nothing, not even the fields that were valid.", checkRefusedUpdate),
		claim(110, "Wire contract: customers.create"+taken,
			"An external_id that another customer has is rejected with the id of that customer.", checkExternalIDTaken),
		claim(111, "Wire contract: customers.update"+taken, "The same holds for an update.", checkExternalIDTakenByUpdate),
		claim(112, "Wire contract: customers.update"+taken, "A customer's own external_id does not count as taken.",
			checkOwnExternalID),
	}
}

// wantInvalid fails unless the response is 422 validation_error that blames the field.
func (a *response) wantInvalid(field string) {
	a.wantStatus(http.StatusUnprocessableEntity).wantError("validation_error")
	fields, _ := a.at("error.details.fields").(map[string]any)
	if reason, ok := fields[field].(string); !ok || reason == "" {
		a.failf("error.details.fields is %s, want a reason for %s", show(a.at("error.details.fields")), field)
	}
}

func checkNameRequired(p *probe) {
	p.post(customersPath, object{"nickname": unique()}).wantInvalid("name")
	p.post(customersPath, object{"name": nil}).wantInvalid("name")
}

func checkUnknownField(p *probe) {
	p.post(customersPath, object{"name": unique(), "favourite_colour": "azul"}).wantInvalid("favourite_colour")
	path, _ := p.customer(nil)
	p.patch(path, object{"favourite_colour": "azul"}).wantInvalid("favourite_colour")
}

// checkEachInvalid sends each field alone next to a valid name.
func checkEachInvalid(p *probe, fields object) {
	for _, field := range slices.Sorted(maps.Keys(fields)) {
		p.post(customersPath, merged(object{"name": unique()}, object{field: fields[field]})).wantInvalid(field)
	}
}

func checkWrongType(p *probe) {
	checkEachInvalid(p, object{
		"name": 7, "external_id": 7, "notes": object{}, "document_number": 12345678901, "birthday": true,
		"tags": "atacado", "emails": "a@correio.example", "addresses": object{}, "custom_metadata": "text",
		"create_billing_account": "no", "auto_collection": "yes", "payment_terms_days": "10",
	})
}

func checkBadValue(p *probe) {
	checkEachInvalid(p, object{"kind": "company", "birthday": "31/12/1999", "payment_terms_days": -1})
	checkEachInvalid(p, object{"birthday": "2023-02-30", "payment_terms_days": 1.5})
}

func checkModeOnCreate(p *probe) {
	checkEachInvalid(p, object{"custom_metadata_mode": "merge"})
	checkEachInvalid(p, object{"custom_metadata_mode": "replace"})
}

func checkRefusedCreate(p *probe) {
	word := unique()
	p.post(customersPath, object{"name": word, "external_id": word, "kind": "company"}).wantInvalid("kind")
	p.get(customersPath, "external_id", word).wantStatus(http.StatusOK).want("meta.total", 0)
}

func checkCreateOnly(p *probe) {
	path, _ := p.customer(nil)
	fields := object{"create_billing_account": true, "billing_email": unique() + "@correio.example",
		"payment_terms_days": 15, "auto_collection": true}
	for _, field := range slices.Sorted(maps.Keys(fields)) {
		p.patch(path, object{field: fields[field]}).wantInvalid(field)
	}
}

func checkBadUpdate(p *probe) {
	path, _ := p.customer(nil)
	p.patch(path, object{"name": nil}).wantInvalid("name")
	p.patch(path, object{"custom_metadata": object{}, "custom_metadata_mode": "append"}).
		wantInvalid("custom_metadata_mode")
}

func checkRefusedUpdate(p *probe) {
	path, created := p.customer(allFields(unique()))
	p.patch(path, object{"notes": "depois", "kind": "company"}).wantInvalid("kind")
	p.get(path).wantStatus(http.StatusOK).wantUnchanged(created.at("data.customer"))
}

// wantTaken fails unless the response is 422 external_id_taken naming that customer.
func (a *response) wantTaken(id string) {
	a.wantStatus(http.StatusUnprocessableEntity).wantError("external_id_taken")
	a.want("error.details.field", "external_id").want("error.details.id", id)
}

func checkExternalIDTaken(p *probe) {
	word := unique()
	_, first := p.customer(object{"external_id": word})
	p.post(customersPath, object{"name": unique(), "external_id": word}).wantTaken(first.text("data.customer.id"))
}

func checkExternalIDTakenByUpdate(p *probe) {
	word := unique()
	_, first := p.customer(object{"external_id": word})
	path, _ := p.customer(nil)
	p.patch(path, object{"external_id": word}).wantTaken(first.text("data.customer.id"))
	p.get(path).want("data.external_id", nil)
}

func checkOwnExternalID(p *probe) {
	word := unique()
	path, _ := p.customer(object{"external_id": word})
	p.patch(path, object{"external_id": word}).wantStatus(http.StatusOK).want("data.external_id", word)
}

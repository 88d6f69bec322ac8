package claims

import (
	"net/http"
	"strings"
)

func accountCreateClaims() []Claim {
	const source = "Recurring billing §4 Billing account create; wire contract: billing_accounts.create"
	const reference = "Wire contract: billing_accounts.create (a customer reference)"
	const invalid = "Recurring billing §4 Billing account create, §7 Errors; wire contract: billing_accounts.create " +
		"(validation failure)"
	return []Claim{
		claim(141, source,
			"An account can be created with only a customer; every documented member is returned, with the customer included.",
			checkAccountMinimal),
		claim(142, source, "Every field that was sent is returned as it was sent and reads back the same.", checkAccountFull),
		claim(143, source,
			"billing_email is the customer's email when it is not sent, for a new and for an existing customer.",
			checkBillingEmailDefault),
		claim(144, source,
			"payment_terms_days from 1 to 90 is accepted, and a value outside is rejected with the name of the field.",
			checkAccountTerms),
		claim(145, source, "customer.id finds a customer by its UUID.", checkReferenceByID),
		claim(146, source, "customer.id finds a customer by its external code, and so does customer.external_id.",
			checkReferenceByCode),
		claim(147, reference,
			"customer.document_number finds a customer with any mask, and with letters of a CNPJ in any case.",
			checkReferenceByDocument),
		claim(148, reference, "A customer.id that does not exist, UUID or code, is rejected with 422.",
			checkReferenceUnknown),
		claim(149, reference, "Further fields next to a reference to an existing customer are ignored.",
			checkReferenceFields),
		claim(150, source, "A new customer is created with every field of the payload; kind uses the account's values.",
			checkAccountNewCustomer),
		claim(151, source, "A document_number that no customer has creates a new customer, which needs a name.",
			checkAccountNameRequired),
		claim(152, invalid, "A missing customer, an unknown field and a wrong type are rejected with the name of the field.",
			checkAccountInvalid),
		claim(153, invalid, "A new customer of a kind other than individual and company is rejected.",
			checkAccountCustomerKindRefused),
		claim(154, "Wire contract: billing_accounts.create (same external_id twice)",
			"An external_id that another account has is rejected with the id of that account, in a create and in an update.",
			checkAccountExternalIDTaken),
	}
}

// openAccount creates an account on its own customer unless the fields name
// one, and returns its path and the response.
func (p *probe) openAccount(fields object) (string, *response) {
	body := object{"customer": object{"name": unique()}}
	a := p.post(accountsPath, merged(body, fields)).wantStatus(http.StatusCreated)
	return accountPath(a.text("data.id")), a
}

// accountFields is what may be sent of an account itself.
func accountFields(word string) object {
	return object{
		"external_id": word, "billing_email": word + "@correio.example", "payment_terms_days": 45, "auto_collection": false,
		"custom_metadata": object{"cost_center": object{"code": "MG-014"}, "route": []any{"CPS-03", 7, nil}},
	}
}

func checkAccountMinimal(p *probe) {
	path, a := p.openAccount(nil)
	a.wantPresent("data", accountMembers...).wantPresent("data.customer", embeddedMembers...)
	a.wantMatch("data.id", uuidForm).wantMatch("data.public_id", uuidForm).wantMatch("data.currency", currencyForm)
	a.wantMatch("data.created_at", timeForm).wantMatch("data.updated_at", timeForm)
	a.want("data.status", "active").want("data.payment_terms_days", 10).want("data.auto_collection", true)
	a.want("data.external_id", nil).want("data.billing_email", nil).integer("data.balance_cents")
	p.get(path).wantStatus(http.StatusOK).want("data", a.at("data"))
}

func checkAccountFull(p *probe) {
	fields := accountFields(unique())
	path, a := p.openAccount(fields)
	a.wantFields("data", fields)
	p.get(path).wantStatus(http.StatusOK).wantFields("data", fields)
}

func checkBillingEmailDefault(p *probe) {
	email, other := unique()+"@correio.example", unique()+"@correio.example"
	_, a := p.openAccount(object{"customer": object{"name": unique(), "email": email}})
	a.want("data.billing_email", email)
	_, made := p.customer(object{"email": other})
	_, b := p.openAccount(object{"customer": object{"id": made.text("data.customer.id")}})
	b.want("data.billing_email", other)
}

func checkAccountTerms(p *probe) {
	for _, days := range []any{1, 90} {
		_, a := p.openAccount(object{"payment_terms_days": days})
		a.want("data.payment_terms_days", days)
	}
	for _, days := range []any{0, 91, -1, 1.5, "10"} {
		p.post(accountsPath, object{"customer": object{"name": unique()}, "payment_terms_days": days}).
			wantInvalid("payment_terms_days")
	}
}

func checkReferenceByID(p *probe) {
	_, made := p.customer(nil)
	id := made.text("data.customer.id")
	_, a := p.openAccount(object{"customer": object{"id": id}})
	a.want("data.customer.id", id)
}

func checkReferenceByCode(p *probe) {
	word := unique()
	_, made := p.customer(object{"external_id": word})
	for _, member := range []string{"id", "external_id"} {
		_, a := p.openAccount(object{"customer": object{member: word}})
		a.want("data.customer.id", made.text("data.customer.id"))
	}
}

func checkReferenceByDocument(p *probe) {
	number := cpf()
	_, made := p.customer(object{"document_number": maskedCPF(number)})
	for _, sent := range []string{number, maskedCPF(number)} {
		_, a := p.openAccount(object{"customer": object{"document_number": sent}})
		a.want("data.customer.id", made.text("data.customer.id"))
		a.want("data.customer.document_number", maskedCPF(number))
	}
	letters := letterCNPJ()
	_, made = p.customer(object{"document_number": maskedCNPJOf(letters)})
	for _, sent := range []string{letters, strings.ToLower(maskedCNPJOf(letters))} {
		_, a := p.openAccount(object{"customer": object{"document_number": sent}})
		a.want("data.customer.id", made.text("data.customer.id"))
	}
}

func checkReferenceUnknown(p *probe) {
	for _, id := range []string{nobody, unique()} {
		p.post(accountsPath, object{"customer": object{"id": id, "name": unique()}}).wantRefused()
	}
}

func checkReferenceFields(p *probe) {
	path, made := p.customer(allFields(unique()))
	customer := object{"id": made.text("data.customer.id"), "name": unique(), "notes": "outra", "tags": []string{"outra"},
		"email": unique() + "@correio.example"}
	_, a := p.openAccount(object{"customer": customer})
	a.want("data.customer.name", made.text("data.customer.name"))
	p.get(path).wantStatus(http.StatusOK).want("data", made.at("data.customer"))
}

func checkAccountNewCustomer(p *probe) {
	fields := merged(allFields(unique()), object{"kind": "company"})
	_, a := p.openAccount(object{"customer": fields})
	a.wantFields("data.customer", fields)
	p.get(customerPath(a.text("data.customer.id"))).wantStatus(http.StatusOK).
		wantFields("data", merged(fields, object{"kind": "juridical"}))
	_, b := p.openAccount(object{"customer": object{"name": unique(), "kind": "individual"}})
	p.get(customerPath(b.text("data.customer.id"))).wantStatus(http.StatusOK).want("data.kind", "natural")
}

func checkAccountNameRequired(p *probe) {
	number := maskedCPF(cpf())
	p.post(accountsPath, object{"customer": object{"document_number": number}}).wantInvalidPart()
	p.post(accountsPath, object{"customer": object{"nickname": unique()}}).wantInvalidPart()
	_, a := p.openAccount(object{"customer": object{"document_number": number, "name": unique()}})
	a.want("data.customer.document_number", number)
}

func checkAccountInvalid(p *probe) {
	p.post(accountsPath, object{"payment_terms_days": 10}).wantInvalid("customer")
	for field, value := range map[string]any{
		"favourite_colour": "azul", "currency": "BRL", "custom_metadata_mode": "merge",
		"external_id": 7, "billing_email": 7, "auto_collection": "yes", "custom_metadata": "text",
	} {
		p.post(accountsPath, object{"customer": object{"name": unique()}, field: value}).wantInvalid(field)
	}
}

func checkAccountCustomerKindRefused(p *probe) {
	for _, kind := range []any{"natural", "juridical", 7} {
		p.post(accountsPath, object{"customer": object{"name": unique(), "kind": kind}}).wantInvalidPart()
	}
}

func checkAccountExternalIDTaken(p *probe) {
	word := unique()
	path, first := p.openAccount(object{"external_id": word})
	p.post(accountsPath, object{"customer": object{"name": unique()}, "external_id": word}).
		wantTaken(first.text("data.id"))
	second, _ := p.openAccount(nil)
	p.patch(second, object{"external_id": word}).wantTaken(first.text("data.id"))
	p.patch(path, object{"external_id": word}).wantStatus(http.StatusOK).want("data.external_id", word)
}

package claims

import "net/http"

func createClaims() []Claim {
	const source = "Recurring billing §4 Customer create; wire contract: customers.create"
	return []Claim{
		claim(51, source, "A customer can be created with only a name; every documented member is returned.",
			checkCreateMinimal),
		claim(52, source, "Every field that was sent is returned as it was sent and reads back the same.", checkCreateFull),
		claim(53, source, "An account is created with the customer unless the request says otherwise.",
			checkCreateWithAccount),
		claim(54, source, "create_billing_account false creates no account: billing_account is null.",
			checkCreateWithoutAccount),
		claim(55, source, "The account's billing_email is the customer's email, its payment term is 10 days, and its "+
			"collection is automatic.",
			checkAccountDefaults),
		claim(56, source, "billing_email, payment_terms_days and auto_collection reach the account.", checkAccountFields),
		claim(57, source+" (email and phone become the first of emails and phones)",
			"email and phone become the first item of emails and phones.", checkEmailFirst),
		claim(58, source+" (email and phone become the first of emails and phones)",
			"An email or phone that is already in the list is not added a second time.", checkEmailOnce),
		claim(59, "Recurring billing §2 Customer",
			"document_type is inferred from the length of the number, with and without a mask, digits or letters.",
			checkDocumentType),
		claim(60, "Recurring billing §2 Customer; wire contract: customers.create (document_number is kept as sent)",
			"document_number is returned as it was sent, mask and all.", checkDocumentMask),
		claim(61, "Recurring billing §1 Data types; wire contract: customers.create",
			"Ids are UUIDs of version 4; id and public_id differ between customers.", checkIDs),
		claim(62, "Wire contract: customers.create (datetimes are UTC with milliseconds and Z)",
			"created_at and updated_at are UTC with milliseconds and Z, and not before one another.", checkTimes),
		claim(63, "Recurring billing §4 Customer create (kind)", "Both kinds are accepted: natural and juridical.",
			checkKinds),
	}
}

func checkCreateMinimal(p *probe) {
	name := unique()
	a := p.post(customersPath, object{"name": name, "create_billing_account": false}).wantStatus(http.StatusCreated)
	a.wantPresent("data.customer", customerMembers...).want("data.customer.name", name)
	for _, member := range []string{"external_id", "nickname", "legal_name", "document_number", "kind",
		"birthday", "notes"} {
		a.want("data.customer."+member, nil)
	}
	for _, member := range []string{"addresses", "phones", "emails", "websites", "tags", "custom_metadata"} {
		a.wantEmpty("data.customer." + member)
	}
}

func checkCreateFull(p *probe) {
	fields := allFields(unique())
	path, a := p.customer(fields)
	a.wantFields("data.customer", fields)
	p.get(path).wantStatus(http.StatusOK).wantFields("data", fields)
}

func checkCreateWithAccount(p *probe) {
	a := p.post(customersPath, object{"name": unique()}).wantStatus(http.StatusCreated)
	a.wantMatch("data.customer.id", uuidForm).wantMatch("data.billing_account.id", uuidForm)
	a.want("data.billing_account.status", "active")
	b := p.post(customersPath, object{"name": unique(), "create_billing_account": true}).wantStatus(http.StatusCreated)
	b.wantMatch("data.billing_account.id", uuidForm)
}

func checkCreateWithoutAccount(p *probe) {
	_, a := p.customer(object{"create_billing_account": false})
	a.want("data.billing_account", nil)
	p.get(accountsPath, "customer_id", a.text("data.customer.id")).wantStatus(http.StatusOK).want("meta.total", 0)
}

func checkAccountDefaults(p *probe) {
	email := unique() + "@correio.example"
	_, a := p.customer(object{"create_billing_account": true, "email": email})
	a.want("data.billing_account.billing_email", email)
	a.want("data.billing_account.payment_terms_days", 10)
	a.want("data.billing_account.auto_collection", true)
	_, b := p.customer(object{"create_billing_account": true})
	b.want("data.billing_account.billing_email", nil)
}

func checkAccountFields(p *probe) {
	fields := object{"billing_email": unique() + "@correio.example", "payment_terms_days": 21, "auto_collection": false}
	_, a := p.customer(merged(fields, object{"create_billing_account": true, "email": unique() + "@correio.example"}))
	a.wantFields("data.billing_account", fields)
	_, b := p.customer(object{"create_billing_account": true, "payment_terms_days": 0})
	b.want("data.billing_account.payment_terms_days", 0)
}

func checkEmailFirst(p *probe) {
	email, other := unique()+"@correio.example", unique()+"@correio.example"
	_, a := p.customer(object{
		"email": email, "emails": []object{{"kind": "financial", "value": other}},
		"phone": "+55 11 3091-0001", "phones": []object{{"value": "+55 11 3091-0002"}},
	})
	a.wantFields("data.customer", object{
		"emails": []object{{"value": email}, {"kind": "financial", "value": other}},
		"phones": []object{{"value": "+55 11 3091-0001"}, {"value": "+55 11 3091-0002"}},
	})
}

func checkEmailOnce(p *probe) {
	email, other := unique()+"@correio.example", unique()+"@correio.example"
	lists := object{
		"emails": []object{{"value": other}, {"kind": "work", "value": email}},
		"phones": []object{{"kind": "mobile", "value": "+55 11 3091-0001"}},
	}
	_, a := p.customer(merged(lists, object{"email": email, "phone": "+55 11 3091-0001"}))
	a.wantFields("data.customer", lists)
}

// cnpj is the number of a legal entity with valid check digits.
const cnpj, maskedCNPJ = "12345678000195", "12.345.678/0001-95"

func checkDocumentType(p *probe) {
	number, letters := cpf(), letterCNPJ()
	for document, kind := range map[string]string{
		number: "cpf", maskedCPF(number): "cpf", cnpj: "cnpj", maskedCNPJ: "cnpj",
		letters: "cnpj", maskedCNPJOf(letters): "cnpj",
	} {
		path, a := p.customer(object{"document_number": document})
		a.want("data.customer.document_type", kind)
		p.delete(path).wantStatus(http.StatusOK, http.StatusNoContent)
	}
}

func checkDocumentMask(p *probe) {
	number := maskedCPF(cpf())
	path, a := p.customer(object{"document_number": number})
	a.want("data.customer.document_number", number)
	p.get(path).want("data.document_number", number)
}

func checkIDs(p *probe) {
	_, a := p.customer(nil)
	_, b := p.customer(nil)
	for _, member := range []string{"data.customer.id", "data.customer.public_id"} {
		a.wantMatch(member, uuidForm)
		b.wantMatch(member, uuidForm)
		if a.text(member) == b.text(member) {
			b.failf("%s was given to another customer before", member)
		}
	}
}

func checkTimes(p *probe) {
	path, a := p.customer(nil)
	a.wantMatch("data.customer.created_at", timeForm).wantMatch("data.customer.updated_at", timeForm)
	created := a.time("data.customer.created_at")
	b := p.patch(path, object{"notes": "depois"}).wantStatus(http.StatusOK)
	if b.time("data.updated_at").Before(a.time("data.customer.updated_at")) {
		b.failf("updated_at went back to %s", b.text("data.updated_at"))
	}
	if !b.time("data.created_at").Equal(created) {
		b.failf("created_at became %s", b.text("data.created_at"))
	}
}

func checkKinds(p *probe) {
	for _, kind := range []string{"natural", "juridical"} {
		_, a := p.customer(object{"kind": kind})
		a.want("data.customer.kind", kind)
	}
}

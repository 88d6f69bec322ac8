package claims

import (
	"net/http"
	"regexp"
	"strings"
)

func accountClaims() []Claim {
	const get = "Recurring billing §2 Billing account; wire contract: billing_accounts.get"
	const list = "Recurring billing §4 Collections; wire contract: billing_accounts.list"
	return []Claim{
		claim(131, get, "A billing account has every documented member, with a new account's values.", checkAccount),
		claim(132, get, "The account that the create returned equals the one that is read.", checkAccountAsCreated),
		claim(133, get+" (customer loaded)", "The customer is included in it, with every documented member.",
			checkAccountCustomer),
		claim(134, get+" (kind)", "The included customer's kind is individual for natural and company for juridical.",
			checkAccountCustomerKind),
		claim(135, list, "The filter customer_id returns the accounts of that customer and no others.",
			checkAccountFilterCustomer),
		claim(136, list, "The filter status excludes accounts of another status.", checkAccountFilterStatus),
		claim(137, list+" (search)",
			"search finds an account by its external_id, and no account by a word that no account contains.",
			checkAccountSearch),
		claim(138, list, "With sort_by and sort_order the accounts of a customer are returned in that order.",
			checkAccountsSorted),
		claim(139, list+" (customer loaded in every response)",
			"A listed account contains what a single read of it returns, with its customer.", checkAccountListed),
	}
}

// accountMembers are the members of a billing account in Recurring billing §2
// that are there without loading anything.
var accountMembers = []string{
	"id", "public_id", "external_id", "currency", "billing_email", "payment_terms_days",
	"auto_collection", "balance_cents", "status", "suspended_at", "suspension_reason",
	"tax_exempt", "tax_exemption_certificate", "customer_tax_type", "metadata",
	"custom_metadata", "created_at", "updated_at",
}

// embeddedMembers are the members of the customer inside a billing account in
// Recurring billing §2.
var embeddedMembers = []string{
	"id", "name", "external_id", "nickname", "legal_name", "document_type",
	"document_number", "birthday", "notes", "addresses", "phones", "emails",
	"websites", "tags", "custom_metadata", "created_at", "updated_at",
}

var currencyForm = regexp.MustCompile(`^[A-Z]{3}$`)

// account creates a customer with those fields and an account; it returns the
// response to the create and the response to reading the account.
func (p *probe) account(fields object) (created, read *response) {
	_, created = p.customer(merged(fields, object{"create_billing_account": true}))
	read = p.get(accountPath(created.text("data.billing_account.id"))).wantStatus(http.StatusOK)
	return created, read
}

func checkAccount(p *probe) {
	_, a := p.account(nil)
	a.wantPresent("data", accountMembers...)
	a.wantMatch("data.id", uuidForm).wantMatch("data.public_id", uuidForm).wantMatch("data.currency", currencyForm)
	a.wantMatch("data.created_at", timeForm).wantMatch("data.updated_at", timeForm)
	for member, wanted := range map[string]any{
		"status": "active", "balance_cents": 0, "external_id": nil, "suspended_at": nil, "suspension_reason": nil,
		"payment_terms_days": 10, "auto_collection": true,
	} {
		a.want("data."+member, wanted)
	}
	if _, ok := a.at("data.tax_exempt").(bool); !ok {
		a.failf("data.tax_exempt is %s, want true or false", show(a.at("data.tax_exempt")))
	}
}

func checkAccountAsCreated(p *probe) {
	created, read := p.account(object{"email": unique() + "@correio.example", "payment_terms_days": 21,
		"auto_collection": false})
	for _, member := range accountMembers {
		read.want("data."+member, created.at("data.billing_account."+member))
	}
}

func checkAccountCustomer(p *probe) {
	created, read := p.account(allFields(unique()))
	for _, member := range embeddedMembers {
		read.want("data.customer."+member, created.at("data.customer."+member))
	}
}

func checkAccountCustomerKind(p *probe) {
	for kind, wanted := range map[string]string{"natural": "individual", "juridical": "company"} {
		_, read := p.account(object{"kind": kind})
		read.want("data.customer.kind", wanted)
	}
}

func checkAccountFilterCustomer(p *probe) {
	first, _ := p.account(nil)
	p.account(nil)
	a := p.get(accountsPath, "customer_id", first.text("data.customer.id")).wantStatus(http.StatusOK)
	a.want("meta.total", 1).want("data.0.id", first.text("data.billing_account.id"))
	p.get(accountsPath, "customer_id", nobody).wantStatus(http.StatusOK).want("meta.total", 0)
}

func checkAccountFilterStatus(p *probe) {
	first, _ := p.account(nil)
	id := first.text("data.customer.id")
	p.get(accountsPath, "customer_id", id, "status", "active").wantStatus(http.StatusOK).want("meta.total", 1)
	p.get(accountsPath, "customer_id", id, "status", "closed").wantStatus(http.StatusOK).want("meta.total", 0)
}

func checkAccountSearch(p *probe) {
	word := unique()
	customer, _ := p.customer(nil)
	p.openAccount(object{"customer": object{"id": strings.TrimPrefix(customer, customersPath+"/")}, "external_id": word})
	p.get(accountsPath, "search", word).wantStatus(http.StatusOK).want("meta.total", 1).want("data.0.external_id", word)
	p.get(accountsPath, "search", unique()).wantStatus(http.StatusOK).want("meta.total", 0)
}

func checkAccountsSorted(p *probe) {
	word := unique()
	path, _ := p.customer(nil)
	customer := strings.TrimPrefix(path, customersPath+"/")
	for _, last := range []string{"-b", "-a"} {
		p.openAccount(object{"customer": object{"id": customer}, "external_id": word + last})
	}
	for order, first := range map[string]string{"asc": "-a", "desc": "-b"} {
		p.get(accountsPath, "customer_id", customer, "sort_by", "external_id", "sort_order", order, "per_page", "1").
			wantStatus(http.StatusOK).want("meta.total", 2).want("data.0.external_id", word+first)
	}
}

func checkAccountListed(p *probe) {
	created, read := p.account(allFields(unique()))
	listed := p.get(accountsPath, "customer_id", created.text("data.customer.id")).wantStatus(http.StatusOK)
	read.want("data", listed.at("data.0"))
}

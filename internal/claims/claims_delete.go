package claims

import "net/http"

func deleteClaims() []Claim {
	return []Claim{
		claim(121, "Recurring billing §2 Envelopes; wire contract: customers.delete",
			"Deleting a customer returns 200 and {data: {deleted: true}}.", checkDelete),
		claim(122, "Recurring billing §7 Errors; wire contract: customers.delete",
			"A deleted customer returns 404 to a read, an update and a second delete.", checkDeleted),
		claim(123, "Wire contract: customers.list, customers.delete", "A deleted customer does not appear in any list.",
			checkDeletedUnlisted),
		claim(124, "Wire contract: customers.create (external_id of a deleted object)",
			"The external_id of a deleted customer can be used again.", checkExternalIDFree),
		claim(125, "Wire contract: customers.delete, billing_accounts.get",
			"The billing accounts of a deleted customer can still be read, with status closed.", checkAccountClosed),
	}
}

func checkDelete(p *probe) {
	path, _ := p.customer(nil)
	p.delete(path).wantStatus(http.StatusOK).want("", object{"data": object{"deleted": true}})
}

func checkDeleted(p *probe) {
	path, _ := p.customer(nil)
	p.delete(path)
	p.get(path).wantStatus(http.StatusNotFound).wantError("")
	p.patch(path, object{"notes": "depois"}).wantStatus(http.StatusNotFound).wantError("")
	p.delete(path).wantStatus(http.StatusNotFound).wantError("")
}

func checkDeletedUnlisted(p *probe) {
	word := unique()
	path, _ := p.customer(object{"name": word, "external_id": word})
	p.get(customersPath, "search", word).want("meta.total", 1)
	p.delete(path)
	p.get(customersPath, "search", word).want("meta.total", 0).want("data", []any{})
	p.get(customersPath, "external_id", word).want("meta.total", 0).want("data", []any{})
}

func checkExternalIDFree(p *probe) {
	word := unique()
	path, _ := p.customer(object{"external_id": word})
	p.delete(path)
	again, _ := p.customer(object{"external_id": word})
	if p.err == nil && again == path {
		p.failf("the new customer has the path of the deleted one, %s", path)
	}
}

func checkAccountClosed(p *probe) {
	path, a := p.customer(object{"create_billing_account": true})
	account := accountPath(a.text("data.billing_account.id"))
	p.get(account).wantStatus(http.StatusOK).want("data.status", "active")
	p.delete(path)
	p.get(account).wantStatus(http.StatusOK).want("data.status", "closed")
}

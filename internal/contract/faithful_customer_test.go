package contract_test

import (
	"maps"
	"net/http"
	"slices"
)

func (f *faithful) customer(method, id string, sent object) reply {
	customer, _ := find(f.customers, id)
	switch {
	case id != "" && customer == nil:
		return notFound
	case method == http.MethodDelete:
		return f.delete(id)
	}
	if wrong := validate(sent, id == ""); len(wrong) > 0 {
		return invalid(wrong)
	}
	if answer, is := taken(f.customers, sent, id); is {
		return answer
	}
	if id == "" {
		return f.create(sent)
	}
	f.change(customer, sent)
	return ok(customer)
}

// create makes a customer, and an account with it unless none is wanted.
func (f *faithful) create(sent object) reply {
	customer := f.newCustomer(sent)
	body := object{"customer": customer, "billing_account": nil}
	if wanted, ok := sent["create_billing_account"]; !ok || wanted == true {
		body["billing_account"] = f.open(customer, sent)
	}
	return reply{status: http.StatusCreated, body: object{"data": body}}
}

func (f *faithful) newCustomer(sent object) object {
	customer := object{"id": newUUID(), "public_id": newUUID(), "metadata": object{}, "created_at": f.moment()}
	for _, field := range slices.Concat(textFields, []string{"name", "kind", "birthday"}) {
		customer[field] = nil
	}
	for _, field := range listFields {
		customer[field] = []any{}
	}
	customer["custom_metadata"], customer["document_type"] = object{}, nil
	f.change(customer, sent)
	f.customers = append(f.customers, customer)
	return customer
}

// change writes valid fields into a customer and into its accounts' copies of it.
func (f *faithful) change(customer, sent object) {
	change(customer, sent, f.moment())
	for _, account := range f.accounts {
		if at(account, "customer.id") == customer["id"] {
			account["customer"] = embed(customer)
		}
	}
}

func (f *faithful) open(customer, sent object) object {
	account := object{
		"id": newUUID(), "public_id": newUUID(), "external_id": nil, "currency": "BRL", "billing_email": sent["email"],
		"payment_terms_days": 10, "auto_collection": true, "balance_cents": 0, "status": "active", "suspended_at": nil,
		"suspension_reason": nil, "tax_exempt": false, "tax_exemption_certificate": nil, "customer_tax_type": nil,
		"metadata": object{}, "custom_metadata": object{}, "created_at": f.moment(), "updated_at": f.moment(),
	}
	for _, field := range []string{"billing_email", "payment_terms_days", "auto_collection"} {
		if value, ok := sent[field]; ok {
			account[field] = value
		}
	}
	account["customer"] = embed(customer)
	f.accounts = append(f.accounts, account)
	return account
}

// embed is the customer as it stands in an account.
func embed(customer object) object {
	embedded := maps.Clone(customer)
	if kind, ok := map[any]string{"natural": "individual", "juridical": "company"}[customer["kind"]]; ok {
		embedded["kind"] = kind
	}
	return embedded
}

// delete takes a customer away and closes its accounts.
func (f *faithful) delete(id string) reply {
	var own []object
	for _, account := range f.accounts {
		if at(account, "customer.id") == id {
			own = append(own, account)
		}
	}
	for _, subscription := range f.subscriptions {
		if account, _ := find(own, subscription["billing_account_id"]); account != nil && subscription["status"] != "canceled" {
			return reply{status: http.StatusUnprocessableEntity, err: "customer_has_active_subscriptions"}
		}
	}
	_, i := find(f.customers, id)
	f.customers = slices.Delete(f.customers, i, i+1)
	for _, account := range own {
		account["status"] = "closed"
	}
	return ok(object{"deleted": true})
}

package sandbox

import (
	"net/http"
	"reflect"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/store"
)

// listCustomers serves customers.list.
func listCustomers(c *call, tx *store.Tx) (reply, error) {
	since, err := c.since()
	if err != nil {
		return reply{}, err
	}
	found := []customer{}
	for id, row := range c.server.customers.All(tx) {
		u := row.Customer
		if row.Deleted || row.Organization != c.organization || !c.server.lag.shows(id) {
			continue
		}
		if u.UpdatedAt.Before(since) ||
			!c.filter("search", u.matches) ||
			!c.filter("external_id", func(want string) bool { return is(u.ExternalID, want) }) ||
			!c.filter("document_number", u.hasDocument) {
			continue
		}
		found = append(found, u)
	}
	return list(c, found)
}

// hasDocument compares without mask and case.
func (u customer) hasDocument(number string) bool {
	return u.DocumentNumber != nil && plainDocument(*u.DocumentNumber) == plainDocument(number)
}

// getCustomer serves customers.get.
func getCustomer(c *call, tx *store.Tx) (reply, error) {
	row, err := c.findCustomer(tx)
	if err != nil {
		return reply{}, err
	}
	return c.single(http.StatusOK, row.Customer, row.Customer.UpdatedAt.Time), nil
}

// createCustomer serves customers.create: a customer and, unless told not to,
// its billing account.
func createCustomer(c *call, tx *store.Tx) (reply, error) {
	var in customerInput
	sent, err := c.readObject(customerCreateShape, []string{"name"}, &in)
	if err != nil {
		return reply{}, err
	}
	if err := claimExternalID(c, tx, c.server.customerCodes, in.ExternalID, ""); err != nil {
		return reply{}, err
	}
	u := c.addCustomer(tx, in, sent).Customer

	answer := struct {
		Customer       customer        `json:"customer"`
		BillingAccount *billingAccount `json:"billing_account"`
	}{Customer: u}
	if in.CreateBillingAccount == nil || *in.CreateBillingAccount {
		account := c.loaded(tx, c.openAccount(tx, u, in.accountInput()), c.server.options.Tolerance.LeanAccounts)
		answer.BillingAccount = &account
	}
	return c.single(http.StatusCreated, answer, u.UpdatedAt.Time), nil
}

// addCustomer makes a customer of the fields that were sent.
func (c *call) addCustomer(tx *store.Tx, in customerInput, sent map[string]any) customerRow {
	u := in.apply(customer{
		ID:             c.server.source.uuid(),
		PublicID:       c.server.source.uuid(),
		Metadata:       object{},
		CustomMetadata: in.CustomMetadata,
		CreatedAt:      instant{c.now},
		UpdatedAt:      instant{c.now},
	}, sent)
	row := customerRow{Organization: c.organization, Customer: u}
	c.server.customers.Put(tx, u.ID, row)
	c.server.lag.hide(u.ID)
	return row
}

// updateCustomer serves customers.update.
func updateCustomer(c *call, tx *store.Tx) (reply, error) {
	row, err := c.findCustomer(tx)
	if err != nil {
		return reply{}, err
	}
	var in customerInput
	sent, err := c.readObject(customerUpdateShape, nil, &in)
	if err != nil {
		return reply{}, err
	}
	if err := claimExternalID(c, tx, c.server.customerCodes, in.ExternalID, row.Customer.ID); err != nil {
		return reply{}, err
	}
	changed := in.apply(row.Customer, sent)
	changed.CustomMetadata = c.metadata(changed.CustomMetadata, in.CustomMetadata, in.CustomMetadataMode)
	changed = c.changeCustomer(tx, row, changed)
	return c.single(http.StatusOK, changed, changed.UpdatedAt.Time), nil
}

// changeCustomer makes the changed customer stand and answers it.
func (c *call) changeCustomer(tx *store.Tx, row customerRow, changed customer) customer {
	if !reflect.DeepEqual(changed, row.Customer) {
		changed.UpdatedAt = changed.UpdatedAt.after(c.now)
		row.Customer = changed
		c.server.customers.Put(tx, changed.ID, row)
	}
	return changed
}

// deleteCustomer serves customers.delete: refused while a subscription is not
// canceled, otherwise the billing accounts are closed with the customer
// (wire contract: deleting a customer).
func deleteCustomer(c *call, tx *store.Tx) (reply, error) {
	row, err := c.findCustomer(tx)
	if err != nil {
		return reply{}, err
	}
	if c.hasLiveSubscription(tx, row.Customer.ID) {
		return reply{}, errActiveSubscriptions
	}
	c.closeAccounts(tx, row.Customer.ID)
	row.Deleted = true
	c.server.customers.Put(tx, row.Customer.ID, row)
	return c.deleted(), nil
}

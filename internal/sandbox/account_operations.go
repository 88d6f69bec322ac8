package sandbox

import (
	"net/http"
	"reflect"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/store"
)

// getAccount serves billing_accounts.get.
func getAccount(c *call, tx *store.Tx) (reply, error) {
	row, err := c.findAccount(tx)
	if err != nil {
		return reply{}, err
	}
	account := c.loaded(tx, row, false)
	return c.single(http.StatusOK, account, account.modified()), nil
}

// listAccounts serves billing_accounts.list.
func listAccounts(c *call, tx *store.Tx) (reply, error) {
	since, err := c.since()
	if err != nil {
		return reply{}, err
	}
	found := []billingAccount{}
	for id, row := range c.server.accounts.All(tx) {
		if row.Organization != c.organization || !c.server.lag.shows(id) {
			continue
		}
		if row.Account.UpdatedAt.Before(since) ||
			!c.filter("external_id", func(want string) bool { return is(row.Account.ExternalID, want) }) ||
			!c.filter("customer_id", func(want string) bool { return row.CustomerID == canonicalID(want) }) ||
			!c.filter("status", func(want string) bool { return row.Account.Status == want }) {
			continue
		}
		found = append(found, c.loaded(tx, row, c.server.options.Tolerance.LeanAccounts))
	}
	return list(c, found)
}

// createAccount serves billing_accounts.create: an account of an existing
// customer, or of a new one.
func createAccount(c *call, tx *store.Tx) (reply, error) {
	var in accountInput
	sent, err := c.readObject(accountCreateShape, []string{"customer"}, &in)
	if err != nil {
		return reply{}, err
	}
	if err := claimExternalID(c, tx, c.server.accountCodes, in.ExternalID, ""); err != nil {
		return reply{}, err
	}
	owner, found, err := c.locate(tx, in.Customer)
	if err != nil {
		return reply{}, err
	}
	if !found {
		described, _ := sent["customer"].(map[string]any)
		if owner, err = c.newCustomer(tx, in.Customer, described); err != nil {
			return reply{}, err
		}
	}
	switch {
	case in.BillingEmail != nil:
	case !found && in.Customer.Email != nil:
		in.BillingEmail = in.Customer.Email
	case len(owner.Customer.Emails) > 0:
		in.BillingEmail = &owner.Customer.Emails[0].Value
	}
	account := c.loaded(tx, c.openAccount(tx, owner.Customer, in), false)
	return c.single(http.StatusCreated, account, account.modified()), nil
}

// newCustomer makes the customer that a reference describes and nothing has.
func (c *call) newCustomer(tx *store.Tx, r reference, sent map[string]any) (customerRow, error) {
	if r.Name == "" {
		return customerRow{}, invalid(problems{"customer.name": "is required for a new customer"})
	}
	r.Kind = customerKind(r.Kind)
	return c.addCustomer(tx, r.customerInput, sent), nil
}

// openAccount makes an account. What the input leaves out has its default
// (service description, Recurring billing §4 Billing account create).
func (c *call) openAccount(tx *store.Tx, owner customer, in accountInput) accountRow {
	account := in.apply(c, billingAccount{
		ID:               c.server.source.uuid(),
		PublicID:         c.server.source.uuid(),
		ExternalID:       in.ExternalID,
		Currency:         defaultCurrency,
		PaymentTermsDays: defaultPaymentTerms,
		AutoCollection:   true,
		Status:           accountActive,
		Metadata:         object{},
		CreatedAt:        instant{c.now},
		UpdatedAt:        instant{c.now},
	}, nil)
	row := accountRow{Organization: c.organization, CustomerID: owner.ID, Account: account}
	c.server.accounts.Put(tx, account.ID, row)
	c.server.lag.hide(account.ID)
	return row
}

// updateAccount serves billing_accounts.update, which changes the account's
// customer too.
func updateAccount(c *call, tx *store.Tx) (reply, error) {
	row, err := c.findAccount(tx)
	if err != nil {
		return reply{}, err
	}
	var in accountInput
	sent, err := c.readObject(accountUpdateShape, nil, &in)
	if err != nil {
		return reply{}, err
	}
	if row.Account.Status == accountClosed {
		return reply{}, errTransition.with("The billing account is closed.")
	}
	if err := claimExternalID(c, tx, c.server.accountCodes, in.ExternalID, row.Account.ID); err != nil {
		return reply{}, err
	}
	changed := in.apply(c, row.Account, sent)
	if owner, ok := c.server.customers.Get(tx, row.CustomerID); ok {
		after := c.changeCustomer(tx, owner, in.applyToCustomer(owner.Customer))
		if after.UpdatedAt != owner.Customer.UpdatedAt {
			changed.UpdatedAt = changed.UpdatedAt.after(c.now)
		}
	}
	return c.changeAccount(tx, row, changed), nil
}

// changeAccount makes the changed account stand and answers it.
func (c *call) changeAccount(tx *store.Tx, row accountRow, changed billingAccount) reply {
	if !reflect.DeepEqual(changed, row.Account) {
		changed.UpdatedAt = row.Account.UpdatedAt.after(c.now)
		row.Account = changed
		c.server.accounts.Put(tx, changed.ID, row)
	}
	account := c.loaded(tx, row, c.server.options.Tolerance.LeanAccounts)
	return c.single(http.StatusOK, account, account.modified())
}

// deleteAccount serves billing_accounts.delete. It is refused while a
// subscription would be left without an account; the contract does not say so,
// but what is deleted is deleted with all that hangs on it, or not at all.
func deleteAccount(c *call, tx *store.Tx) (reply, error) {
	row, err := c.findAccount(tx)
	if err != nil {
		return reply{}, err
	}
	if c.isSubscribed(tx, row.Account.ID) {
		return reply{}, errAccountSubscribed
	}
	c.server.accounts.Delete(tx, row.Account.ID)
	return c.deleted(), nil
}

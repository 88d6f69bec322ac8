package billing

import (
	"net/http"
	"reflect"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/server"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/store"
)

// getAccount serves billing_accounts.get.
func (s *Service) getAccount(c *server.Call, tx *store.Tx) (server.Reply, error) {
	row, err := s.findAccount(c, tx)
	if err != nil {
		return server.Reply{}, err
	}
	account := s.loaded(c, tx, row, false)
	return c.Single(http.StatusOK, account, account.modified()), nil
}

// listAccounts serves billing_accounts.list.
func (s *Service) listAccounts(c *server.Call, tx *store.Tx) (server.Reply, error) {
	since, err := c.Since()
	if err != nil {
		return server.Reply{}, err
	}
	found := []billingAccount{}
	for _, row := range s.Accounts.All(tx) {
		if row.Organization != c.Organization {
			continue
		}
		if row.Account.UpdatedAt.Before(since) ||
			!c.Filter("external_id", func(want string) bool { return is(row.Account.ExternalID, want) }) ||
			!c.FilterID("customer_id", row.CustomerID) ||
			!c.Filter("status", func(want string) bool { return row.Account.Status == want }) ||
			!c.Filter("search", func(text string) bool { return s.accountHolds(tx, row, text) }) {
			continue
		}
		found = append(found, s.loaded(c, tx, row, c.Tolerance.LeanAccounts))
	}
	return server.List(c, found)
}

// accountHolds is the free-text search: a part of the external_id, the billing_email, or the customer's name.
func (s *Service) accountHolds(tx *store.Tx, row AccountRow, search string) bool {
	owner, _ := s.Customers.Get(tx, row.CustomerID)
	return anyHolds(search, row.Account.ExternalID, row.Account.BillingEmail, &owner.Customer.Name)
}

// createAccount serves billing_accounts.create: an account of an existing
// customer, or of a new one.
func (s *Service) createAccount(c *server.Call, tx *store.Tx) (server.Reply, error) {
	var in accountInput
	sent, err := c.ReadObject(accountCreateShape, []string{"customer"}, &in)
	if err != nil {
		return server.Reply{}, err
	}
	if err := claimExternalID(c, tx, s.accountCodes, in.ExternalID, ""); err != nil {
		return server.Reply{}, err
	}
	owner, found, err := s.locate(c, tx, in.Customer)
	if err != nil {
		return server.Reply{}, err
	}
	if !found {
		described, _ := sent["customer"].(map[string]any)
		if owner, err = s.newCustomer(c, tx, in.Customer, described); err != nil {
			return server.Reply{}, err
		}
	}
	switch {
	case in.BillingEmail != nil:
	case !found && in.Customer.Email != nil:
		in.BillingEmail = in.Customer.Email
	case len(owner.Customer.Emails) > 0:
		in.BillingEmail = &owner.Customer.Emails[0].Value
	}
	account := s.loaded(c, tx, s.openAccount(c, tx, owner.Customer, in), false)
	return c.Single(http.StatusCreated, account, account.modified()), nil
}

// newCustomer creates the customer that a reference describes and that does not exist yet.
func (s *Service) newCustomer(c *server.Call, tx *store.Tx, r reference, sent map[string]any) (CustomerRow, error) {
	if r.Name == "" {
		return CustomerRow{}, server.Invalid(server.Problems{"customer.name": "is required for a new customer"})
	}
	r.Kind = customerKind(r.Kind)
	return s.addCustomer(c, tx, r.customerInput, sent), nil
}

// openAccount creates an account. What the input leaves out has its default
// (service description, Recurring billing §4 Billing account create).
func (s *Service) openAccount(c *server.Call, tx *store.Tx, owner customer, in accountInput) AccountRow {
	account := in.apply(c, billingAccount{
		ID:               s.Source.UUID(),
		PublicID:         s.Source.UUID(),
		ExternalID:       in.ExternalID,
		Currency:         defaultCurrency,
		PaymentTermsDays: defaultPaymentTerms,
		AutoCollection:   true,
		Status:           accountActive,
		Metadata:         object{},
		CreatedAt:        server.Timestamp{Time: c.Now},
		UpdatedAt:        server.Timestamp{Time: c.Now},
	}, nil)
	row := AccountRow{Organization: c.Organization, CustomerID: owner.ID, Account: account}
	s.Accounts.Put(tx, account.ID, row)
	s.noteWriter(c, tx, account.ID, nil, account.CustomMetadata)
	return row
}

// updateAccount serves billing_accounts.update, which changes the account's
// customer too.
func (s *Service) updateAccount(c *server.Call, tx *store.Tx) (server.Reply, error) {
	row, err := s.findAccount(c, tx)
	if err != nil {
		return server.Reply{}, err
	}
	var in accountInput
	sent, err := c.ReadObject(accountUpdateShape, nil, &in)
	if err != nil {
		return server.Reply{}, err
	}
	if row.Account.Status == AccountClosed {
		return server.Reply{}, errTransition.With("The billing account is closed.")
	}
	if err := claimExternalID(c, tx, s.accountCodes, in.ExternalID, row.Account.ID); err != nil {
		return server.Reply{}, err
	}
	changed := in.apply(c, row.Account, sent)
	if owner, ok := s.Customers.Get(tx, row.CustomerID); ok {
		after := s.changeCustomer(c, tx, owner, in.applyToCustomer(owner.Customer))
		if after.UpdatedAt != owner.Customer.UpdatedAt {
			changed.UpdatedAt = changed.UpdatedAt.Next(c.Now)
		}
	}
	return s.changeAccount(c, tx, row, changed), nil
}

// changeAccount stores the changed account and returns it.
func (s *Service) changeAccount(c *server.Call, tx *store.Tx, row AccountRow, changed billingAccount) server.Reply {
	if !reflect.DeepEqual(changed, row.Account) {
		s.noteWriter(c, tx, changed.ID, row.Account.CustomMetadata, changed.CustomMetadata)
		changed.UpdatedAt = row.Account.UpdatedAt.Next(c.Now)
		row.Account = changed
		s.Accounts.Put(tx, changed.ID, row)
	}
	account := s.loaded(c, tx, row, c.Tolerance.LeanAccounts)
	return c.Single(http.StatusOK, account, account.modified())
}

// deleteAccount serves billing_accounts.delete. It is rejected while a
// subscription would be left without an account; the contract does not say so,
// but an object is deleted with everything that depends on it, or not at all.
func (s *Service) deleteAccount(c *server.Call, tx *store.Tx) (server.Reply, error) {
	row, err := s.findAccount(c, tx)
	if err != nil {
		return server.Reply{}, err
	}
	if s.isSubscribed(c, tx, row.Account.ID) {
		return server.Reply{}, errAccountSubscribed
	}
	s.Accounts.Delete(tx, row.Account.ID)
	return c.Deleted(), nil
}

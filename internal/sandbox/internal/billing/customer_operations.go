package billing

import (
	"net/http"
	"reflect"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/server"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/store"
)

// listCustomers serves customers.list.
func (s *Service) listCustomers(c *server.Call, tx *store.Tx) (server.Reply, error) {
	since, err := c.Since()
	if err != nil {
		return server.Reply{}, err
	}
	found := []customer{}
	for _, row := range s.Customers.All(tx) {
		u := row.Customer
		if row.Deleted || row.Organization != c.Organization {
			continue
		}
		if u.UpdatedAt.Before(since) ||
			!c.Filter("search", u.matches) ||
			!c.Filter("external_id", func(want string) bool { return is(u.ExternalID, want) }) ||
			!c.Filter("document_number", u.hasDocument) {
			continue
		}
		found = append(found, u)
	}
	return server.List(c, found)
}

// hasDocument compares without mask and case.
func (u customer) hasDocument(number string) bool {
	return u.DocumentNumber != nil && plainDocument(*u.DocumentNumber) == plainDocument(number)
}

// getCustomer serves customers.get.
func (s *Service) getCustomer(c *server.Call, tx *store.Tx) (server.Reply, error) {
	row, err := s.findCustomer(c, tx)
	if err != nil {
		return server.Reply{}, err
	}
	return c.Single(http.StatusOK, row.Customer, row.Customer.UpdatedAt.Time), nil
}

// createCustomer serves customers.create: a customer and, unless the request says otherwise,
// its billing account.
func (s *Service) createCustomer(c *server.Call, tx *store.Tx) (server.Reply, error) {
	var in customerInput
	sent, err := c.ReadObject(customerCreateShape, []string{"name"}, &in)
	if err != nil {
		return server.Reply{}, err
	}
	if err := claimExternalID(c, tx, s.customerCodes, in.ExternalID, ""); err != nil {
		return server.Reply{}, err
	}
	u := s.addCustomer(c, tx, in, sent).Customer

	response := struct {
		Customer       customer        `json:"customer"`
		BillingAccount *billingAccount `json:"billing_account"`
	}{Customer: u}
	if in.CreateBillingAccount == nil || *in.CreateBillingAccount {
		account := s.loaded(c, tx, s.openAccount(c, tx, u, in.accountInput()), c.Tolerance.LeanAccounts)
		response.BillingAccount = &account
	}
	return c.Single(http.StatusCreated, response, u.UpdatedAt.Time), nil
}

// addCustomer creates a customer of the fields that were sent.
func (s *Service) addCustomer(c *server.Call, tx *store.Tx, in customerInput, sent map[string]any) CustomerRow {
	u := in.apply(customer{
		ID:             s.Source.UUID(),
		PublicID:       s.Source.UUID(),
		Metadata:       object{},
		CustomMetadata: in.CustomMetadata,
		CreatedAt:      server.Timestamp{Time: c.Now},
		UpdatedAt:      server.Timestamp{Time: c.Now},
	}, sent)
	row := CustomerRow{Organization: c.Organization, Customer: u}
	s.Customers.Put(tx, u.ID, row)
	s.noteWriter(c, tx, u.ID, nil, u.CustomMetadata)
	return row
}

// updateCustomer serves customers.update.
func (s *Service) updateCustomer(c *server.Call, tx *store.Tx) (server.Reply, error) {
	row, err := s.findCustomer(c, tx)
	if err != nil {
		return server.Reply{}, err
	}
	var in customerInput
	sent, err := c.ReadObject(customerUpdateShape, nil, &in)
	if err != nil {
		return server.Reply{}, err
	}
	if err := claimExternalID(c, tx, s.customerCodes, in.ExternalID, row.Customer.ID); err != nil {
		return server.Reply{}, err
	}
	changed := in.apply(row.Customer, sent)
	changed.CustomMetadata = updatedMetadata(c, changed.CustomMetadata, in.CustomMetadata, in.CustomMetadataMode)
	changed = s.changeCustomer(c, tx, row, changed)
	return c.Single(http.StatusOK, changed, changed.UpdatedAt.Time), nil
}

// changeCustomer stores the changed customer and returns it.
func (s *Service) changeCustomer(c *server.Call, tx *store.Tx, row CustomerRow, changed customer) customer {
	if !reflect.DeepEqual(changed, row.Customer) {
		s.noteWriter(c, tx, changed.ID, row.Customer.CustomMetadata, changed.CustomMetadata)
		changed.UpdatedAt = changed.UpdatedAt.Next(c.Now)
		row.Customer = changed
		s.Customers.Put(tx, changed.ID, row)
	}
	return changed
}

// deleteCustomer serves customers.delete: rejected while a subscription is not
// canceled, otherwise the billing accounts are closed with the customer
// (wire contract: deleting a customer).
func (s *Service) deleteCustomer(c *server.Call, tx *store.Tx) (server.Reply, error) {
	row, err := s.findCustomer(c, tx)
	if err != nil {
		return server.Reply{}, err
	}
	if s.hasLiveSubscription(c, tx, row.Customer.ID) {
		return server.Reply{}, errActiveSubscriptions
	}
	s.closeAccounts(c, tx, row.Customer.ID)
	row.Deleted = true
	s.Customers.Put(tx, row.Customer.ID, row)
	return c.Deleted(), nil
}

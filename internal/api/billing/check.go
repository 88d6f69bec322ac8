package billing

import "errors"

var (
	errNoCustomerID     = errors.New("the response contains no customer with an id")
	errNoAccountID      = errors.New("the response contains no billing account with an id")
	errNoSubscriptionID = errors.New("the response contains no subscription with an id")
	errNoOrganizationID = errors.New("the response contains no organization with an id")
)

// Check rejects a response without the fields that the provider cannot do without, such as the id.
func (c *Customer) Check() error { return present(c.ID, errNoCustomerID) }

// Check rejects a response without the fields that the provider cannot do without, such as the id.
func (c *CustomerCreated) Check() error { return present(c.Customer.ID, errNoCustomerID) }

// Check rejects a response without the fields that the provider cannot do without, such as the id.
func (a *BillingAccount) Check() error { return present(a.ID, errNoAccountID) }

// Check rejects a response without the fields that the provider cannot do without, such as the id.
func (s *Subscription) Check() error { return present(s.ID, errNoSubscriptionID) }

// Check rejects a response without the fields that the provider cannot do without, such as the id.
func (o *Organization) Check() error { return present(o.ID, errNoOrganizationID) }

func present(id string, missing error) error {
	if id == "" {
		return missing
	}
	return nil
}

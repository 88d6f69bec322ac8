package billingaccount

import (
	"context"
	"slices"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/billing"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/same"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/contact"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/fwtype"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/run"
)

// customerTypeName is the resource type of customers.
const customerTypeName = "billing_customer"

// whose says which customer the argument customer means.
type whose int

const (
	// hers is the customer that the account has.
	hers whose = iota
	// another is another customer, which exists or is created in the same run.
	another
	// nobody: no customer has the reference.
	nobody
	// open is only known after apply.
	open
)

// reference finds out which customer the argument customer of an existing account means. A customer may change its
// codes, in the same run or elsewhere, and is still the same customer: only a reference that leads to another one means
// another one.
type reference struct {
	// client is asked for only where the service has to be.
	client func() (*billing.Service, bool)
	run    *run.Record
	// has is the customer that the account has, planned is what its plan in the same run makes of it.
	has     facts
	planned contact.Planned
}

// of decides for the argument c, where the state has before. It asks the service only when it has to.
func (r reference) of(ctx context.Context, c, before customer) (whose, error) {
	switch {
	case c.sameReference(before):
		return hers, nil
	case c.ID.IsUnknown():
		return open, nil
	case !c.ID.IsNull():
		return r.byID(ctx, c.ID.ValueString())
	case c.refers():
		return r.byCodes(ctx, c)
	case !before.refers():
		return hers, nil // the data of a new customer describes this account's, also when it changes
	case c.Name.IsUnknown():
		return open, nil
	case c.Name.ValueString() == r.has.Name || c.Name.Equal(r.planned.Name):
		return hers, nil
	default:
		return another, nil
	}
}

// byID locates a customer by an id, which may be an external code too.
func (r reference) byID(ctx context.Context, id string) (whose, error) {
	if same.ID(id, r.has.ID) || r.hasExternalID(id) {
		return hers, nil
	}
	if same.IsUUID(id) {
		client, ready := r.client()
		if !ready {
			return open, nil
		}
		found, err := client.GetCustomer(ctx, id)
		if err == nil {
			return r.among([]billing.Customer{*found}), nil
		}
		if !api.IsNotFound(err) {
			return open, err
		}
	}
	return r.find(ctx, billing.CustomerQuery{ExternalID: id}, contact.ByExternalID(id))
}

// byCodes locates a customer as the service does: by the external code, then by the tax number.
func (r reference) byCodes(ctx context.Context, c customer) (whose, error) {
	if c.ExternalID.IsUnknown() {
		return open, nil
	}
	if code := c.ExternalID.ValueString(); code != "" {
		if r.hasExternalID(code) {
			return hers, nil
		}
		found, err := r.find(ctx, billing.CustomerQuery{ExternalID: code}, contact.ByExternalID(code))
		if found != nobody || err != nil {
			return found, err
		}
	}
	switch number := c.DocumentNumber; {
	case number.IsUnknown():
		return open, nil
	case number.IsNull():
		return nobody, nil
	case number.Means(fwtype.DocumentPointer(&r.has.DocumentNumber)) || number.Means(r.planned.DocumentNumber):
		return hers, nil
	default:
		return r.find(ctx, billing.CustomerQuery{DocumentNumber: number.ValueString()},
			contact.ByDocument(same.PlainDocument(number.ValueString())))
	}
}

func (r reference) hasExternalID(code string) bool {
	return code == r.has.ExternalID || code == r.planned.ExternalID.ValueString()
}

// find asks for the customers that a query finds, and for the one that the run is about to create under the code.
func (r reference) find(ctx context.Context, query billing.CustomerQuery, code string) (whose, error) {
	client, ready := r.client()
	if !ready {
		return open, nil
	}
	found, err := client.FindCustomers(ctx, query)
	if err != nil {
		return open, err
	}
	if _, created := run.Noted[contact.Created](r.run, customerTypeName, code); created && len(found) == 0 {
		return another, nil
	}
	return r.among(found), nil
}

func (r reference) among(found []billing.Customer) whose {
	switch {
	case len(found) == 0:
		return nobody
	case slices.ContainsFunc(found, func(c billing.Customer) bool { return same.ID(c.ID, r.has.ID) }):
		return hers
	default:
		return another
	}
}

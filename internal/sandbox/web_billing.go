package sandbox

import (
	"cmp"
	"iter"
	"maps"
	"slices"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/page"
)

// viewOrganizations are all organizations, the oldest first.
func (v viewer) viewOrganizations() []page.Organization {
	rows := slices.SortedFunc(maps.Values(maps.Collect(v.organizations.All(v.tx))), func(a, b Organization) int {
		return cmp.Or(a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(a.ID, b.ID))
	})
	shown := make([]page.Organization, len(rows))
	for i, row := range rows {
		shown[i] = page.Organization{ID: row.ID, Name: row.Name}
	}
	return shown
}

// liveCustomers are those that the operations see.
func (v viewer) liveCustomers() iter.Seq2[string, customerRow] {
	return func(yield func(string, customerRow) bool) {
		for id, row := range v.customers.All(v.tx) {
			if !row.Deleted && !yield(id, row) {
				return
			}
		}
	}
}

func (r customerRow) age() (time.Time, int64) { return r.Customer.CreatedAt.Time, 0 }

func (v viewer) viewCustomer(row customerRow) page.Customer {
	shown := page.Customer{
		Organization: row.Organization, ID: row.Customer.ID, Name: row.Customer.Name,
		ExternalID: textOf(row.Customer.ExternalID), Document: textOf(row.Customer.DocumentNumber),
		Created: row.Customer.CreatedAt.Time,
	}
	if len(row.Customer.Emails) > 0 {
		shown.Email = row.Customer.Emails[0].Value
	}
	shown.Accounts = newest(v.accountsOf.All(v.tx, row.Customer.ID), shownObjects, v.viewAccount).Shown
	return shown
}

func (r accountRow) age() (time.Time, int64) { return r.Account.CreatedAt.Time, 0 }

func (v viewer) viewAccount(row accountRow) page.Account {
	account := row.Account
	return page.Account{
		Organization: row.Organization, ID: account.ID, ExternalID: textOf(account.ExternalID),
		Customer: v.payer(row), Status: account.Status, Reason: textOf(account.SuspensionReason),
		Balance: amountOf(&account.BalanceCents, account.Currency), Email: textOf(account.BillingEmail),
		TermsDays: account.PaymentTermsDays, Created: account.CreatedAt.Time,
	}
}

// payer is the name of an account's customer, who stays known when deleted.
func (v viewer) payer(row accountRow) string {
	owner, _ := v.customers.Get(v.tx, row.CustomerID)
	return owner.Customer.Name
}

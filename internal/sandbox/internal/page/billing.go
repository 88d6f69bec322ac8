package page

import (
	"cmp"
	"iter"
	"maps"
	"slices"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/billing"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/server"
)

// viewOrganizations are all organizations, the oldest first.
func (v viewer) viewOrganizations() []Organization {
	all := maps.Values(maps.Collect(v.Billing.Organizations.All(v.tx)))
	rows := slices.SortedFunc(all, func(a, b server.Organization) int {
		return cmp.Or(a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(a.ID, b.ID))
	})
	shown := make([]Organization, len(rows))
	for i, row := range rows {
		shown[i] = Organization{ID: row.ID, Name: row.Name}
	}
	return shown
}

// liveCustomers are those that the operations see.
func (v viewer) liveCustomers() iter.Seq2[string, billing.CustomerRow] {
	return func(yield func(string, billing.CustomerRow) bool) {
		for id, row := range v.Billing.Customers.All(v.tx) {
			if !row.Deleted && !yield(id, row) {
				return
			}
		}
	}
}

func customerAge(r billing.CustomerRow) (time.Time, int64) { return r.Customer.CreatedAt.Time, 0 }

func (v viewer) viewCustomer(row billing.CustomerRow) Customer {
	shown := Customer{
		Organization: row.Organization, ID: row.Customer.ID, Name: row.Customer.Name,
		ExternalID: textOf(row.Customer.ExternalID), Document: textOf(row.Customer.DocumentNumber),
		Created: row.Customer.CreatedAt.Time,
	}
	if len(row.Customer.Emails) > 0 {
		shown.Email = row.Customer.Emails[0].Value
	}
	shown.Accounts = newest(v.Billing.AccountsOf.All(v.tx, row.Customer.ID), shownObjects, accountAge, v.viewAccount).Shown
	return shown
}

func accountAge(r billing.AccountRow) (time.Time, int64) { return r.Account.CreatedAt.Time, 0 }

func (v viewer) viewAccount(row billing.AccountRow) Account {
	account := row.Account
	return Account{
		Organization: row.Organization, ID: account.ID, ExternalID: textOf(account.ExternalID),
		Customer: v.payer(row), Status: account.Status, Reason: textOf(account.SuspensionReason),
		Balance: amountOf(&account.BalanceCents, account.Currency), Email: textOf(account.BillingEmail),
		TermsDays: account.PaymentTermsDays, Created: account.CreatedAt.Time,
	}
}

// payer is the name of an account's customer, who stays known when deleted.
func (v viewer) payer(row billing.AccountRow) string {
	owner, _ := v.Billing.Customers.Get(v.tx, row.CustomerID)
	return owner.Customer.Name
}

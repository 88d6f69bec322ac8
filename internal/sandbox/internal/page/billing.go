package page

import (
	"cmp"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"
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
	for _, account := range v.accountsOf(row.Customer.ID) {
		shown.Accounts = append(shown.Accounts,
			Ref{ID: account.Account.ID, Text: cmp.Or(textOf(account.Account.ExternalID), account.Account.ID)})
	}
	shown.Metadata = v.owners(row.Customer.ID)
	return shown
}

func (v viewer) accountsOf(customer string) []billing.AccountRow {
	same := func(r billing.AccountRow) billing.AccountRow { return r }
	return newest(v.Billing.AccountsOf.All(v.tx, customer), shownObjects, accountAge, same).Shown
}

// owners are the clients that have written an object's custom_metadata, by name, each with its keys. That of a seed is
// first.
func (v viewer) owners(id string) []Owner {
	keys := map[billing.Writer][]string{}
	for path, writer := range v.Billing.Writers(v.tx, id) {
		keys[writer] = append(keys[writer], path)
	}
	var owners []Owner
	for writer, paths := range keys {
		slices.Sort(paths)
		owners = append(owners, Owner{Client: writer.Client, Token: writer.Token, Keys: paths})
	}
	slices.SortFunc(owners,
		func(a, b Owner) int { return cmp.Or(cmp.Compare(a.Client, b.Client), cmp.Compare(a.Token, b.Token)) })
	return owners
}

func accountAge(r billing.AccountRow) (time.Time, int64) { return r.Account.CreatedAt.Time, 0 }

func (v viewer) viewAccount(row billing.AccountRow) Account {
	account := row.Account
	shown := Account{
		Organization: row.Organization, ID: account.ID, ExternalID: textOf(account.ExternalID),
		Customer: v.payer(row), Status: account.Status, Reason: textOf(account.SuspensionReason),
		Balance: amountOf(&account.BalanceCents, account.Currency), Email: textOf(account.BillingEmail),
		TermsDays: account.PaymentTermsDays, Created: account.CreatedAt.Time, Metadata: v.owners(account.ID),
	}
	shown.Subscriptions = append(shown.Subscriptions, v.subscriptionsOf[account.ID]...)
	return shown
}

// payer is an account's customer, whose name stays known after its deletion.
func (v viewer) payer(row billing.AccountRow) Ref {
	owner, _ := v.Billing.Customers.Get(v.tx, row.CustomerID)
	shown := Ref{ID: owner.Customer.ID, Text: owner.Customer.Name}
	if owner.Deleted {
		shown.ID = ""
	}
	return shown
}

// subscriptionRef leads to a subscription.
func subscriptionRef(row billing.SubscriptionRow) Ref {
	s := row.Subscription
	return Ref{ID: s.ID, Text: cmp.Or(textOf(s.ExternalID), s.ID)}
}

func invoiceAge(r billing.InvoiceRow) (time.Time, int64) {
	number, _ := strconv.ParseInt(strings.TrimPrefix(r.Invoice.Number, "INV-"), 10, 64)
	return r.Invoice.CreatedAt.Time, number
}

// viewInvoices are the newest invoices.
func (v viewer) viewInvoices() List[Invoice] {
	all := v.Billing.Invoices.All(v.tx)
	return newest(all, shownObjects, invoiceAge, func(row billing.InvoiceRow) Invoice {
		i := row.Invoice
		account, _ := v.Billing.Accounts.Get(v.tx, i.BillingAccountID)
		subscription, _ := v.Billing.Subscriptions.Get(v.tx, i.SubscriptionID)
		return Invoice{
			Organization: row.Organization, ID: i.ID, Number: i.Number, Status: i.Status,
			Amount: amountOf(i.AmountCents, i.Currency), Reason: textOf(i.Reason), Customer: v.payer(account).Text,
			Account: Ref{ID: i.BillingAccountID}, Subscription: subscriptionRef(subscription), PeriodStart: i.PeriodStart.Time,
			PeriodEnd: i.PeriodEnd.Time, Created: i.CreatedAt.Time, Due: i.DueDate,
		}
	})
}

// viewTokens are the tokens that work, by service and prefix.
func (v viewer) viewTokens() []Token {
	var shown []Token
	for _, t := range v.Tokens(v.tx) {
		if t.Revoked || t.Blocked || !t.Expires.IsZero() && !v.now.Before(t.Expires) {
			continue
		}
		shown = append(shown, Token{Organization: t.Organization, Service: string(t.Service), Prefix: t.Prefix,
			Scopes: t.Scopes, Expires: t.Expires})
	}
	slices.SortFunc(shown, func(a, b Token) int {
		return cmp.Or(cmp.Compare(a.Service, b.Service), cmp.Compare(a.Prefix, b.Prefix))
	})
	return shown
}

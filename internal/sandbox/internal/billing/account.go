package billing

import (
	"cmp"
	"net/http"
	"reflect"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/server"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/store"
)

// billingAccount is a billing account as returned (service description, Recurring billing §2 Billing account).
type billingAccount struct {
	ID                      string            `json:"id"`
	PublicID                string            `json:"public_id"`
	ExternalID              *string           `json:"external_id"`
	Currency                string            `json:"currency"`
	BillingEmail            *string           `json:"billing_email"`
	PaymentTermsDays        int64             `json:"payment_terms_days"`
	AutoCollection          bool              `json:"auto_collection"`
	BalanceCents            int64             `json:"balance_cents"`
	Status                  string            `json:"status"`
	SuspendedAt             *server.Timestamp `json:"suspended_at"`
	SuspensionReason        *string           `json:"suspension_reason"`
	TaxExempt               bool              `json:"tax_exempt"`
	TaxExemptionCertificate *string           `json:"tax_exemption_certificate"`
	CustomerTaxType         *string           `json:"customer_tax_type"`
	Metadata                object            `json:"metadata"`
	CustomMetadata          object            `json:"custom_metadata"`
	CreatedAt               server.Timestamp  `json:"created_at"`
	UpdatedAt               server.Timestamp  `json:"updated_at"`
	Customer                *embeddedCustomer `json:"customer,omitempty"`
}

// embeddedCustomer is the customer embedded in a billing account. Its kind has different values: individual and
// company. Its two fields hide customer fields that it does not have.
type embeddedCustomer struct {
	customer
	PublicID *string `json:"public_id,omitempty"`
	Metadata object  `json:"metadata,omitempty"`
}

// AccountRow is a stored billing account; its customer is referenced by id.
type AccountRow struct {
	server.Owned
	Number     int64          `json:"number,omitempty"` // in order of creation; 0 in a copy
	CustomerID string         `json:"customer_id"`
	Account    billingAccount `json:"account"`
}

// Defaults of a new account (service description, Recurring billing §4 Customer create; the default currency is not
// documented).
const (
	defaultCurrency     = "BRL"
	defaultPaymentTerms = 10

	accountActive    = "active"
	accountSuspended = "suspended"
	AccountClosed    = "closed"
)

// externalKey includes the account in the index of external ids until it is closed (wire contract: external_id of a
// closed object).
func (r AccountRow) externalKey() string {
	if r.Account.Status == AccountClosed {
		return ""
	}
	return externalKey(r.Organization, r.Account.ExternalID)
}

func (s *Service) closeAccounts(c *server.Call, tx *store.Tx, customerID string) {
	for id, row := range s.AccountsOf.All(tx, customerID) {
		if row.Account.Status == AccountClosed {
			continue
		}
		s.auditAccount(c, tx, row.Account, row.Account.Status, AccountClosed)
		row.Account.Status = AccountClosed
		row.Account.UpdatedAt = row.Account.UpdatedAt.Next(c.Now)
		s.Accounts.Put(tx, id, row)
	}
}

func (s *Service) loaded(tx *store.Tx, row AccountRow) billingAccount {
	account := row.Account
	owner, ok := s.Customers.Get(tx, row.CustomerID)
	if ok {
		account.Customer = embed(owner.Customer)
	}
	return account
}

func embed(u customer) *embeddedCustomer {
	if u.Kind != nil {
		u.Kind = new(map[string]string{"natural": "individual", "juridical": "company"}[*u.Kind])
	}
	return &embeddedCustomer{customer: u}
}

// modified returns when the response last changed, including the embedded customer.
func (a billingAccount) modified() time.Time {
	if a.Customer != nil && a.Customer.UpdatedAt.After(a.UpdatedAt.Time) {
		return a.Customer.UpdatedAt.Time
	}
	return a.UpdatedAt.Time
}

// Payment terms of an account (service description, Recurring billing §8). An account created with a new customer may
// also have 0 (§4 Customer create).
const (
	leastPaymentTerms = 1
	mostPaymentTerms  = 90
)

var (
	accountFields = server.Shape{
		"billing_email":      server.Email,
		"payment_terms_days": server.IntegerBetween(leastPaymentTerms, mostPaymentTerms),
		"auto_collection":    server.Boolean,
		"custom_metadata":    server.FreeObject,
	}
	// customerReference identifies an existing customer by id or external code, or describes a new one. kind has the
	// values of accounts here, not those of the customer resource.
	customerReference = server.ObjectOf(customerFields.And(server.Shape{
		"id":   server.Filled,
		"kind": server.Nullable(server.OneOf("individual", "company")),
	}, ""))
	accountCreate = server.Form{Required: []string{"customer"}, Shape: accountFields.And(server.Shape{
		"external_id": server.Filled,
		"customer":    customerReference,
	}, "an update", "custom_metadata_mode")}
	// name, email, phone and address update the customer.
	accountUpdate = server.Form{Shape: accountFields.And(server.Shape{
		"external_id": server.Nullable(server.Filled),
		"name": server.Both(server.Filled, server.TextWhere("must have 1 to 255 characters",
			func(s string) bool { return utf8.RuneCountInString(s) <= 255 })),
		"email":                server.Email,
		"phone":                server.Filled,
		"address":              server.ObjectOf(addressFields),
		"custom_metadata_mode": metadataMode,
	}, "a create", "customer")}
	// accountReason is the reason for a suspension, reactivation, closing or manual invoice, for the audit trail.
	accountReason = server.Form{Shape: server.Shape{"reason": server.Text}, Optional: true}
)

// locate returns the referenced customer, and whether it exists (wire contract: a customer reference).
func (s *Service) locate(c *server.Call, tx *store.Tx, reference server.Body) (CustomerRow, bool, error) {
	if id := server.Sent[string](reference, "id"); id != nil {
		row, ok := s.Customers.Get(tx, server.CanonicalID(*id))
		if ok && row.Owner() == c.Organization {
			return row, true, nil
		}
		row, ok = s.customerByCode(c, tx, id)
		if !ok {
			return CustomerRow{}, false, server.Invalid(server.Problems{"customer.id": "no customer has it"})
		}
		return row, true, nil
	}
	if row, ok := s.customerByCode(c, tx, server.Sent[string](reference, "external_id")); ok {
		return row, true, nil
	}
	if number := server.Sent[string](reference, "document_number"); number != nil {
		for _, row := range s.customers().Rows(c, tx) {
			if row.Customer.hasDocument(*number) {
				return row, true, nil
			}
		}
	}
	return CustomerRow{}, false, nil
}

func (s *Service) customerByCode(c *server.Call, tx *store.Tx, code *string) (CustomerRow, bool) {
	for _, row := range s.customerCodes.All(tx, externalKey(c.Organization, code)) {
		return row, true
	}
	return CustomerRow{}, false
}

func (a billingAccount) with(c *server.Call, in server.Body) billingAccount {
	in.Into(&a, "customer", "custom_metadata")
	a.CustomMetadata = updatedMetadata(c, a.CustomMetadata, in)
	return a
}

// withPayer returns the account's customer as changed by an account update.
func (u customer) withPayer(in server.Body) customer {
	u.Name = *cmp.Or(server.Sent[string](in, "name"), &u.Name)
	u.Emails = promote(u.Emails, server.Sent[string](in, "email"))
	u.Phones = promote(u.Phones, server.Sent[string](in, "phone"))
	if first := server.Sent[address](in, "address"); first != nil {
		u.Addresses = placeFirst(u.Addresses, *first)
	}
	return u
}

// placeFirst moves or inserts an address at the first position (wire contract: address in an account update). Repeating
// the update has no further effect.
func placeFirst(addresses []address, first address) []address {
	rest := slices.DeleteFunc(slices.Clone(addresses), func(a address) bool { return reflect.DeepEqual(a, first) })
	return append([]address{first}, rest...)
}

func (s *Service) accounts() server.Kind[AccountRow, billingAccount] {
	return server.Kind[AccountRow, billingAccount]{
		Table: s.Accounts,
		Show: func(c *server.Call, tx *store.Tx, r AccountRow) billingAccount {
			return s.loaded(tx, r)
		},
		Updated: func(r AccountRow) server.Timestamp { return r.Account.UpdatedAt },
		Fields:  []string{"external_id", "status"},
		Filters: server.Filters[AccountRow]{
			"customer_id": func(_ *store.Tx, r AccountRow, want string) bool {
				return r.CustomerID == server.CanonicalID(want)
			},
		},
	}
}

func (s *Service) respondAccount(c *server.Call, tx *store.Tx, status int, row AccountRow) server.Reply {
	account := s.loaded(tx, row)
	return c.Single(status, account, account.modified())
}

func (s *Service) showAccount(c *server.Call, tx *store.Tx, row AccountRow) (server.Reply, error) {
	return s.respondAccount(c, tx, http.StatusOK, row), nil
}

// createAccount serves billing_accounts.create, for an existing or a new customer.
func (s *Service) createAccount(c *server.Call, tx *store.Tx) (server.Reply, error) {
	if err := claimExternalID(c, tx, s.accountCodes, ""); err != nil {
		return server.Reply{}, err
	}
	described := server.Body(c.Sent["customer"].(map[string]any))
	owner, found, err := s.locate(c, tx, described)
	if err != nil {
		return server.Reply{}, err
	}
	var email any
	if !found {
		if !described.Has("name") {
			return server.Reply{}, server.Invalid(server.Problems{"customer.name": "is required for a new customer"})
		}
		if kind := server.Sent[string](described, "kind"); kind != nil {
			described["kind"] = map[string]string{"individual": "natural", "company": "juridical"}[*kind]
		}
		owner, email = s.addCustomer(c, tx, described), described["email"]
	}
	if email == nil && len(owner.Customer.Emails) > 0 {
		email = owner.Customer.Emails[0].Value
	}
	row := s.openAccount(c, tx, owner.Customer, c.Sent, email)
	return s.respondAccount(c, tx, http.StatusCreated, row), nil
}

// openAccount creates an account with defaults for missing fields (service description, Recurring billing §4 Billing
// account create). email is the default of billing_email.
func (s *Service) openAccount(c *server.Call, tx *store.Tx, owner customer, in server.Body, email any) AccountRow {
	account := billingAccount{
		ID:               s.Source.UUID(),
		PublicID:         s.Source.UUID(),
		Currency:         defaultCurrency,
		PaymentTermsDays: defaultPaymentTerms,
		AutoCollection:   true,
		Status:           accountActive,
		Metadata:         object{},
		CreatedAt:        server.Timestamp{Time: c.Now},
		UpdatedAt:        server.Timestamp{Time: c.Now},
	}
	if text, ok := email.(string); ok {
		account.BillingEmail = &text
	}
	account = account.with(c, in)
	row := AccountRow{Owned: server.Owned{Organization: c.Organization}, Number: s.Next(tx), CustomerID: owner.ID,
		Account: account}
	s.Accounts.Put(tx, account.ID, row)
	s.noteWriter(c, tx, account.ID, nil, account.CustomMetadata)
	return row
}

// updateAccount serves billing_accounts.update, which also updates the account's customer.
func (s *Service) updateAccount(c *server.Call, tx *store.Tx, row AccountRow) (server.Reply, error) {
	if row.Account.Status == AccountClosed {
		return server.Reply{}, errTransition.With("The billing account is closed.")
	}
	if err := claimExternalID(c, tx, s.accountCodes, row.Account.ID); err != nil {
		return server.Reply{}, err
	}
	changed := row.Account.with(c, c.Sent)
	if owner, ok := s.Customers.Get(tx, row.CustomerID); ok {
		after := s.changeCustomer(c, tx, owner, owner.Customer.withPayer(c.Sent))
		if after.UpdatedAt != owner.Customer.UpdatedAt {
			changed.UpdatedAt = changed.UpdatedAt.Next(c.Now)
		}
	}
	return s.changeAccount(c, tx, row, changed), nil
}

func (s *Service) changeAccount(c *server.Call, tx *store.Tx, row AccountRow, changed billingAccount) server.Reply {
	if !reflect.DeepEqual(changed, row.Account) {
		s.noteWriter(c, tx, changed.ID, row.Account.CustomMetadata, changed.CustomMetadata)
		changed.UpdatedAt = row.Account.UpdatedAt.Next(c.Now)
		row.Account = changed
		s.Accounts.Put(tx, changed.ID, row)
	}
	return s.respondAccount(c, tx, http.StatusOK, row)
}

// deleteAccount serves billing_accounts.delete. It is rejected while a subscription still needs the account. The
// contract does not document this, but a deletion removes all dependents or fails.
func (s *Service) deleteAccount(c *server.Call, tx *store.Tx, row AccountRow) (server.Reply, error) {
	if s.isSubscribed(tx, row.Account.ID) {
		return server.Reply{}, errAccountSubscribed
	}
	s.Accounts.Delete(tx, row.Account.ID)
	s.auditAccount(c, tx, row.Account, row.Account.Status, server.Deleted)
	return c.Deleted(), nil
}

// moveAccount serves a status transition of an account, or rejects it. Subscriptions do not change (wire contract:
// closing an account with live subscriptions).
func (s *Service) moveAccount(step func(*billingAccount, *server.Call) error) server.Handler {
	return server.On(s.accounts().Find, accountReason,
		func(c *server.Call, tx *store.Tx, row AccountRow) (server.Reply, error) {
			changed := row.Account
			if err := step(&changed, c); err != nil {
				return server.Reply{}, err
			}
			s.auditAccount(c, tx, changed, row.Account.Status, changed.Status)
			return s.changeAccount(c, tx, row, changed), nil
		})
}

func (a *billingAccount) suspend(c *server.Call) error {
	if a.Status != accountActive {
		return errTransition.With("The billing account is " + a.Status + " already.")
	}
	a.Status, a.SuspendedAt = accountSuspended, &server.Timestamp{Time: c.Now}
	a.SuspensionReason = server.Sent[string](c.Sent, "reason")
	return nil
}

func (a *billingAccount) reactivate(*server.Call) error {
	if a.Status != accountSuspended {
		return errTransition.With("The billing account is not suspended.")
	}
	a.Status, a.SuspendedAt, a.SuspensionReason = accountActive, nil, nil
	return nil
}

func (a *billingAccount) close(*server.Call) error {
	if a.Status == AccountClosed {
		return errTransition.With("The billing account is closed already.")
	}
	a.Status = AccountClosed
	return nil
}

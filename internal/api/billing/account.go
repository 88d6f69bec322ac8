package billing

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"math/big"
	"net/url"
	"reflect"
	"slices"
	"strings"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/same"
)

// BillingAccount is a billing account as the service returns it (service description, Recurring billing §2). A nil
// pointer is null or absent.
type BillingAccount struct {
	ID                      string           `json:"id"`
	PublicID                string           `json:"public_id"`
	ExternalID              *string          `json:"external_id"`
	Currency                string           `json:"currency"` // ISO 4217
	BillingEmail            *string          `json:"billing_email"`
	PaymentTermsDays        *int64           `json:"payment_terms_days"` // days
	AutoCollection          *bool            `json:"auto_collection"`
	BalanceCents            *int64           `json:"balance_cents"` // hundredths of the currency unit
	Status                  string           `json:"status"`        // active, suspended, closed
	SuspendedAt             *string          `json:"suspended_at"`
	SuspensionReason        *string          `json:"suspension_reason"`
	TaxExempt               *bool            `json:"tax_exempt"`
	TaxExemptionCertificate *string          `json:"tax_exemption_certificate"`
	CustomerTaxType         *string          `json:"customer_tax_type"` // individual, business, exempt
	Metadata                json.RawMessage  `json:"metadata"`          // nil or "null" when null
	CustomMetadata          json.RawMessage  `json:"custom_metadata"`   // nil or "null" when null
	CreatedAt               string           `json:"created_at"`
	UpdatedAt               string           `json:"updated_at"`
	Customer                *AccountCustomer `json:"customer,omitempty"` // only when loaded
}

// AccountCustomer is the customer inside a billing account, with the fields that the provider needs. The rest is read
// from the customer itself.
type AccountCustomer struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// Check implements [checked].
func (a *BillingAccount) Check() error { return api.Present("billing account with an id", a.ID) }

// CustomerRef refers to the customer of a new billing account by id. The service also accepts other fields, which the
// provider does not use.
type CustomerRef struct {
	ID string `json:"id"`
}

// AccountBody is the body of billing_accounts.create and billing_accounts.update (service description, Recurring
// billing §4). An absent field has the service's default on creation, and is not changed by an update.
type AccountBody struct {
	Customer         api.Field[CustomerRef]     `json:"customer,omitzero"` // only for a creation, which requires it
	ExternalID       api.Field[string]          `json:"external_id,omitzero"`
	BillingEmail     api.Field[string]          `json:"billing_email,omitzero"`
	PaymentTermsDays api.Field[int64]           `json:"payment_terms_days,omitzero"` // 1 to 90
	AutoCollection   api.Field[bool]            `json:"auto_collection,omitzero"`
	CustomMetadata   api.Field[json.RawMessage] `json:"custom_metadata,omitzero"`
	// replace (the service's default) or merge; only for an update
	CustomMetadataMode api.Field[string] `json:"custom_metadata_mode,omitzero"`
}

// IsEmpty reports whether the body has no fields.
func (b AccountBody) IsEmpty() bool { return reflect.ValueOf(b).IsZero() }

// BillingAccountCreated is the response of billing_accounts.create.
type BillingAccountCreated struct {
	BillingAccount
	// Adopted means that the response to the creation was lost and a lookup found the account.
	Adopted bool `json:"-"`
}

// BillingAccountQuery filters a list of billing accounts. Empty fields are not sent.
type BillingAccountQuery struct {
	ListOptions
	ExternalID   string
	CustomerID   string
	Status       string
	UpdatedAtGTE string // ISO 8601
}

func (q BillingAccountQuery) matches(a BillingAccount) bool {
	return q.hasCode(q.ExternalID, a.ExternalID) &&
		(q.CustomerID == "" || a.Customer == nil || same.ID(q.CustomerID, a.Customer.ID)) &&
		(q.Status == "" || a.Status == q.Status) &&
		notBefore(a.UpdatedAt, q.UpdatedAtGTE)
}

// accountClosed is the final status of a billing account.
const accountClosed = "closed"

// CreateBillingAccount creates a billing account (wire contract: billing_accounts.create). A lost response is handled
// by [api.Create].
func (s *Service) CreateBillingAccount(ctx context.Context, body AccountBody) (*BillingAccountCreated, error) {
	code, _ := body.ExternalID.Get()
	customer, _ := body.Customer.Get()
	account, adopted, err := creationOf[BillingAccount]{
		noun: "billing account", externalID: code, body: body,
		otherwise: fmt.Sprintf("billing account of the customer %q", customer.ID),
		send: func(ctx context.Context) (*BillingAccount, error) {
			return s.changeAccount(ctx, api.Request{Operation: "billing_accounts.create", Body: body})
		},
		find: func(ctx context.Context, externalID string) ([]BillingAccount, error) {
			return api.Collect(s.ListWholeAccounts(ctx, BillingAccountQuery{ExternalID: externalID,
				ListOptions: ListOptions{Worded: true}}))
		},
		newest: func(ctx context.Context) iter.Seq2[BillingAccount, error] {
			return s.ListWholeAccounts(ctx, BillingAccountQuery{CustomerID: customer.ID,
				ListOptions: ListOptions{SortOrder: newestFirst}})
		},
		like: func(a BillingAccount) bool { return api.OrEmpty(a.ExternalID) == "" },
		id:   accountID, live: BillingAccount.live, createdAt: func(a BillingAccount) string { return a.CreatedAt },
		code: func(a BillingAccount) *string { return a.ExternalID },
	}.create(ctx, s)
	if err != nil {
		return nil, err
	}
	return &BillingAccountCreated{BillingAccount: *account, Adopted: adopted}, nil
}

func accountID(a BillingAccount) string { return a.ID }

func (a BillingAccount) live() bool { return a.Status != accountClosed }

// GetBillingAccount reads a billing account (wire contract: billing_accounts.get). A read that lags behind a write is
// repeated.
func (s *Service) GetBillingAccount(ctx context.Context, id string) (*BillingAccount, error) {
	return api.Newest(ctx, s.client, &s.writes, id, func(ctx context.Context) (*BillingAccount, error) {
		return api.Object[BillingAccount](ctx, s.client, api.Request{Operation: "billing_accounts.get",
			Path: map[string]string{"id": id}})
	}, func(a *BillingAccount) string { return a.UpdatedAt })
}

var accountListing = api.Listing{Family: "billing_accounts", ByID: true, Loaded: "customer"}

// RefreshBillingAccount is GetBillingAccount for a refresh; see [api.Refreshed].
func (s *Service) RefreshBillingAccount(ctx context.Context, id string) (_ *BillingAccount, unchanged bool, _ error) {
	return api.Refreshed(ctx, s.client, &s.writes, accountListing, id, s.GetBillingAccount,
		func(a *BillingAccount) string { return a.UpdatedAt })
}

// UpdateBillingAccount changes a billing account and returns the changed account (wire contract:
// billing_accounts.update). If the response does not contain it, the account is read.
func (s *Service) UpdateBillingAccount(ctx context.Context, id string, body AccountBody) (*BillingAccount, error) {
	before := s.client.DateText()
	account, err := s.changeAccount(ctx, api.Request{
		Operation: "billing_accounts.update", Path: map[string]string{"id": id}, Body: body,
	})
	return api.ReadBack(ctx, account, err, func(ctx context.Context) (*BillingAccount, error) {
		s.wrote(id, "", before, false)
		return s.GetBillingAccount(ctx, id)
	})
}

// accountKeys are the fields that distinguish a complete billing account from a partial one.
var accountKeys = []string{
	"external_id", "currency", "billing_email", "payment_terms_days", "auto_collection", "balance_cents",
	"status", "suspended_at", "suspension_reason", "tax_exempt", "custom_metadata", "created_at", "updated_at",
}

// changeAccount carries out an operation that returns the changed account. If the response omits the customer or other
// fields of a complete account, the account is read once; if that fails, it has no Customer.
func (s *Service) changeAccount(ctx context.Context, r api.Request) (*BillingAccount, error) {
	response, err := api.One[written[BillingAccount]](ctx, s.client, r)
	if err != nil {
		return nil, err
	}
	s.wrote(response.value.ID, response.value.CreatedAt, response.value.UpdatedAt,
		r.Operation == "billing_accounts.create")
	if response.value.Customer != nil && response.has(accountKeys) {
		return &response.value, nil
	}
	if response.value.Customer == nil {
		delete(response.keys, "customer") // null and absent are equivalent here
	}
	return response.completed(ctx, func(ctx context.Context) (*BillingAccount, error) {
		return s.GetBillingAccount(ctx, response.value.ID)
	}), nil
}

// DeleteBillingAccount deletes a billing account (wire contract: billing_accounts.delete). It succeeds if the account
// does not exist.
func (s *Service) DeleteBillingAccount(ctx context.Context, id string) error {
	s.writes.Forget(id)
	return api.Delete(ctx, s.client, api.Request{Operation: "billing_accounts.delete", Path: map[string]string{"id": id}})
}

// ListBillingAccounts lists the matching billing accounts (wire contract: billing_accounts.list). Every filter is
// applied again to each item, because a service may ignore it; the customer filter only if the item contains the
// customer, which a list may omit.
func (s *Service) ListBillingAccounts(ctx context.Context, q BillingAccountQuery) iter.Seq2[BillingAccount, error] {
	return api.Only(s.listedAccounts(ctx, q), q.matches)
}

// listedAccounts returns the service's list, filtered or not.
func (s *Service) listedAccounts(ctx context.Context, q BillingAccountQuery) iter.Seq2[BillingAccount, error] {
	query := url.Values{}
	setIf(query, "external_id", q.ExternalID)
	setIf(query, "customer_id", q.CustomerID)
	setIf(query, "status", q.Status)
	setIf(query, "updated_at_gte", q.UpdatedAtGTE)
	return listPages(ctx, s, api.Request{Operation: "billing_accounts.list"}, query, q.ListOptions, accountID)
}

// ListWholeAccounts lists accounts with their customers. If the list omits customers, each account is read by id, and
// the customer filter is applied to it (wire contract: customer inside a billing account).
func (s *Service) ListWholeAccounts(ctx context.Context, q BillingAccountQuery) iter.Seq2[BillingAccount, error] {
	return func(yield func(BillingAccount, error) bool) {
		for account, err := range s.ListBillingAccounts(ctx, q) {
			if err == nil && account.Customer == nil {
				whole, getErr := s.GetBillingAccount(ctx, account.ID)
				switch {
				case api.IsNotFound(getErr):
					continue // deleted since it was listed
				case getErr != nil:
					err = getErr
				case q.CustomerID != "" && whole.Customer != nil && !same.ID(whole.Customer.ID, q.CustomerID):
					continue
				default:
					account = *whole
				}
			}
			if !yield(account, err) || err != nil {
				return
			}
		}
	}
}

// OpenBalance returns the balance of an account that is not closed, such as "45.50 BRL"; "" if it is zero.
func (a *BillingAccount) OpenBalance() string {
	if a.Status == accountClosed || a.BalanceCents == nil || *a.BalanceCents == 0 {
		return ""
	}
	return strings.TrimSpace(big.NewRat(*a.BalanceCents, 100).FloatString(2) + " " + a.Currency) //nolint:mnd // cents
}

// OpenBalance reads the [BillingAccount.OpenBalance] of an account; "" also if it cannot be read.
func (s *Service) OpenBalance(ctx context.Context, id string) string {
	account, err := s.GetBillingAccount(ctx, id)
	if err != nil {
		return ""
	}
	return account.OpenBalance()
}

// OpenAccounts returns the billing accounts of a customer that are not closed.
func (s *Service) OpenAccounts(ctx context.Context, customerID string) ([]BillingAccount, error) {
	all, err := api.Collect(s.ListWholeAccounts(ctx, BillingAccountQuery{CustomerID: customerID}))
	return slices.DeleteFunc(all, func(a BillingAccount) bool { return a.Status == accountClosed }), err
}

// FindBillingAccounts returns every billing account with exactly this external_id, over all pages: the open accounts,
// or, if there are none, the closed ones.
func (s *Service) FindBillingAccounts(ctx context.Context, q BillingAccountQuery) ([]BillingAccount, error) {
	if q.ExternalID == "" {
		return nil, errors.New("find billing accounts: no external_id is given")
	}
	found, err := api.Collect(s.ListBillingAccounts(ctx, q))
	return liveFirst(found, BillingAccount.live), err
}

// reasonBody is recorded in the service's audit log (service description, Recurring billing §4 Billing account reason).
type reasonBody struct {
	Reason string `json:"reason,omitempty"`
}

// SuspendBillingAccount suspends an active billing account (wire contract: billing_accounts.suspend). An unknown
// outcome is reconciled by the account's status, with any reason.
func (s *Service) SuspendBillingAccount(ctx context.Context, id, reason string) (*BillingAccount, error) {
	return s.moveAccount(ctx, id, "suspend", "suspension", reason, "suspended")
}

// ReactivateBillingAccount reactivates a suspended billing account (wire contract: billing_accounts.reactivate).
func (s *Service) ReactivateBillingAccount(ctx context.Context, id, reason string) (*BillingAccount, error) {
	return s.moveAccount(ctx, id, "reactivate", "reactivation", reason, "active")
}

// CloseBillingAccount closes a billing account permanently (wire contract: billing_accounts.close).
func (s *Service) CloseBillingAccount(ctx context.Context, id, reason string) (*BillingAccount, error) {
	return s.moveAccount(ctx, id, "close", "closing", reason, accountClosed)
}

func (s *Service) moveAccount(ctx context.Context, id, operation, noun, reason, wanted string) (*BillingAccount,
	error) {
	request := api.Request{
		Operation: "billing_accounts." + operation, Path: map[string]string{"id": id}, Body: reasonBody{Reason: reason},
	}
	return api.Change(ctx, s.client, api.Transition[*BillingAccount]{
		Send:     func(ctx context.Context) (*BillingAccount, error) { return s.changeAccount(ctx, request) },
		Look:     func(ctx context.Context) (*BillingAccount, error) { return s.GetBillingAccount(ctx, id) },
		Done:     func(a *BillingAccount) bool { return a.Status == wanted },
		Describe: fmt.Sprintf("%s of the billing account %q", noun, id),
	})
}

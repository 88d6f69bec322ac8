package billing

import (
	"context"
	"fmt"
	"slices"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
)

// reasonBody is recorded in the service's audit log (service description,
// Recurring billing §4 Billing account reason).
type reasonBody struct {
	Reason string `json:"reason,omitempty"`
}

// SuspendBillingAccount suspends an active billing account (wire contract:
// billing_accounts.suspend). An unknown outcome is reconciled by the
// account's status, with any reason.
func (s *Service) SuspendBillingAccount(ctx context.Context, id, reason string) (*BillingAccount, error) {
	return s.moveAccount(ctx, id, "suspend", "suspension", reason, "suspended", "active")
}

// ReactivateBillingAccount makes a suspended billing account active again (wire
// contract: billing_accounts.reactivate).
func (s *Service) ReactivateBillingAccount(ctx context.Context, id, reason string) (*BillingAccount, error) {
	return s.moveAccount(ctx, id, "reactivate", "reactivation", reason, "active", "suspended")
}

// CloseBillingAccount closes a billing account, which is final (wire contract:
// billing_accounts.close).
func (s *Service) CloseBillingAccount(ctx context.Context, id, reason string) (*BillingAccount, error) {
	return s.moveAccount(ctx, id, "close", "closing", reason, accountClosed, "active", "suspended")
}

// moveAccount takes an account from one of the statuses before to the status
// wanted.
func (s *Service) moveAccount(ctx context.Context, id, operation, noun, reason, wanted string,
	before ...string) (*BillingAccount, error) {
	request := api.Request{
		Operation: "billing_accounts." + operation, Path: map[string]string{"id": id}, Body: reasonBody{Reason: reason},
	}
	return api.Change(ctx, api.Transition[*BillingAccount]{
		Send:     func(ctx context.Context) (*BillingAccount, error) { return s.changeAccount(ctx, request) },
		Look:     func(ctx context.Context) (*BillingAccount, error) { return s.GetBillingAccount(ctx, id) },
		Done:     func(a *BillingAccount) bool { return a.Status == wanted },
		Before:   func(a *BillingAccount) bool { return slices.Contains(before, a.Status) },
		Describe: fmt.Sprintf("%s of the billing account %q", noun, id),
	})
}

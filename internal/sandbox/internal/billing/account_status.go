package billing

import (
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/server"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/store"
)

// reasonInput is the body of the operations that say why
// (service description, Recurring billing §4 Billing account reason). The
// audit log the reason goes to is not part of the sandbox; the request log
// holds it.
type reasonInput struct {
	Reason *string `json:"reason"`
}

var reasonShape = server.Shape{"reason": server.Text}

// suspendAccount serves billing_accounts.suspend.
func (s *Service) suspendAccount(c *server.Call, tx *store.Tx) (server.Reply, error) {
	return s.moveAccount(c, tx, suspend)
}

// reactivateAccount serves billing_accounts.reactivate.
func (s *Service) reactivateAccount(c *server.Call, tx *store.Tx) (server.Reply, error) {
	return s.moveAccount(c, tx, reactivate)
}

// closeAccount serves billing_accounts.close. Subscriptions stay as they are
// (wire contract: closing an account with live subscriptions).
func (s *Service) closeAccount(c *server.Call, tx *store.Tx) (server.Reply, error) {
	return s.moveAccount(c, tx, closeForGood)
}

// accountStep moves an account to another status, or rejects.
type accountStep func(account billingAccount, at time.Time, reason *string) (billingAccount, error)

func (s *Service) moveAccount(c *server.Call, tx *store.Tx, step accountStep) (server.Reply, error) {
	row, err := s.findAccount(c, tx)
	if err != nil {
		return server.Reply{}, err
	}
	var in reasonInput
	if err := c.ReadOptional(reasonShape, &in); err != nil {
		return server.Reply{}, err
	}
	changed, err := step(row.Account, c.Now, in.Reason)
	if err != nil {
		return server.Reply{}, err
	}
	return s.changeAccount(c, tx, row, changed), nil
}

func suspend(account billingAccount, at time.Time, reason *string) (billingAccount, error) {
	if account.Status != accountActive {
		return account, errTransition.With("The billing account is " + account.Status + " already.")
	}
	account.Status, account.SuspendedAt, account.SuspensionReason = accountSuspended, &server.Timestamp{Time: at}, reason
	return account, nil
}

func reactivate(account billingAccount, _ time.Time, _ *string) (billingAccount, error) {
	if account.Status != accountSuspended {
		return account, errTransition.With("The billing account is not suspended.")
	}
	account.Status, account.SuspendedAt, account.SuspensionReason = accountActive, nil, nil
	return account, nil
}

func closeForGood(account billingAccount, _ time.Time, _ *string) (billingAccount, error) {
	if account.Status == AccountClosed {
		return account, errTransition.With("The billing account is closed already.")
	}
	account.Status = AccountClosed
	return account, nil
}

package sandbox

import (
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/store"
)

// reasonInput is the body of the operations that say why
// (service description, Recurring billing §4 Billing account reason). The
// audit log the reason goes to is not part of the sandbox; the request log
// holds it.
type reasonInput struct {
	Reason *string `json:"reason"`
}

var reasonShape = shape{"reason": text}

// suspendAccount serves billing_accounts.suspend.
func suspendAccount(c *call, tx *store.Tx) (reply, error) { return c.moveAccount(tx, suspend) }

// reactivateAccount serves billing_accounts.reactivate.
func reactivateAccount(c *call, tx *store.Tx) (reply, error) { return c.moveAccount(tx, reactivate) }

// closeAccount serves billing_accounts.close. Subscriptions stay as they are
// (wire contract: closing an account with live subscriptions).
func closeAccount(c *call, tx *store.Tx) (reply, error) { return c.moveAccount(tx, closeForGood) }

// accountStep moves an account to another status, or refuses.
type accountStep func(account billingAccount, at time.Time, reason *string) (billingAccount, error)

func (c *call) moveAccount(tx *store.Tx, step accountStep) (reply, error) {
	row, err := c.findAccount(tx)
	if err != nil {
		return reply{}, err
	}
	var in reasonInput
	if err := c.readOptional(reasonShape, &in); err != nil {
		return reply{}, err
	}
	changed, err := step(row.Account, c.now, in.Reason)
	if err != nil {
		return reply{}, err
	}
	return c.changeAccount(tx, row, changed), nil
}

func suspend(account billingAccount, at time.Time, reason *string) (billingAccount, error) {
	if account.Status != accountActive {
		return account, errTransition.with("The billing account is " + account.Status + " already.")
	}
	account.Status, account.SuspendedAt, account.SuspensionReason = accountSuspended, &instant{at}, reason
	return account, nil
}

func reactivate(account billingAccount, _ time.Time, _ *string) (billingAccount, error) {
	if account.Status != accountSuspended {
		return account, errTransition.with("The billing account is not suspended.")
	}
	account.Status, account.SuspendedAt, account.SuspensionReason = accountActive, nil, nil
	return account, nil
}

func closeForGood(account billingAccount, _ time.Time, _ *string) (billingAccount, error) {
	if account.Status == accountClosed {
		return account, errTransition.with("The billing account is closed already.")
	}
	account.Status = accountClosed
	return account, nil
}

package sandbox_test

import (
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/hook"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// reaching are options of a sandbox on a fixed clock that may send to the receiver.
func reaching(r *hook.Receiver) sandbox.Options {
	return sandbox.Options{Start: morning, AllowLoopbackReceivers: true, ReceiverCAs: r.CAs()}
}

// settle waits until what is due has been sent.
func settle(t *testing.T, server *sandbox.Server) {
	t.Helper()
	if err := server.WaitDeliveries(t.Context()); err != nil {
		t.Fatal(err)
	}
}

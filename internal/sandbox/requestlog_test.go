package sandbox_test

import (
	"strings"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// The log contains the requests, and never a token.
func TestRequestLog(t *testing.T) {
	t.Parallel()
	server := start(t, sandbox.Options{})
	c := call(t, server)
	created := c.do("POST", "/v1/customers", `{"name":"Ana"}`)
	c.do("GET", "/v1/customers?search=Ana", "")
	c.with("unknown-token").do("GET", "/v1/nothing/there", "")
	server.AddFault(sandbox.Fault{DropAfter: true, Times: 1})
	if _, err := c.try("GET", "/v1/me", ""); err == nil {
		t.Error("no drop")
	}
	log := server.Requests()
	if len(log) != 4 {
		t.Fatalf("%d entries", len(log))
	}
	create := log[0]
	if create.Operation != "customers.create" || create.Method != "POST" || create.Path != "/v1/customers" ||
		create.Status != 201 ||
		create.RequestID != created.header.Get("Request-Id") || string(create.Body) != `{"name":"Ana"}` ||
		create.Service != sandbox.Billing {
		t.Errorf("create is logged as %+v", create)
	}
	if create.Token == "" || !strings.HasPrefix(server.BillingToken(), create.Token) ||
		create.Token == server.BillingToken() {
		t.Errorf("token %q", create.Token)
	}
	if log[1].Query != "search=Ana" || log[2].Operation != "" || log[2].Status != 401 || log[2].Token != "" {
		t.Errorf("log %+v", log[1:3])
	}
	if !log[3].Dropped || log[3].Status != 200 || log[3].Fault == "" {
		t.Errorf("dropped request is logged as %+v", log[3])
	}
	server.ResetRequests()
	if left := server.Requests(); len(left) != 0 {
		t.Errorf("%d entries after a reset", len(left))
	}
}

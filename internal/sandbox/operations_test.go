package sandbox_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// What is listed is what a fault can name and what is routed.
func TestOperations(t *testing.T) {
	t.Parallel()
	listed := map[sandbox.Service]int{}
	for _, o := range sandbox.Operations() {
		listed[o.Service]++
		if _, err := sandbox.ParseFault("operation=" + o.Name + ",latency=1s"); err != nil {
			t.Error(err)
		}
		if o.Method == "" || !strings.HasPrefix(o.Path, "/") {
			t.Errorf("%+v", o)
		}
	}
	if listed[sandbox.Billing] == 0 || listed[sandbox.Finance] == 0 || listed[sandbox.Collections] == 0 {
		t.Errorf("operations by service: %v", listed)
	}
}

// A fault meets operations of collections by their names too.
func TestFaultOfCollections(t *testing.T) {
	t.Parallel()
	server := start(t, sandbox.Options{})
	fault, err := sandbox.ParseFault("operation=webhook_endpoints.create,status=503")
	if err != nil {
		t.Fatal(err)
	}
	server.AddFault(fault)
	k := collect(t, server)
	k.do(http.MethodPost, endpointsPath, `{"url":"https://hooks.example.com/a"}`).want(503)
	k.do(http.MethodGet, endpointsPath, "").want(200)
}

func TestNearest(t *testing.T) {
	t.Parallel()
	words := []string{"customers.create", "customers.get", "billing_accounts.create", "me.get"}
	for word, want := range map[string]string{
		"customers.creat":        "customers.create",
		"customer.get":           "customers.get",
		"billing-accounts.crate": "billing_accounts.create",
		"ME.get":                 "me.get",
		"customers.create":       "customers.create",
		"invoices.void":          "",
		"me.gte":                 "me.get",
		"":                       "",
	} {
		near, ok := sandbox.Nearest(word, words)
		if ok != (want != "") || ok && near != want {
			t.Errorf("nearest to %q: %q, %v, want %q", word, near, ok, want)
		}
	}
	if near, ok := sandbox.Nearest("me.get", nil); ok {
		t.Errorf("%q of nothing", near)
	}
}

// Whoever listens hears of each request as the log keeps it.
func TestOnRequest(t *testing.T) {
	t.Parallel()
	heard := make(chan sandbox.Request, 3)
	server := start(t, sandbox.Options{OnRequest: func(r sandbox.Request) { heard <- r }})
	server.AddFault(sandbox.Fault{Method: http.MethodPost, DropBefore: true})
	c := call(t, server)
	c.do(http.MethodGet, "/v1/me", "").want(200)
	if _, err := c.try(http.MethodPost, "/v1/customers", "{}"); err == nil {
		t.Error("nothing was dropped")
	}
	var got []string
	for range 2 {
		r := <-heard
		got = append(got, r.Operation+" "+r.Fault)
	}
	if want := []string{"me.get ", "customers.create fault-1"}; !slices.Equal(got, want) {
		t.Errorf("heard %q, want %q", got, want)
	}
}

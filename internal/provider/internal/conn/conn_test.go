package conn

import (
	"strings"
	"sync/atomic"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
)

// TestRefusing: the first object gets the error, whichever service it uses. The other ones of the state get none, and
// what has no state to keep gets one line.
func TestNewInvalid(t *testing.T) {
	t.Parallel()
	why := diag.Diagnostics{diag.NewErrorDiagnostic("Invalid provider argument token", "the token contains a space")}
	c := NewInvalid(why)
	var first diag.Diagnostics
	if _, ready := c.Billing.ForRefresh("billing_customer", &first); ready || !first.Equal(why) {
		t.Errorf("first: ready %v, %v", ready, first)
	}
	var rest diag.Diagnostics
	_, read := c.Finance.ForRefresh("billing_finance_record", &rest)
	_, found := c.Collections.For("data.billing_api_key", &rest)
	if planned := c.Billing.Planned("billing_customer", &rest); read || found || planned {
		t.Errorf("ready %v, found %v, planned %v", read, found, planned)
	}
	if len(rest) != 1 ||
		rest[0].Summary() != "Invalid provider argument token" || strings.Contains(rest[0].Detail(), "space") {
		t.Errorf("the others get %v", rest)
	}
}

// TestForRefresh_unknown: only the first object reports that the provider is not known yet, as that ends the run.
func TestForRefresh_unknown(t *testing.T) {
	t.Parallel()
	s := Service[string]{Unknown: []string{"token"}, Reported: new(atomic.Bool)}
	for _, errors := range []int{1, 0} {
		var diags diag.Diagnostics
		if _, ready := s.ForRefresh("billing_customer", &diags); ready || len(diags) != errors {
			t.Errorf("ready %v, %v", ready, diags)
		}
	}
}

// TestConfigure: everything gets the same Conn, nothing while Terraform only validates, and an error for anything else.
func TestConfigure(t *testing.T) {
	t.Parallel()
	c := &Conn{}
	for name, data := range map[string]any{"none": nil, "conn": c, "other": "text"} {
		var r Connected
		var d ConnectedDataSource
		var rr resource.ConfigureResponse
		var dr datasource.ConfigureResponse
		r.Configure(t.Context(), resource.ConfigureRequest{ProviderData: data}, &rr)
		d.Configure(t.Context(), datasource.ConfigureRequest{ProviderData: data}, &dr)
		if failed := name == "other"; rr.Diagnostics.HasError() != failed || dr.Diagnostics.HasError() != failed {
			t.Errorf("%s: %v %v", name, rr.Diagnostics, dr.Diagnostics)
		}
		if given := name == "conn"; (r.Conn == c) != given || (d.Conn == c) != given {
			t.Errorf("%s: resource has %p, data source has %p", name, r.Conn, d.Conn)
		}
	}
}

package finance

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/finance"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/conn"
)

// said joins what diagnostics say.
func said(diags diag.Diagnostics) string {
	var all []string
	for _, d := range diags {
		all = append(all, d.Severity().String()+": "+d.Summary()+": "+d.Detail())
	}
	return strings.Join(all, "\n")
}

// TestWarnStored: what comes back as drift is told at once, key by key.
func TestWarnStored(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ desired, answered, want string }{
		{`{"a":1,"s":"x","n":null}`, `{"id":"1","a":1.0,"b":2}`, ""},
		{`{"l":[{"a":1}]}`, `{"id":"1","l":[{"a":1,"id":7}]}`, ""},
		{`{"b":"10.5","a":1,"c":{"d":1}}`, `{"id":"1","b":"10.50","a":2,"c":{"d":1}}`, "record 1 of payables has other values than asked for in a, b;"},
		{`{"c":{"d":1}}`, `{"id":"1","c":{"d":2}}`, "in c;"},
	} {
		for _, ignores := range []bool{false, true} {
			var diags diag.Diagnostics
			m := model{ID: types.StringValue("1"), Collection: types.StringValue("payables"), IgnoreRemoteChanges: types.BoolValue(ignores)}
			m.warnStored(&finance.Record{ID: "1", Raw: json.RawMessage(c.answered)}, parsed(t, c.desired), &diags)
			have := said(diags)
			if wanted := c.want != "" && !ignores; diags.HasError() || (have != "") != wanted || wanted && !strings.Contains(have, c.want) {
				t.Errorf("%s against %s, ignoring %t: %q, want %q", c.desired, c.answered, ignores, have, c.want)
			}
		}
	}
}

// TestAdviseRetry: where the record may exist, the user learns how to find out, and with which key.
func TestAdviseRetry(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		err  error
		want bool
	}{
		{errors.New("connection reset"), true},
		{&api.TransportError{Err: errors.New("connection reset")}, true},
		{&api.Error{Status: 503}, true},
		{&api.Error{Status: 201}, true},
		{&api.Error{Status: 422, Attempts: 2}, false},
		{&api.Error{Status: 403, Attempts: 1}, false},
	} {
		var diags diag.Diagnostics
		adviseRetry(c.err, model{IdempotencyKey: types.StringValue("the-key")}, &diags)
		if have := said(diags); strings.Contains(have, "(the-key)") != c.want {
			t.Errorf("%v: %q", c.err, have)
		}
	}
}

// TestClaim: records of one run that would be one record are told apart.
func TestClaim(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		ids  []string // of the records with the same key, "" being one to be made
		want string
	}{
		"one":                        {[]string{""}, ""},
		"two to be made":             {[]string{"", ""}, "Error: Two records with the same key"},
		"one of them exists":         {[]string{"r1", ""}, "Warning: A record with the same key exists: The record r1 of payables"},
		"in the other order":         {[]string{"", "r1"}, "Warning: A record with the same key exists: The record r1 of payables"},
		"two that exist":             {[]string{"r1", "r2"}, ""},
		"one that is managed twice":  {[]string{"r1", "r1"}, "Warning: Two resources manage one record"},
		"one that exists, alone":     {[]string{"r1"}, ""},
		"two others and one to make": {[]string{"r1", "r2", ""}, "Warning: A record with the same key exists: The record r1 of payables"},
	} {
		r := &Resource{}
		r.Conn = &conn.Conn{Finance: conn.Service[*finance.Service]{Client: finance.New(nil), Ready: true}}
		var diags diag.Diagnostics
		for _, id := range c.ids {
			r.claim(model{Collection: types.StringValue("payables"), IdempotencyKey: types.StringValue("k")}, id, &diags)
			// Others do not matter.
			r.claim(model{Collection: types.StringValue("receivables-" + id), IdempotencyKey: types.StringValue("k")}, id, &diag.Diagnostics{})
			r.claim(model{Collection: types.StringValue("payables"), IdempotencyKey: types.StringNull()}, id, &diags)
			r.claim(model{Collection: types.StringValue("payables"), IdempotencyKey: types.StringUnknown()}, id, &diags)
		}
		if have := said(diags); (have == "") != (c.want == "") || !strings.HasPrefix(have, c.want) {
			t.Errorf("%s: %q, want %q", name, have, c.want)
		}
	}
	// Without a provider configuration there is nothing to compare with.
	new(Resource).claim(model{Collection: types.StringValue("payables"), IdempotencyKey: types.StringValue("k")}, "", nil)
}

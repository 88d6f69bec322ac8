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

// TestWarnStored: what comes back as drift is reported together, key by key.
func TestWarnStored(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ desired, responded, want string }{
		{`{"a":1,"s":"x","n":null}`, `{"id":"1","a":1.0,"b":2}`, ""},
		{`{"l":[{"a":1}]}`, `{"id":"1","l":[{"a":1,"id":7}]}`, ""},
		{`{"b":"10.5","a":1,"c":{"d":1}}`, `{"id":"1","b":"10.51","a":2,"c":{"d":1}}`,
			"record 1 of payables has other values than configured in a, b;"},
		{`{"c":{"d":1}}`, `{"id":"1","c":{"d":2}}`, "in c;"},
	} {
		for _, ignores := range []bool{false, true} {
			var diags diag.Diagnostics
			m := model{ID: types.StringValue("1"), Collection: types.StringValue("payables"),
				IgnoreRemoteChanges: types.BoolValue(ignores)}
			m.warnStored(&finance.Record{ID: "1", Raw: json.RawMessage(c.responded)}, parsed(t, c.desired), &diags)
			have := said(diags)
			if wanted := c.want != "" && !ignores; diags.HasError() || (have != "") != wanted ||
				wanted && !strings.Contains(have, c.want) {
				t.Errorf("%s against %s, ignoring %t: %q, want %q", c.desired, c.responded, ignores, have, c.want)
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

// TestClaim: records of one run that would be one record are distinguished.
func TestClaim(t *testing.T) {
	t.Parallel()
	made, given := finance.Claim{}, finance.Claim{Given: true}
	one, other, removed := finance.Claim{ID: "r1"}, finance.Claim{ID: "r2"}, finance.Claim{ID: "r1", Destroyed: true}
	const exists = "Error: A record with the same key exists: The record r1 of payables"
	for name, c := range map[string]struct {
		claims []finance.Claim // on the same key
		want   string
	}{
		"one": {[]finance.Claim{made}, ""},
		"two to be made": {[]finance.Claim{made, made}, "Error: Two records with the same key: Another record " +
			"of payables in this plan has the key k too, because its body is the same"},
		"two with keys of their own": {[]finance.Claim{given, given}, "Error: Two records with the same key: Another " +
			"record of payables in this plan has the key k too, because its idempotency_key is the same; keys compare without " +
			"case"},
		"one of them exists":          {[]finance.Claim{one, made}, exists},
		"in the other order":          {[]finance.Claim{made, one}, exists},
		"two that exist":              {[]finance.Claim{one, other}, ""},
		"one that is managed twice":   {[]finance.Claim{one, one}, ""},
		"one of them is removed":      {[]finance.Claim{one, removed}, ""},
		"both are removed":            {[]finance.Claim{removed, removed}, ""},
		"one is removed, another not": {[]finance.Claim{removed, other}, ""},
		"renamed": {[]finance.Claim{removed, made},
			"Warning: A record is deleted and created with the same key: This plan deletes the record r1 of payables"},
		"renamed, in the other order": {[]finance.Claim{made, removed},
			"Warning: A record is deleted and created with the same key: This plan deletes the record r1 of payables"},
		"one that exists, alone":     {[]finance.Claim{one}, ""},
		"replaced":                   {[]finance.Claim{one, {Replaces: "payables/r1"}}, ""},
		"two others and one to make": {[]finance.Claim{one, other, made}, exists},
	} {
		r := &Resource{base{Scheme: scheme}}
		r.Conn = &conn.Conn{Finance: conn.Service[*finance.Service]{Client: finance.New(nil), Ready: true}}
		var diags diag.Diagnostics
		for i, claim := range c.claims {
			key := []string{"k", "K", "k"}[i]
			r.claim(model{Collection: types.StringValue("payables"), IdempotencyKey: types.StringValue(key)}, claim, &diags)
			// Others do not matter.
			r.claim(model{Collection: types.StringValue("receivables"), IdempotencyKey: types.StringValue(key)}, claim,
				&diag.Diagnostics{})
			r.claim(model{Collection: types.StringValue("payables"), IdempotencyKey: types.StringNull()}, claim, &diags)
			r.claim(model{Collection: types.StringValue("payables"), IdempotencyKey: types.StringUnknown()}, claim, &diags)
		}
		if have := strings.Replace(said(diags), "key K", "key k", 1); (have == "") != (c.want == "") ||
			!strings.HasPrefix(have, c.want) {
			t.Errorf("%s: %q, want %q", name, have, c.want)
		}
	}
	// Without a provider configuration there is nothing to compare with.
	new(Resource).claim(model{Collection: types.StringValue("payables"), IdempotencyKey: types.StringValue("k")}, made,
		nil)
}

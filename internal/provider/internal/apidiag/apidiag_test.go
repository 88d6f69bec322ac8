package apidiag

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
)

var creating = Operation{Verb: "create", Object: `customer "Acme"`, TypeName: "billing_customer",
	Attributes: []string{"name", "external_id", "emails", "email"}}

// refusal is the service's own error, with what change makes of it.
func refusal(status int, code string, change func(*api.Error)) *api.Error {
	e := &api.Error{Service: "billing", Operation: "customers.create", Method: "POST", Path: "/v1/customers",
		Status: status, Code: code, Message: "the service's words", Structured: code != "",
		RequestID: "request-1", Attempts: 1}
	if change != nil {
		change(e)
	}
	return e
}

func unchanged(*api.Error) {}

// said is one diagnostic: where it stands ("" for the whole object) and what it has to say, in any order.
type said struct {
	at    string
	parts []string
}

func check(t *testing.T, err error, operation Operation, want []said) {
	t.Helper()
	var diags diag.Diagnostics
	Add(&diags, err, operation)
	if len(diags) != len(want) {
		t.Fatalf("%d diagnostics, want %d: %v", len(diags), len(want), diags)
	}
	for i, d := range diags {
		at := ""
		if with, ok := d.(diag.DiagnosticWithPath); ok {
			at = with.Path().String()
		}
		if at != want[i].at || d.Severity() != diag.SeverityError {
			t.Errorf("diagnostic %d is on %q with severity %s, want an error on %q", i, at, d.Severity(), want[i].at)
		}
		text := d.Summary() + "\n" + d.Detail()
		for _, part := range append(want[i].parts, "Could not "+operation.Verb+" "+operation.Object) {
			if !strings.Contains(text, part) {
				t.Errorf("diagnostic %d does not say %q:\n%s", i, part, text)
			}
		}
	}
}

// TestAdd_evidence: every refusal carries what support needs to find the request again.
func TestAdd_evidence(t *testing.T) {
	t.Parallel()
	check(t, refusal(http.StatusConflict, "strange", unchanged), creating, []said{{"", []string{
		"The service's words.", "customers.create (POST /v1/customers)", "Status: 409, code: strange",
		"Request-Id: request-1", "Change what the message names"}}})
	check(t, refusal(http.StatusConflict, "", func(e *api.Error) { e.RequestID, e.Message = "", "" }), creating,
		[]said{{"", []string{
			"The service gives no reason.", "code: none", "Request-Id: none"}}})
	check(t, refusal(http.StatusOK, "", unchanged), creating,
		[]said{{"", []string{"This is not the service's own response", "Check base_url."}}})
	check(t, fmt.Errorf("wrapped: %w", refusal(http.StatusConflict, "strange", nil)), creating,
		[]said{{"", []string{"Request-Id: request-1"}}})
}

// TestAdd_otherObject: a response about another object names both ids, and gives no advice that fits another cause.
func TestAdd_otherObject(t *testing.T) {
	t.Parallel()
	other := &api.OtherObjectError{Noun: "customer", Asked: "c1", Shown: "c2", Err: refusal(http.StatusOK, "", nil)}
	parts := []string{"the response shows another object", `"c1"`, `"c2"`, "Nothing of that object was stored",
		"check base_url", "Request-Id: request-1"}
	check(t, fmt.Errorf("wrapped: %w", other), creating, []said{{"", parts}})
	check(t, &api.AmbiguousError{Err: other}, creating, []said{{"", []string{"the outcome is unknown"}}})
}

// TestAdd_advice: the text says what to do next.
func TestAdd_advice(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		err   *api.Error
		parts []string
	}{
		"active subscriptions": {refusal(422, "customer_has_active_subscriptions", nil),
			[]string{"Cancel the customer's subscriptions first", `deletion_policy = "abandon"`}},
		"unauthorized, collections": {refusal(401, "unauthorized", func(e *api.Error) { e.Service = "collections" }),
			[]string{"collections_api_key", "BILLING_COLLECTIONS_API_KEY", "collections_base_url"}},
		"unauthorized, finance": {refusal(401, "unauthorized", func(e *api.Error) { e.Service = "finance" }),
			[]string{"finance_token", "BILLING_FINANCE_TOKEN", "finance_base_url"}},
		"unauthorized": {refusal(401, "unauthorized", nil),
			[]string{"revoked or expired", "BILLING_TOKEN", "base_url",
				"Set a valid token of the recurring-billing service there."}},
		"unauthorized, bare": {refusal(401, "", nil), []string{"revoked or expired"}},
		"scope": {refusal(403, "insufficient_scope", func(e *api.Error) {
			e.Required, e.Granted = []string{"customers:write", "customers:read"}, []string{"invoices:read"}
		}), []string{"it needs customers:write, customers:read and has invoices:read"}},
		"scope, nothing granted": {refusal(403, "insufficient_scope",
			func(e *api.Error) { e.Required = []string{"customers:write"} }), []string{"it needs customers:write and has none"}},
		"forbidden": {refusal(403, "forbidden", nil), []string{"access by API is blocked"}},
		"not found": {refusal(404, "not_found", nil), []string{"another organization", "base_url",
			"argument operations", "POST /v1/customers"}},
		"not found, bare": {refusal(404, "", nil), []string{"Nothing was removed from the state", "base_url", "operations",
			"customers.create"}},
		"method": {refusal(405, "", nil), []string{"argument operations for customers.create"}},
		"too many requests": {refusal(429, "rate_limited", func(e *api.Error) { e.RetryAfter = 90 * time.Second }),
			[]string{"asks to wait 1m30s. Run again later.", "requests_per_second"}},
		"too many requests, for an hour": {refusal(429, "rate_limited", func(e *api.Error) {
			e.RetryAfter, e.RetryAt = time.Hour, time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)
		}), []string{"asks to wait 1h0m0s. The provider waits for a rate limit automatically, but not that long. Run again " +
			"after 2026-01-31T12:00:00Z."}},
		"address of another service": {refusal(401, "unauthorized", func(e *api.Error) {
			e.Source = api.Source{BaseURL: "https://a", BaseURLFrom: "the environment variable BILLING_BASE_URL",
				BaseURLTwin: "collections_base_url"}
		}), []string{`base_url ("https://a", from the environment variable BILLING_BASE_URL) has the same value as ` +
			"collections_base_url", "Set base_url to the address of the recurring-billing service."}},
		"token of another service": {refusal(401, "unauthorized", func(e *api.Error) {
			e.Service, e.Source = "finance", api.Source{TokenTwin: "token"}
		}), []string{"finance_token has the same value as token",
			"Set finance_token to a token of the financial-management"}},
		"too many, no time": {refusal(429, "rate_limited", nil), []string{"The service limits requests. Run again later"}},
		"server error": {refusal(500, "internal", func(e *api.Error) { e.Attempts = 5 }),
			[]string{"failed to respond 5 times in a row", "few minutes, or set retry_timeout"}},
		"capped": {refusal(503, "", func(e *api.Error) { e.Attempts, e.Capped = 3, true }),
			[]string{"3 times in a row", "few minutes, or raise max_retries, which allowed no further attempt."}},
		"never repeated": {refusal(503, "", func(e *api.Error) { e.Attempts, e.Capped = 1, true }),
			[]string{"few minutes, or allow more attempts: max_retries or retry_timeout is 0."}},
		"gateway":     {refusal(502, "", nil), []string{"failed to respond.", "few minutes"}},
		"unavailable": {refusal(503, "unavailable", nil), []string{"few minutes"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			check(t, c.err, creating, []said{{"", append(c.parts, "Request-Id: request-1")}})
		})
	}
}

// TestAdd_fields: a refusal lands on the argument it blames, once for each, in a stable order.
func TestAdd_fields(t *testing.T) {
	t.Parallel()
	fields := refusal(422, "validation_error", func(e *api.Error) {
		e.Fields = map[string]string{"name": "is too long", "emails[1].value": "is no address", "emails.0.kind": "is unknown",
			"colour": "is not allowed"}
	})
	check(t, fields, creating, []said{
		{"", []string{"Invalid value for colour: is not allowed.", "Request-Id: request-1"}},
		{"emails", []string{"Invalid value for emails[0].kind: is unknown.", "Request-Id: request-1"}},
		{"emails", []string{"Invalid value for emails[1].value: is no address.", "Request-Id: request-1"}},
		{"name", []string{"Invalid value for name: is too long.", "Request-Id: request-1"}},
	})
	single := refusal(422, "validation_error", func(e *api.Error) { e.Field = "name" })
	check(t, single, creating, []said{{"name", []string{"Invalid value for name: the service's words."}}})
	check(t, single, Operation{Verb: "list", Object: "customers"},
		[]said{{"", []string{"Invalid value for name: the service's words."}}})
	camel := refusal(422, "validation_error", func(e *api.Error) { e.Fields = map[string]string{"expiresAt": "Is past."} })
	check(t, camel, Operation{Verb: "create", Object: "x", Attributes: []string{"expires_at"}},
		[]said{{"expires_at", []string{"Invalid value for expires_at: is past."}}})
	empty := refusal(422, "validation_error", func(e *api.Error) { e.Fields = map[string]string{"email": ""} })
	check(t, empty, creating, []said{{"email", []string{"Invalid value for email: the service gives no reason."}}})
}

// TestAdd_taken: a creation with a taken external_id is told of the block that takes the existing object over, where it
// is known, and of create_before_destroy; a change is told how to swap, and of no import.
func TestAdd_taken(t *testing.T) {
	t.Parallel()
	known := refusal(422, "external_id_taken", func(e *api.Error) { e.ExistingID = "0b5f"; e.Field = "external_id" })
	block := "import {\n    to = billing_customer.this\n    id = \"0b5f\"\n  }"
	check(t, known, creating,
		[]said{{"external_id", []string{"the external_id is taken", "(id 0b5f)", "Nothing was created",
			"create_before_destroy", "Nothing was created. If this resource was renamed or moved, add a moved block",
			"destroys the other object, that may be done by now: apply again", "where no address of this state", block, "Request-Id: request-1"}}})
	unknown := refusal(422, "external_id_taken", nil)
	check(t, unknown, creating, []said{{"external_id",
		[]string{"no other configuration has the other object, import it", "Request-Id: request-1"}}})
	check(t, known, Operation{Verb: "create", Object: "x"}, []said{{"external_id",
		[]string{"no other configuration has the other object, import it"}}})
	changing := creating
	changing.Verb = "update"
	check(t, known, changing,
		[]said{{"external_id", []string{"the external_id is taken", "(id 0b5f)", "was not changed", "swap theirs",
			"Request-Id: request-1"}}})
	var diags diag.Diagnostics
	Add(&diags, known, changing)
	if text := diags[0].Detail(); strings.Contains(text, "import {") || strings.Contains(text, "created") {
		t.Errorf("a change is told to import: %s", text)
	}
}

// TestAdd_ambiguous: an outcome that nobody knows is not reported as a refusal.
func TestAdd_ambiguous(t *testing.T) {
	t.Parallel()
	ambiguous := &api.AmbiguousError{Service: "billing", Operation: "customers.create",
		SentAt: time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC), Err: refusal(504, "", nil),
		Outlook: "Look for it at the service"}
	check(t, ambiguous, creating,
		[]said{{"", []string{"the outcome is unknown", "2026-03-14T12:00:00Z", "Look for it at the service.", "request-1"}}})
}

// TestAdd_candidates: what may have come of a lost creation is named with its import block, and another object with the
// external_id is a taken one.
func TestAdd_candidates(t *testing.T) {
	t.Parallel()
	lost := &api.AmbiguousError{Service: "billing", Operation: "customers.create", Err: errors.New("connection reset")}
	two := *lost
	two.Candidates = []string{"id-1", "id-2"}
	check(t, &two, creating, []said{{"", []string{"the outcome is unknown", "connection reset",
		"Find out which one you mean", "id = \"id-1\"", "id = \"id-2\"", "to = billing_customer.this"}}})
	check(t, &api.TakenError{ID: "id-1", Err: lost}, creating,
		[]said{{"external_id", []string{"the external_id is taken", "Nothing was created", "this creation has not made",
			"id = \"id-1\"", "connection reset"}}})
}

// TestAdd_earlier: what another error of the run explains is one line, whichever of them is shown first.
func TestAdd_earlier(t *testing.T) {
	t.Parallel()
	for cause, first := range map[string]*api.Error{
		"status 401 (Unauthorized)": refusal(401, "unauthorized", nil),
		"the token lacks a, b":      refusal(403, "insufficient_scope", func(e *api.Error) { e.Required = []string{"a", "b"} }),
	} {
		earlier := &api.EarlierError{Service: "billing", Operation: "customers.get", First: first, Err: first}
		for i, err := range []error{earlier, first, fmt.Errorf("wrapped: %w", earlier)} {
			var diags diag.Diagnostics
			Add(&diags, err, creating)
			full := strings.Contains(diags[0].Detail(), "BILLING_TOKEN")
			short := diags[0].Detail() == "The cause is the same as in another error of this run, which says what to do: "+
				cause+"."
			if full != (i == 0) || short == full {
				t.Errorf("error %d: %s", i, diags[0].Detail())
			}
		}
	}
}

// TestAdd_withoutResponse: interruptions and broken connections are told in plain words.
func TestAdd_withoutResponse(t *testing.T) {
	t.Parallel()
	check(t, fmt.Errorf("read: %w", context.Canceled), creating, []said{{"", []string{"The run was interrupted"}}})
	check(t, &api.TransportError{Service: "billing", Operation: "customers.get", Attempts: 3,
		Err: errors.New("connection refused")}, creating,
		[]said{{"", []string{"no response after 3 attempts: connection refused."}}})
}

// TestAdd_source: an error about the connection or the token says what is configured, and where.
func TestAdd_source(t *testing.T) {
	t.Parallel()
	source := api.Source{BaseURL: "https://a.example", BaseURLFrom: "the environment variable BILLING_BASE_URL",
		TokenFrom: "the provider argument token"}
	const address = `base_url ("https://a.example", from the environment variable BILLING_BASE_URL)`
	sourced := func(e *api.Error) { e.Source = source }
	lost := func(err error) error {
		return &api.TransportError{Service: "billing", Operation: "me.get", Source: source, Attempts: 2,
			Err: fmt.Errorf("dial: %w", err)}
	}
	for name, c := range map[string]struct {
		err   error
		parts []string
	}{
		"401": {refusal(401, "invalid_token", sourced), []string{"from the provider argument token.", address}},
		"403": {refusal(403, "forbidden", sourced), []string{"from the provider argument token"}},
		"blocked": {refusal(403, "access_blocked", sourced),
			[]string{"blocked access by API for the whole organization", "support"}},
		"route": {refusal(404, "route_not_found", sourced), []string{"/v1/customers was appended to " + address,
			"the recurring-billing service, without /v1"}},
		"no such id": {refusal(404, "not_found", sourced), []string{"another organization", address}},
		"authority": {lost(x509.UnknownAuthorityError{}),
			[]string{"ca_certificate_file (or BILLING_CA_CERTIFICATE_FILE)", address}},
		"other host": {lost(x509.HostnameError{Certificate: &x509.Certificate{}, Host: "b"}),
			[]string{"for another host", address}},
		"invalid": {lost(&tls.CertificateVerificationError{Err: errors.New("expired")}),
			[]string{"not valid", "clock", address}},
		"no TLS": {lost(tls.RecordHeaderError{Msg: "x"}), []string{"does not use TLS", address}},
		"name": {lost(&net.DNSError{Err: "no such host", IsNotFound: true}),
			[]string{"no host of this name", address}},
		"proxy": {lost(&net.OpError{Op: "proxyconnect", Net: "tcp", Err: &net.DNSError{Err: "no such host",
			IsNotFound: true}}), []string{"The proxy in the environment variable HTTPS_PROXY", "If " + address}},
		"proxy with a password": {refusal(407, "", sourced), []string{"HTTPS_PROXY", address}},
		"dropped": {lost(&net.OpError{Op: "dial", Net: "tcp", Err: os.ErrDeadlineExceeded}),
			[]string{"firewall", address}},
		"refused":     {lost(syscall.ECONNREFUSED), []string{"Nothing listens at this address", address, "retry_timeout"}},
		"another one": {lost(errors.New("broken")), []string{"Check that " + address + " is right", "retry_timeout"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			check(t, c.err, creating, []said{{"", c.parts}})
		})
	}
}

// TestAdd_values: the value of a rejected argument is quoted, at any depth; credentials are not, and ids come with a
// hint.
func TestAdd_values(t *testing.T) {
	t.Parallel()
	item := types.ObjectType{AttrTypes: map[string]attr.Type{"value": types.StringType}}
	type part struct {
		PlanID types.String `tfsdk:"plan_id"`
	}
	model := struct {
		part
		Emails     types.List    `tfsdk:"emails"`
		PasswordWO types.String  `tfsdk:"password_wo"`
		Days       types.Int64   `tfsdk:"days"`
		Body       types.Dynamic `tfsdk:"body"`
		Name       types.String  `tfsdk:"name"`
	}{
		part{types.StringValue("5b0f7d52-8f0a-4a35-9d7e-6f6f1f0c2a02")},
		types.ListValueMust(item,
			[]attr.Value{types.ObjectValueMust(item.AttrTypes, map[string]attr.Value{"value": types.StringValue("a\nb")})}),
		types.StringValue("hunter2"), types.Int64Value(3),
		types.DynamicValue(types.ObjectValueMust(map[string]attr.Type{"amount": types.NumberType},
			map[string]attr.Value{"amount": types.NumberValue(big.NewFloat(10.5))})),
		types.StringUnknown(),
	}
	for field, want := range map[string]string{
		"plan_id":         `Invalid value for plan_id: does not exist (got "5b0f7d52-8f0a-4a35-9d7e-6f6f1f0c2a02"). Ids of plans differ between organizations and environments. Existing: none.`,
		"planId":          `Invalid value for plan_id: does not exist (got "5b0f7d52-8f0a-4a35-9d7e-6f6f1f0c2a02").`,
		"emails.0.value":  `Invalid value for emails[0].value: does not exist (got "a\nb").`,
		"emails[7].value": `Invalid value for emails[7].value: does not exist.`,
		"password_wo":     "Invalid value for password_wo: does not exist.",
		"days":            "Invalid value for days: does not exist (got 3).",
		"body.amount":     "Invalid value for body.amount: does not exist (got 10.5).",
		"name":            "Invalid value for name: does not exist.", "colour": "Invalid value for colour: does not exist.",
	} {
		operation := Operation{Verb: "create", Object: "x", Attributes: []string{"plan_id", "emails"}, Model: model,
			Existing: func(argument string) string {
				if argument == "plan_id" {
					return "Existing: none."
				}
				return ""
			}}
		var diags diag.Diagnostics
		Add(&diags,
			refusal(422, "validation_error", func(e *api.Error) { e.Fields = map[string]string{field: "Does not exist."} }),
			operation)
		if text := diags[0].Detail(); !strings.HasPrefix(text, want) {
			t.Errorf("%s: %s\nwant %s", field, text, want)
		}
	}
}

// TestAddRead: once an error of a refresh says what is wrong, refreshes of other objects with the same cause warn. An
// object that the state does not show yet is an error in any case.
func TestAddRead(t *testing.T) {
	t.Parallel()
	server := httptest.NewTLSServer(http.NotFoundHandler())
	server.Close()
	client, err := api.New(api.Config{Service: "billing", BaseURL: server.URL, Token: "t", MaxRetries: 0})
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range []struct {
		known bool
		want  diag.Severity
	}{{true, diag.SeverityError}, {true, diag.SeverityWarning}, {false, diag.SeverityError},
		{true, diag.SeverityWarning}} {
		_, err := client.Do(t.Context(), api.Request{Operation: "customers.get", Path: map[string]string{"id": "1"}})
		var diags diag.Diagnostics
		AddRead(&diags, err, Operation{Verb: "read", Object: "customer"}, c.known)
		if len(diags) != 1 || diags[0].Severity() != c.want {
			t.Errorf("refresh %d: %v, want %s", i, diags, c.want)
		}
	}
}

// TestAdd_textOfTheService: a message that starts with a letter of several bytes stays readable.
func TestAdd_textOfTheService(t *testing.T) {
	t.Parallel()
	check(t, refusal(422, "x", func(e *api.Error) { e.Message = "é obrigatório!" }), creating,
		[]said{{"", []string{"É obrigatório! "}}})
}

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

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest/golden"
	"github.com/recurring-billing/terraform-provider-billing/internal/api"
)

var creating = Operation{Verb: "create", Object: `customer "Acme"`, TypeName: "billing_customer",
	Model: struct {
		Name   types.String `tfsdk:"name"`
		Email  types.String `tfsdk:"email"`
		Emails types.String `tfsdk:"emails"`
	}{}}

// refusal is the service's own error, with what change makes of it.
func refusal(status int, code string, change func(*api.Error)) *api.Error {
	e := &api.Error{Service: "billing", Operation: "customers.create", Method: "POST", Path: "/v1/customers",
		Status: status, Code: code, Message: "the service's words", Structured: code != "",
		RequestID: "request-1", Attempts: 1, Origin: &Source{}}
	if change != nil {
		change(e)
	}
	return e
}

// said are the messages of an error that a creation meets.
func said(err error) diag.Diagnostics { return saidOf(err, creating) }

func saidOf(err error, operation Operation) (diags diag.Diagnostics) {
	Add(&diags, err, operation)
	return diags
}

// TestAdd: what each error says, to the letter. What is the cause is in the name of the case.
func TestAdd(t *testing.T) {
	t.Parallel()
	with := func(status int, code string, change func(*api.Error)) diag.Diagnostics {
		return said(refusal(status, code, change))
	}
	source := &Source{BaseURL: "https://a.example", BaseURLFrom: "the environment variable BILLING_BASE_URL",
		TokenFrom: "the provider argument token"}
	sourced := func(e *api.Error) { e.Origin = source }
	lost := func(err error) diag.Diagnostics {
		return said(&api.TransportError{Service: "billing", Operation: "me.get", Origin: source, Attempts: 2,
			Err: fmt.Errorf("dial: %w", err)})
	}
	of := func(service string) func(*api.Error) { return func(e *api.Error) { e.Service = service } }
	other := &api.OtherObjectError{Noun: "customer", Asked: "c1", Shown: "c2", Err: refusal(http.StatusOK, "", nil)}
	fields := refusal(422, "validation_error", func(e *api.Error) {
		e.Fields = map[string]string{"name": "is too long", "emails[1].value": "is no address", "emails.0.kind": "is unknown",
			"colour": "is not allowed"}
	})
	single := refusal(422, "validation_error", func(e *api.Error) { e.Field = "name" })
	taken := refusal(422, "external_id_taken", func(e *api.Error) { e.ExistingID, e.Field = "0b5f", "external_id" })
	changing := creating
	changing.Verb = "update"
	ambiguous := &api.AmbiguousError{Service: "billing", Operation: "customers.create",
		SentAt: time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC), Err: refusal(504, "", nil),
		Advice: "Look for it at the service"}
	unanswered := &api.AmbiguousError{Service: "billing", Operation: "customers.create",
		Err: errors.New("connection reset")}
	two := *unanswered
	two.Candidates = []string{"id-1", "id-2"}
	identified := creating
	identified.Model = struct {
		ExternalID types.String `tfsdk:"external_id"`
	}{types.StringNull()}
	golden.Messages(t, map[string]diag.Diagnostics{
		"conflict":                      with(409, "strange", nil),
		"conflict, bare":                with(409, "", func(e *api.Error) { e.RequestID, e.Message = "", "" }),
		"conflict, wrapped":             said(fmt.Errorf("wrapped: %w", refusal(409, "strange", nil))),
		"letter of two bytes":           with(422, "x", func(e *api.Error) { e.Message = "é obrigatório!" }),
		"not a refusal":                 with(200, "", nil),
		"another object":                said(fmt.Errorf("wrapped: %w", other)),
		"another object, after a write": said(&api.AmbiguousError{Err: other}),

		"active subscriptions":      with(422, "customer_has_active_subscriptions", nil),
		"unauthorized":              with(401, "unauthorized", nil),
		"unauthorized, bare":        with(401, "", nil),
		"unauthorized, collections": with(401, "unauthorized", of("collections")),
		"unauthorized, finance":     with(401, "unauthorized", of("finance")),
		"unauthorized, with source": with(401, "invalid_token", sourced),
		"unauthorized, address of another service": with(401, "unauthorized", func(e *api.Error) {
			e.Origin = &Source{BaseURL: "https://a", BaseURLFrom: "the environment variable BILLING_BASE_URL",
				BaseURLTwin: "collections_base_url"}
		}),
		"unauthorized, token of another service": with(401, "unauthorized", func(e *api.Error) {
			e.Service, e.Origin = "finance", &Source{TokenTwin: "token"}
		}),
		"scope": with(403, "insufficient_scope", func(e *api.Error) {
			e.Required, e.Granted = []string{"customers:write", "customers:read"}, []string{"invoices:read"}
		}),
		"scope, nothing granted": with(403, "insufficient_scope", func(e *api.Error) {
			e.Required = []string{"customers:write"}
		}),
		"forbidden":                  with(403, "forbidden", nil),
		"forbidden, with source":     with(403, "forbidden", sourced),
		"blocked":                    with(403, "access_blocked", sourced),
		"not found":                  with(404, "not_found", nil),
		"not found, bare":            with(404, "", nil),
		"not found, with source":     with(404, "not_found", sourced),
		"route":                      with(404, "route_not_found", sourced),
		"method":                     with(405, "", nil),
		"proxy with a password":      with(407, "", sourced),
		"too many requests, no time": with(429, "rate_limited", nil),
		"too many requests":          with(429, "rate_limited", func(e *api.Error) { e.RetryAfter = 90 * time.Second }),
		"too many requests, for an hour": with(429, "rate_limited", func(e *api.Error) {
			e.RetryAfter, e.RetryAt = time.Hour, time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)
		}),
		"too many requests, again and again": with(429, "rate_limited", func(e *api.Error) {
			e.RetryAfter, e.RetryAt = time.Second, time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)
			e.Waited = 5 * time.Minute
		}),
		"server error": with(500, "internal", func(e *api.Error) { e.Attempts = 5 }),
		"server error, a finance record": with(500, "internal", func(e *api.Error) {
			e.Operation, e.Attempts = "finance.records.create", 6
		}),
		"gateway":                       with(502, "", nil),
		"server error, no attempt left": with(503, "", func(e *api.Error) { e.Attempts, e.Capped = 3, true }),
		"server error, never repeated":  with(503, "", func(e *api.Error) { e.Attempts, e.Capped = 1, true }),
		"unavailable":                   with(503, "unavailable", nil),

		"fields":          said(fields),
		"field":           said(single),
		"field of a list": saidOf(single, Operation{Verb: "list", Object: "customers"}),
		"field without a reason": with(422, "validation_error", func(e *api.Error) {
			e.Fields = map[string]string{"email": ""}
		}),
		"field in another case": saidOf(refusal(422, "validation_error", func(e *api.Error) {
			e.Fields = map[string]string{"expiresAt": "Is past."}
		}), Operation{Verb: "create", Object: "x", Model: struct {
			ExpiresAt types.String `tfsdk:"expires_at"`
		}{}}),
		"field of a code": saidOf(refusal(422, "name_taken", nil), Operation{Verb: "create", Object: "x",
			Keys: map[string]string{"name_taken": "name"}}),

		"external_id":                    said(taken),
		"external_id, unknown":           with(422, "external_id_taken", nil),
		"external_id, nothing to import": saidOf(taken, Operation{Verb: "create", Object: "x"}),
		"external_id, in an update":      saidOf(taken, changing),
		"external_id, lost":              said(&api.TakenError{ID: "id-1", Err: unanswered}),

		"ambiguous":                        said(ambiguous),
		"ambiguous, with candidates":       said(&two),
		"ambiguous, candidates of no type": saidOf(&two, Operation{Verb: "create", Object: "x"}),
		"ambiguous, without external_id":   saidOf(unanswered, identified),

		"interrupted": said(fmt.Errorf("read: %w", context.Canceled)),
		"no response": said(&api.TransportError{Service: "billing", Operation: "customers.get", Attempts: 3,
			Err: errors.New("connection refused")}),
		"authority":  lost(x509.UnknownAuthorityError{}),
		"other host": lost(x509.HostnameError{Certificate: &x509.Certificate{}, Host: "b"}),
		"invalid":    lost(&tls.CertificateVerificationError{Err: errors.New("expired")}),
		"TLS alert":  lost(&net.OpError{Op: "remote error", Err: errors.New("tls: certificate required")}),
		"no TLS":     lost(tls.RecordHeaderError{Msg: "x"}),
		"name":       lost(&net.DNSError{Err: "no such host", IsNotFound: true}),
		"proxy": lost(&net.OpError{Op: "proxyconnect", Net: "tcp",
			Err: &net.DNSError{Err: "no such host", IsNotFound: true}}),
		"dropped": lost(&net.OpError{Op: "dial", Net: "tcp", Err: os.ErrDeadlineExceeded}),
		"refused": lost(syscall.ECONNREFUSED),
		"refused, on this machine": said(&api.TransportError{Service: "billing", Operation: "me.get", Attempts: 1,
			Origin: &Source{BaseURL: "https://127.0.0.1:4000"}, Err: syscall.ECONNREFUSED}),
		"external_id, of this run": saidOf(taken, Operation{Verb: "create", Object: "x",
			Created: func(id string) string { return "customer \"A\" (id " + id + ")" }}),
		"another one": lost(errors.New("broken")),
	})
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
			short := diags[0].Detail() == "Another error of this run has the same cause and explains what to do: "+cause+"."
			if full != (i == 0) || short == full {
				t.Errorf("error %d: %s", i, diags[0].Detail())
			}
		}
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
		Entries    types.List    `tfsdk:"entries"`
		Email      types.String  `tfsdk:"email"`
		PasswordWO types.String  `tfsdk:"password_wo"`
		Days       types.Int64   `tfsdk:"days"`
		Body       types.Dynamic `tfsdk:"body"`
		Name       types.String  `tfsdk:"name"`
	}{
		part{types.StringValue("5b0f7d52-8f0a-4a35-9d7e-6f6f1f0c2a02")},
		types.ListValueMust(item,
			[]attr.Value{types.ObjectValueMust(item.AttrTypes, map[string]attr.Value{"value": types.StringValue("a\nb")})}),
		types.StringValue("ana@example.com"), types.StringValue("hunter2"), types.Int64Value(3),
		types.DynamicValue(types.ObjectValueMust(map[string]attr.Type{"amount": types.NumberType},
			map[string]attr.Value{"amount": types.NumberValue(big.NewFloat(10.5))})),
		types.StringUnknown(),
	}
	for field, want := range map[string]string{
		"plan_id":          `Invalid value for plan_id: does not exist (got "5b0f7d52-8f0a-4a35-9d7e-6f6f1f0c2a02"). Ids of plans differ between organizations and environments. Existing: none.`,
		"planId":           `Invalid value for plan_id: does not exist (got "5b0f7d52-8f0a-4a35-9d7e-6f6f1f0c2a02").`,
		"entries.0.value":  `Invalid value for entries[0].value: does not exist.`,
		"email":            `Invalid value for email: does not exist.`,
		"entries[7].value": `Invalid value for entries[7].value: does not exist.`,
		"password_wo":      "Invalid value for password_wo: does not exist.",
		"days":             "Invalid value for days: does not exist (got 3).",
		"body.amount":      "Invalid value for body.amount: does not exist (got 10.5).",
		"name":             "Invalid value for name: does not exist.", "colour": "Invalid value for colour: does not exist.",
	} {
		operation := Operation{Verb: "create", Object: "x", Model: model,
			Choices: func(argument string) string {
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
	client, err := api.New(api.Config{Service: "billing", BaseURL: server.URL, Token: "t", MaxRetries: 0,
		Origin: &Source{}})
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

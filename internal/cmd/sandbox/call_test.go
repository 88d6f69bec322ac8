package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// TestCall requires call to add address, token and Content-Type for each service, and to end with the code of the
// status.
func TestCall(t *testing.T) {
	t.Parallel()
	server, s := startServer(t)
	file := filepath.Join(t.TempDir(), "body.json")
	if err := os.WriteFile(file, []byte(`{"name":"Aurora","external_id":"aurora"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		args          []string
		code          int
		status, shown string
	}{
		{[]string{"get", "/v1/me"}, 0, "200 OK", `"environment": "sandbox"`},
		{[]string{"POST", "/v1/customers", "@" + file}, 0, "201 Created", `"external_id": "aurora"`},
		{[]string{"PATCH", "/v1/customers/external_id=aurora", `{"notes":"x"}`}, 0, "200 OK", `"notes": "x"`},
		{[]string{"PATCH", "/v1/customers/external_id=aurora", `{"notes":5}`}, exitRejected, "422 ", `"notes"`},
		{[]string{"GET", "/v1/customers/9b1deb4d-3b7d-4bad-9bdd-2b0d7b3dcb6d"}, exitRejected, "404 ", "not_found"},
		{[]string{"GET", "/v1/payables?limit=1"}, 0, "200 OK", `"name"`},
		{[]string{"POST", "/v1/journal", `{"name":"own"}`, "--header", "X-Idempotency-Key: k-1"}, exitRejected, "400 ",
			"invalid_idempotency_key"},
		{[]string{"POST", "/v1/journal", `{"name":"own"}`}, 0, "201 Created", "own"},
		{[]string{"GET", "/api/v1/webhook-endpoints"}, 0, "200 OK", `"data": []`},
		{[]string{"--service", "finance", "GET", "/v1/accounts"}, 0, "200 OK", `"name"`},
	} {
		code, out, said := s.run(append([]string{"call"}, step.args...)...)
		if code != step.code || !strings.HasPrefix(said, step.status) || !strings.Contains(said, "Request-Id ") ||
			!strings.Contains(out, step.shown) {
			t.Errorf("%v: exit %d, %q: %s", step.args, code, said, out)
		}
	}
	server.AddFault(sandbox.Fault{Operation: "me.get", Status: 503, Times: 1})
	if code, _, _ := s.run("call", "GET", "/v1/me"); code != exitBroken {
		t.Errorf("exit %d for a 503", code)
	}
	for _, test := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"call", "GET"}, exitUsage, "METHOD PATH"},
		{[]string{"call", "GET", "v1/me"}, exitUsage, "PATH begins with /"},
		{[]string{"call", "--service", "bill", "GET", "/v1/me"}, exitUsage, "billing, finance or collections"},
		{[]string{"call", "--header", "X", "GET", "/v1/me"}, exitUsage, "NAME: VALUE"},
		{[]string{"call", "GET", "/v2/customers"}, exitFailure, "no service has an operation of the path"},
		{[]string{"call", "POST", "/v1/customers", "@/no/such/file"}, exitFailure, "no such file"},
		{[]string{"call", "GET", "/v1/customers/external_id=aurorra"}, exitFailure, "did you mean aurora?"},
	} {
		code, _, said := s.run(test.args...)
		if code != test.code || !strings.Contains(said, test.says) {
			t.Errorf("%v: exit %d, want %d saying %q: %s", test.args, code, test.code, test.says, said)
		}
	}
}

// TestEdit requires edit to change one field as the system that --as names, and one key of custom_metadata without the
// others.
func TestEdit(t *testing.T) {
	t.Parallel()
	_, s := startServer(t)
	s.ok("call", "POST", "/v1/customers",
		`{"name":"Aurora","external_id":"aurora","custom_metadata":{"segment":"retail","crm":{"owner":"Ana"}}}`)
	s.ok("call", "POST", "/api/v1/webhook-endpoints", `{"url":"https://hooks.example.com/in"}`)
	s.ok("edit", "--as", "crm/2", "customer", "external_id=aurora", "notes=a=b c", "custom_metadata.crm.score:=7")
	var got struct {
		Data struct {
			Notes    string
			Metadata json.RawMessage `json:"custom_metadata"`
		}
	}
	if err := json.Unmarshal([]byte(s.ok("call", "GET", "/v1/customers/external_id=aurora")), &got); err != nil {
		t.Fatal(err)
	}
	var metadata map[string]any
	if err := json.Unmarshal(got.Data.Metadata, &metadata); err != nil {
		t.Fatal(err)
	}
	crm, _ := metadata["crm"].(map[string]any)
	if got.Data.Notes != "a=b c" || metadata["segment"] != "retail" || crm["owner"] != "Ana" || crm["score"] != 7.0 {
		t.Errorf("%+v %s", got.Data, got.Data.Metadata)
	}
	if all := s.ok("requests", "--operation", "customers.update", "--json"); !strings.Contains(all, `"client":"crm/2"`) {
		t.Errorf("the client is not in %s", all)
	}
	if out := s.ok("edit", "endpoint", "url=https://hooks.example.com/in", "active:=false"); !strings.Contains(out,
		`"active": false`) {
		t.Errorf("edit endpoint: %s", out)
	}
	for _, test := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"edit", "customer", "external_id=aurora"}, exitUsage, "FIELD=TEXT"},
		{[]string{"edit", "custmer", "external_id=aurora", "notes=x"}, exitUsage, "did you mean customer?"},
		{[]string{"edit", "customer", "external_id=aurora", "notes"}, exitUsage, "FIELD:=JSON"},
		{[]string{"edit", "customer", "external_id=aurora", "tags:=["}, exitUsage, "not valid JSON"},
		{[]string{"edit", "customer", "external_id=aurora", "notes=x", "notes.y=z"}, exitUsage, "another value"},
		{[]string{"edit", "customer", "external_id=nobody", "notes=x"}, exitFailure, "No customer has external_id=nobody"},
		{[]string{"edit", "customer", "external_id=aurora", "nots=x"}, exitRejected, "422"},
	} {
		code, _, said := s.run(test.args...)
		if code != test.code || !strings.Contains(said, test.says) {
			t.Errorf("%v: exit %d, want %d saying %q: %s", test.args, code, test.code, test.says, said)
		}
	}
}

// TestServiceOfPath requires the operation with the fewest placeholders to name the service.
func TestServiceOfPath(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]sandbox.Service{
		"GET /v1/customers?page=1": sandbox.Billing, "POST /v1/subscriptions/1/cancel": sandbox.Billing,
		"GET /v1/payables": sandbox.Finance, "PATCH /v1/journal/7": sandbox.Finance, "POST /v1/journal": sandbox.Finance,
		"POST /api/v1/api-keys/1/rotate": sandbox.Collections, "GET /api/v1/openapi.yaml": sandbox.Finance,
		"PUT /v1/customers": sandbox.Billing,
	} {
		method, path, _ := strings.Cut(line, " ")
		if got, ok := serviceOf(method, path); !ok || got != want {
			t.Errorf("%s: %s, want %s", line, got, want)
		}
	}
}

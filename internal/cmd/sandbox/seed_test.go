package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// The example that users copy is served, and read back.
func TestServeExampleSeed(t *testing.T) {
	t.Parallel()
	r := serve(t, "--seed-file", "../../../examples/sandbox/seed.json")
	for path, want := range map[string][]string{
		"/v1/customers?sort_by=name":   {`"Café Brisa"`, `"Clara Nogueira"`, `"Padaria Aurora"`, `"total":3`},
		"/v1/billing-accounts":         {`"aurora-main"`, `"brisa-main"`, `"total":3`},
		"/v1/subscriptions?per_page=5": {`"aurora-pro"`, `"brisa-trial"`, `"trialing"`, `"total":2`},
	} {
		status, body := r.ask("GET", path, "")
		for _, part := range want {
			if status != 200 || !strings.Contains(body, part) {
				t.Errorf("%s: %d, no %s in %s", path, status, part, body)
			}
		}
	}
	r.env["BILLING_BASE_URL"], r.env["BILLING_TOKEN"] = r.env["BILLING_FINANCE_BASE_URL"], r.env["BILLING_FINANCE_TOKEN"]
	if status, body := r.ask("GET", "/v1/payables", ""); status != 200 || !strings.Contains(body, "Aluguel da loja") ||
		strings.Count(body, `"amount"`) != 2 {
		t.Errorf("payables: %d %s", status, body)
	}
	r.env["BILLING_BASE_URL"], r.env["BILLING_TOKEN"] = r.env["BILLING_COLLECTIONS_BASE_URL"],
		"ck_sandbox_example_thisIsNoRealSecret"
	if status, body := r.ask("GET", "/api/v1/webhook-endpoints", ""); status != 200 ||
		!strings.Contains(body, "https://hooks.example.com/billing") {
		t.Errorf("with the key of the seed: %d %s", status, body)
	}
}

// The example of the guide is one.
func TestGuideSeed(t *testing.T) {
	t.Parallel()
	guide, err := os.ReadFile("../../../templates/guides/testing-offline.md.tmpl")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(guide), "```json\n")
	seed, _, found := strings.Cut(rest, "```")
	if !found {
		t.Fatal("the guide shows no seed")
	}
	server, err := sandbox.Start(t.Context(), sandbox.Options{SeedDocument: []byte(seed)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	if _, body := (steer{t, server.Env()}).asking(server.BillingToken()).ask("GET", "/v1/subscriptions",
		""); !strings.Contains(body, "aurora-pro") {
		t.Errorf("subscriptions %s", body)
	}
}

// A used state file is left alone, and serve says so.
func TestSeedOverUsedState(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	state, seed := filepath.Join(folder, "state.db"), filepath.Join(folder, "seed.json")
	if err := os.WriteFile(seed, []byte(`{"customers":[{"name":"Ana"}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, said := range []string{"", "The state file " + state + " has been used before: " + seed + " is left alone.\n"} {
		r := serve(t, "--state", state, "--seed-file", seed)
		if _, body := r.ask("GET", "/v1/customers", ""); !strings.Contains(body, `"total":1`) {
			t.Errorf("customers %s", body)
		}
		if err := r.stop(syscall.SIGTERM); err != nil || r.output.String() != said {
			t.Errorf("said %q, want %q; %v", r.output, said, err)
		}
	}
}

// What is wrong is reported with the name of the file, and nothing is served.
func TestSeedFileRefused(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	file := filepath.Join(folder, "seed.json")
	if err := os.WriteFile(file, []byte(`{"customers":[{"nam":"Ana"}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ file, in, says string }{
		{file, "", file + ": the seed cannot be used:\n  customers[0].nam: is not a field of this request\n  " +
			"customers[0].name: is required\n"},
		{"-", "[", "standard input: the seed cannot be used:\n  is not valid JSON"},
		{"-", "", "--seed-file -: there is nothing in it"},
		{filepath.Join(folder, "none.json"), "", "none.json: open"},
	} {
		var complaint strings.Builder
		p := program{in: strings.NewReader(test.in), out: &complaint, err: &complaint,
			getenv: func(string) string { return "" }}
		if code := p.run(t.Context(), []string{"serve", "--seed-file", test.file}); code != exitFailure ||
			!strings.Contains(complaint.String(), test.says) {
			t.Errorf("%s: exit %d: %s", test.file, code, complaint.String())
		}
	}
}

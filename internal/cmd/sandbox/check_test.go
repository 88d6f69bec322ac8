package main

import (
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/bend"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// receiverFiles are the PEM files of a certificate for this machine and its key, and a pool that trusts it.
func receiverFiles(t *testing.T) (certificate, key string, pool *x509.CertPool) {
	t.Helper()
	server := httptest.NewTLSServer(http.NotFoundHandler())
	defer server.Close()
	raw, err := x509.MarshalPKCS8PrivateKey(server.TLS.Certificates[0].PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	pool = x509.NewCertPool()
	pool.AddCert(server.Certificate())
	write := func(name, kind string, der []byte) string {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	return write("cert.pem", "CERTIFICATE", server.Certificate().Raw), write("key.pem", "PRIVATE KEY", raw), pool
}

// freeAddress is a port of this machine that nothing listens on.
func freeAddress(t *testing.T) string {
	t.Helper()
	var config net.ListenConfig
	listener, err := config.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().String()
}

// inventory is everything that the services list, as they list it.
func (s steer) inventory() map[string]string {
	s.t.Helper()
	found := map[string]string{}
	for _, path := range []string{"/v1/customers", "/v1/billing-accounts", "/v1/subscriptions", "/v1/payables",
		"/api/v1/webhook-endpoints"} {
		found[path] = s.ok("call", "GET", path)
	}
	return found
}

// TestCheckHoldsAgainstTheSandbox runs every claim, those about time and deliveries too, and finds what others have
// created as it was.
func TestCheckHoldsAgainstTheSandbox(t *testing.T) {
	t.Parallel()
	certificate, key, pool := receiverFiles(t)
	_, s := started(t, sandbox.Options{AllowLoopbackReceivers: true, ReceiverCAs: pool, SeedDocument: []byte(`{
		"customers": [{"name": "Padaria Aurora", "external_id": "aurora"}],
		"webhook_endpoints": [{"url": "https://example.com/hooks", "events": ["charge.paid"]}]}`)})
	before := s.inventory()
	address := freeAddress(t)
	_, out, _ := s.run("check", "--allow-charges", "--allow-leftovers",
		"--receiver-url", "https://"+address, "--receiver-listen", address, "--receiver-certificate", certificate,
		"--receiver-key", key)
	if !strings.HasSuffix(out, " ok, 0 failed, 0 skipped\n") || strings.Contains(out, "--rewords") {
		t.Errorf("not every claim is ok:\n%s", out)
	}
	for path, is := range s.inventory() {
		if is != before[path] {
			t.Errorf("%s was\n%s\nand is\n%s", path, before[path], is)
		}
	}
}

// TestCheckSkips checks that a check without flags skips the claims it must not test.
func TestCheckSkips(t *testing.T) {
	t.Parallel()
	server, s := started(t, sandbox.Options{})
	now := server.Clock().Now()
	out := s.ok("check", "--keep-clock", "--only", "5,321,334,541,601")
	for _, part := range []string{
		"skipped    321  A manual invoice returns 201 and has its own id, with and without a reason. " +
			"(creates invoices: needs --allow-charges)",
		"(leaves revoked API keys behind: needs --allow-leftovers)",
		"skipped    334  ", "(a clock that can be advanced is not available)",
		"(a receiver that the service can reach is not available)",
		"1 ok, 0 failed, 4 skipped",
	} {
		if !strings.Contains(out, part) {
			t.Errorf("%q is missing from\n%s", part, out)
		}
	}
	if server.Clock().Now().Sub(now).Hours() > 1 {
		t.Error("the clock was moved")
	}
	delete(s.env, "BILLING_SANDBOX_CONTROL_URL")
	out = s.ok("check", "--only", "21-26,334,me.")
	if got := strings.Count(out, "\n"); got != 8 || !strings.Contains(out, "skipped     24  ") {
		t.Errorf("without a control listener:\n%s", out)
	}
}

// TestCheckReadsProduction judges a production organization with GET requests only, and shows nothing of it.
func TestCheckReadsProduction(t *testing.T) {
	t.Parallel()
	server, s := started(t, sandbox.Options{
		Organization: sandbox.Organization{Environment: "production", Name: "Padaria Aurora"},
		SeedDocument: []byte(`{"customers": [{"name": "Padaria Aurora", "external_id": "aurora"}]}`),
	})
	server.ResetRequests()
	now, methods := server.Clock().Now(), map[string]int{}
	code, out, complaint := s.run("check", "--read-only")
	for _, request := range server.Requests() {
		methods[request.Method]++
	}
	if code != 0 || len(methods) != 1 || methods["GET"] < 100 || server.Clock().Now().Sub(now) > time.Hour {
		t.Errorf("exit %d after %v: %s%s", code, methods, out, complaint)
	}
	for _, part := range []string{"ok          41  ", "(needs a write: reading cannot judge it)",
		"(an existing webhook endpoint is not available)", "(a revoked token is not available)"} {
		if !strings.Contains(out, part) {
			t.Errorf("%q is missing from\n%s", part, out)
		}
	}
	fault, err := sandbox.ParseFault(`operation=customers.list,status=200,body={"data":[{"id":7,"name":"Padaria Aurora"}]}`)
	if err != nil {
		t.Fatal(err)
	}
	server.AddFault(fault)
	code, out, _ = s.run("check", "--read-only", "--json", "--only", "customers.")
	if code != exitFailure || !strings.Contains(out, `"failed"`) || strings.Contains(out, "Aurora") {
		t.Errorf("exit %d: %s", code, out)
	}
}

// TestCheckWritesAReport writes the report for the owner of a service, from reading and from a full check.
func TestCheckWritesAReport(t *testing.T) {
	t.Parallel()
	server, s := started(t, sandbox.Options{SeedDocument: []byte(`{
		"customers": [{"name": "Padaria Aurora", "external_id": "aurora"}],
		"webhook_endpoints": [{"url": "https://example.com/hooks?key=s3cret", "events": ["charge.paid"]}]}`)})
	fault, err := sandbox.ParseFault(
		`operation=customers.list,status=200,body={"data":[{"id":7,"name":"Padaria Aurora","token":"s3cret-1"}]}`)
	if err != nil {
		t.Fatal(err)
	}
	server.AddFault(fault)
	file := filepath.Join(t.TempDir(), "report.md")
	for _, test := range []struct {
		args  []string
		parts []string
		never string
	}{
		{[]string{"--read-only", "--only", "1,31,41,52,85,601"}, []string{
			"1 hold, 2 violated, 0 tolerated, ",
			", all of them GET\n- Result: ",
			"\n## Violated\n\n### Claim 31: ",
			"    request     GET /v1/customers",
			"    response    200 {",
			"\n## Tolerated\n\nNone.\n",
			"\n- 3 claims (52, 83, 601): needs a write: reading cannot judge it\n",
		}, "Aurora"},
		{[]string{"--only", "31,321,334", "--keep-clock"}, []string{
			" hold, 1 violated, 0 tolerated, 2 not judged\n",
			"- 1 claim (321): creates invoices: needs --allow-charges\n",
			"- 1 claim (334): a clock that can be advanced is not available\n",
		}, "all of them GET"},
	} {
		server.ResetRequests()
		code, out, complaint := s.run(slices.Concat([]string{"check", "--report", file}, test.args)...)
		raw, err := os.ReadFile(file)
		if err != nil || code != exitFailure || !strings.Contains(out, " failed, ") {
			t.Fatalf("exit %d, %v: %s%s", code, err, out, complaint)
		}
		text := string(raw)
		for _, part := range append(test.parts, "# Check of the billing services\n\n- Date: 20",
			"\n- Program: billing-sandbox dev\n- Recurring billing: "+s.env["BILLING_BASE_URL"]+"\n",
			fmt.Sprintf("\n- Requests: %d", len(server.Requests()))) {
			if !strings.Contains(text, part) {
				t.Errorf("%v: %q is missing from\n%s", test.args, part, text)
			}
		}
		for name, value := range s.env {
			secret := strings.Contains(name, "TOKEN") || strings.Contains(name, "KEY")
			if secret && strings.Contains(text, value) {
				t.Errorf("%v: the report contains %s:\n%s", test.args, name, text)
			}
		}
		if strings.Contains(text, "s3cret") || strings.Contains(text, test.never) {
			t.Errorf("%v: the report contains what it must not:\n%s", test.args, text)
		}
	}
	if got := publicAddress("https://user:s3cret@example.com/billing?key=s3cret"); got != "https://example.com/billing?…" {
		t.Errorf("the address is %s", got)
	}
	if code, _, complaint := s.run("check", "--report", file+"/none/report.md"); code != exitUsage {
		t.Errorf("exit %d: %s", code, complaint)
	}
}

// caught is a claim that finds what differs, with a part of its report.
type caught struct {
	claim string
	parts []string
}

// tolerated are the claims that find with what the provider works, and what is said of them.
var tolerated = map[string]caught{
	"bare-objects":      {"51", []string{"objects without the data envelope"}},
	"delete-no-content": {"121", []string{"deletions that respond 200 instead of 204", "status 204"}},
	"null-lists":        {"36", []string{"null instead of an empty list", "data is of type null, want array"}},
	"nulls-change-nothing": {"85", []string{"a merge of custom_metadata that ignores null",
		"merge adds to custom_metadata"}},
	"omit-null-fields": {"51", []string{"omitted fields without a value", "is missing"}},
	"price-amounts":    {"262", []string{"the price's amount", "unit_amount_subcents"}},
	"unknown-fields":   {"181", []string{"objects with additional fields", "x_undocumented"}},
}

// tolerances are what clients tolerate and users notice.
var tolerances = map[string]caught{
	"flat-errors":     {"101", []string{"error.code is missing"}},
	"ignore-filters":  {"41", []string{"customers.list", `section "Customers"`}},
	"items-not-found": {"261", []string{`section "Subscriptions and invoices"`, "response    404"}},
	"items-not-listed": {"261",
		[]string{`operations = { "subscriptions.items.list" = "GET /v1/subscriptions/{id}/items" }`}},
	"lean-accounts": {"184", []string{"customer loaded in every response", `section "Billing accounts"`,
		"means       Changes and lists of accounts need one more request per account."}},
	"repeat-across-pages": {"35", []string{`section "Customers"`, "meta.total is"}},
	"skip-across-pages":   {"35", []string{`section "Customers"`, "meta.total is"}},
}

func TestCheckNamesTheAssumption(t *testing.T) {
	t.Parallel()
	for _, name := range bend.Names(bend.Tolerances) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, s := started(t, sandbox.Options{Bend: bend.Must(name)})
			for range 5 { // a listing of more than a page
				s.ok("call", "POST", "/v1/customers", `{"name":"Padaria Aurora"}`)
			}
			if name == "no-validators" { // on which nothing relies
				s.ok("check", "--only", "customers.")
				return
			}
			c, accepted := tolerated[name]
			if !accepted {
				s.finds(tolerances[name])
				return
			}
			out := s.ok("check", "--only", c.claim, "--allow-charges")
			for _, part := range append(c.parts, "tolerated", "  means       Nothing: the provider accepts ",
				"0 ok, 0 failed, 0 skipped, 1 tolerated") {
				if !strings.Contains(out, part) {
					t.Errorf("%q is missing from\n%s", part, out)
				}
			}
		})
	}
}

// TestCheckNamesTheCauseFirst checks a service that ignores filters. Claims about other lists follow from the first.
func TestCheckNamesTheCauseFirst(t *testing.T) {
	t.Parallel()
	_, s := started(t, sandbox.Options{Bend: bend.Must("ignore-filters")})
	file := filepath.Join(t.TempDir(), "report.md")
	args := []string{"check", "--only", "312,183,41,51", "--allow-charges", "--report", file}
	_, out, _ := s.run(args...)
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var failed []string
	for line := range strings.Lines(out) {
		if number, is := strings.CutPrefix(line, "failed"); is {
			failed = append(failed, strings.Fields(number)[0])
		}
	}
	if !slices.Equal(failed, []string{"41", "183", "312"}) || strings.Count(out, "\n  follows     from 41\n") != 2 ||
		strings.Count(string(raw), "\nFollows from claim 41.\n") != 2 {
		t.Errorf("failed: %v\n%s\n%s", failed, out, raw)
	}
	if _, out, _ = s.run(append(args, "--json")...); strings.Count(out, `"follows_from":[41]`) != 2 {
		t.Errorf("as JSON:\n%s", out)
	}
	if _, out, _ = s.run("check", "--only", "183", "--json"); strings.Contains(out, "follows_from") {
		t.Errorf("follows from a claim that was not checked:\n%s", out)
	}
}

// TestCheckSaysWhatRemains checks a service that does not delete: claims about other operations hold.
func TestCheckSaysWhatRemains(t *testing.T) {
	t.Parallel()
	server, s := started(t, sandbox.Options{})
	fault, err := sandbox.ParseFault("operation=customers.delete,status=503")
	if err != nil {
		t.Fatal(err)
	}
	server.AddFault(fault)
	code, out, complaint := s.run("check", "--only", "51")
	isHeld := strings.HasPrefix(out, "ok          51  ") && strings.Contains(out, "(clean-up: DELETE ")
	if code != exitFailure || !isHeld || !strings.Contains(out, "so the object remains") ||
		!strings.Contains(complaint, "1 of the claims left objects behind") {
		t.Errorf("exit %d: %s%s", code, out, complaint)
	}
}

// finds runs the one claim, which has to fail, and returns the report.
func (s steer) finds(c caught, flags ...string) string {
	s.t.Helper()
	code, out, complaint := s.run(slices.Concat([]string{"check", "--only", c.claim}, flags)...)
	if code != exitFailure || !strings.HasPrefix(out, "failed") || !strings.Contains(complaint, "1 of the assumptions") {
		s.t.Errorf("exit %d: %s\n%s", code, complaint, out)
	}
	report := []string{"  means       ", "  assumption  ", "internal/evidence/README.md", "  found       ",
		"  next        ", "  request     ",
		"  response    ", "Request-Id"}
	for _, part := range slices.Concat(c.parts, report) {
		if !strings.Contains(out, part) {
			s.t.Errorf("%q is missing from\n%s", part, out)
		}
	}
	return out
}

// TestCheckNamesPlantedFaults plants faults of a service that differs, and finds what to set or to report.
func TestCheckNamesPlantedFaults(t *testing.T) {
	t.Parallel()
	for spec, c := range map[string]caught{
		`operation=customers.update,status=405`: {"71", []string{
			`operations = { "customers.update" = "PATCH /v1/customers/{id}" }`,
			"--operation 'customers.update=PATCH /v1/customers/{id}'",
			"means       A change of one argument of a customer changes others",
		}},
		`operation=customers.get,status=404,foreign=html`: {"52",
			[]string{`operations = { "customers.get" = "GET /v1/customers/{id}" }`}},
		`operation=billing_accounts.suspend,status=409,code=conflict`: {"171",
			[]string{"file an issue", "billing_accounts.suspend", "response    409"}},
		`operation=webhook_endpoints.create,status=200,after`: {"501",
			[]string{"file an issue", "want status [201]"}},
		`operation=finance.records.update,status=500`: {"771", []string{`section "Financial management"`,
			"request     PATCH /v1/", "means       Not known: the service failed.", "check again"}},
		`operation=me.get,status=200,body={"id":"o-1","environment":1}`: {"12", []string{`section "Organization"`}},
	} {
		t.Run(spec, func(t *testing.T) {
			t.Parallel()
			server, s := started(t, sandbox.Options{})
			fault, err := sandbox.ParseFault(spec)
			if err != nil {
				t.Fatal(err)
			}
			server.AddFault(fault)
			s.finds(c)
		})
	}
}

// TestCheckNamesRewordings runs the claims about texts against services that store texts in their own wording.
func TestCheckNamesRewordings(t *testing.T) {
	t.Parallel()
	for rewords, c := range map[string]struct {
		code  int
		parts []string
	}{
		"trim,lower": {0, []string{
			"tolerated  361  A text with white space at its ends is returned as it was sent.",
			"means       Nothing: the provider accepts the service's own wording in billing_customer (addresses, ",
			", and the service's own wording in billing_webhook_endpoint (description).",
			"tolerated  366  ",
			`wording: lower, trim. "billing-sandbox serve --rewords lower,trim" simulates it.` + "\n9 ok, 0 failed, 0 skipped, 2 tolerated",
		}},
		"cut": {exitFailure, []string{
			"failed     371  ", "means       The apply warns that the service stored less than the configuration has",
			"different: addresses, custom_metadata, legal_name, name, nickname, notes, tags",
			`wording: cut. "billing-sandbox serve --rewords cut" simulates it.` + "\n10 ok, 1 failed, 0 skipped",
		}},
	} {
		t.Run(rewords, func(t *testing.T) {
			t.Parallel()
			_, s := started(t, sandbox.Options{Bend: bend.Must(rewords)})
			code, out, complaint := s.run("check", "--only", "361-371")
			for _, part := range c.parts {
				if code != c.code || !strings.Contains(out, part) {
					t.Errorf("exit %d; %q is missing from\n%s%s", code, part, out, complaint)
				}
			}
			_, out, _ = s.run("check", "--only", "361-371", "--json")
			kinds := strings.Split(rewords, ",")
			for _, kind := range kinds {
				if strings.Count(out, `"rewording":"`+kind+`"`) != 1 || strings.Count(out, `"rewording"`) != len(kinds) {
					t.Errorf("the lines do not name %v:\n%s", kinds, out)
				}
			}
		})
	}
}

// TestCheckNeedsScopes names the scopes that a token lacks, and does not call the assumptions wrong.
func TestCheckNeedsScopes(t *testing.T) {
	t.Parallel()
	server, s := started(t, sandbox.Options{})
	token, err := server.NewToken(sandbox.Token{Scopes: []string{"customers:read"}})
	if err != nil {
		t.Fatal(err)
	}
	code, out, complaint := s.run("check", "--only", "5,51", "--token", token)
	if code != exitFailure || !strings.Contains(out, "(a token with the scope customers:write is not available)") ||
		!strings.Contains(out, "0 failed") || !strings.Contains(complaint, "the tokens lack the scopes") {
		t.Errorf("exit %d: %s\n%s", code, complaint, out)
	}
}

// TestCheckMasksSecrets makes a response with a secret the proof of a failure.
func TestCheckMasksSecrets(t *testing.T) {
	t.Parallel()
	const secret = "key_sandbox_0123456789abcdef"
	server, s := started(t, sandbox.Options{})
	fault, err := sandbox.ParseFault(`operation=api_keys.create,status=201,body={"data":{"token":"` +
		secret + `","note":"` +
		server.CollectionsKey() + `"}}`)
	if err != nil {
		t.Fatal(err)
	}
	server.AddFault(fault)
	for _, flags := range [][]string{{"--allow-leftovers"}, {"--allow-leftovers", "--json"}} {
		_, out, _ := s.run(append([]string{"check", "--only", "541"}, flags...)...)
		if strings.Contains(out, secret) || strings.Contains(out, server.CollectionsKey()) ||
			strings.Count(out, "[REDACTED]") < 2 {
			t.Errorf("secrets are not masked:\n%s", out)
		}
	}
}

func TestCheckJSON(t *testing.T) {
	t.Parallel()
	_, s := started(t, sandbox.Options{Bend: bend.Must("ignore-filters")})
	s.ok("call", "POST", "/v1/customers", `{"name":"Padaria Aurora"}`)
	code, out, _ := s.run("check", "--json", "--only", "41,51,321")
	results := map[int]string{}
	for decoder := json.NewDecoder(strings.NewReader(out)); ; {
		var line checkLine
		if err := decoder.Decode(&line); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		results[line.Claim] = line.Result
		if line.Result != "failed" {
			continue
		}
		if line.Exchange == nil || line.Exchange.Response.Headers["Request-Id"] == "" || line.Operation != "customers.list" ||
			line.Means == "" {
			t.Errorf("the failed claim is %+v", line)
		}
	}
	if code != exitFailure || len(results) != 3 || results[41] != "failed" || results[51] != "ok" ||
		results[321] != "skipped" {
		t.Errorf("exit %d with %v", code, results)
	}
}

func TestCheckMisused(t *testing.T) {
	t.Parallel()
	_, s := started(t, sandbox.Options{Organization: sandbox.Organization{Environment: "production"}})
	for _, test := range []struct {
		args []string
		env  map[string]string
		code int
		says string
	}{
		{[]string{"--only", "customer,9999"}, nil, exitUsage, `no claim is named by "9999"`},
		{[]string{"--operation", "customers.updat=PUT /v1/customers/{id}"}, nil, exitUsage, "did you mean customers.update?"},
		{[]string{"--operation", "customers.update"}, nil, exitUsage, "NAME=METHOD /path"},
		{[]string{"--prices", "one"}, nil, exitUsage, "PRODUCT/PRICE"},
		{[]string{"--plans", "a"}, nil, exitUsage, "write ID,ID"},
		{[]string{"--prices", "a/b"}, nil, exitUsage, "write three"},
		{[]string{"--base-url", "foo"}, nil, exitUsage, "must begin with https://, and have a host"},
		{[]string{"--receiver-url", "https://hooks.example.com"}, nil, exitUsage, "--receiver-listen"},
		{nil, nil, exitFailure, "--allow-production"},
		{[]string{"--read-only", "--allow-charges"}, nil, exitUsage, "--read-only writes nothing"},
		{nil, map[string]string{"BILLING_TOKEN": ""}, exitUsage,
			"both an address and a token: set BILLING_BASE_URL and BILLING_TOKEN"},
		{nil, map[string]string{"BILLING_TOKEN": "wrong"}, exitFailure, "rejected the token"},
		{nil, map[string]string{"BILLING_BASE_URL": "https://127.0.0.1:1"}, exitFailure, "cannot be reached"},
		{[]string{
			"--base-url", "", "--token", "", "--finance-base-url", "", "--finance-token", "",
			"--collections-base-url", "", "--collections-api-key", "",
		}, nil, exitUsage, "no service configured"},
	} {
		env := map[string]string{}
		for name, value := range s.env {
			env[name] = value
		}
		for name, value := range test.env {
			env[name] = value
		}
		code, out, complaint := steer{t, env}.run(append([]string{"check"}, test.args...)...)
		if code != test.code || !strings.Contains(complaint, test.says) || out != "" {
			t.Errorf("%v %v: exit %d, %s%s", test.args, test.env, code, out, complaint)
		}
	}
	s.ok("check", "--allow-production", "--only", "me.")
}

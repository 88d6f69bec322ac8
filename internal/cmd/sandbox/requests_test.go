package main

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// A line tells by its margin what became of a request, and looks the same
// whatever else is shown; colours only repeat it.
func TestRequestLine(t *testing.T) {
	t.Parallel()
	const (
		columns = " customers.get                   GET    req-1                                rb_sandbox_1a2b3c4d  -     " +
			"   /v1/customers/c-1?page=2"
		long = "/v1/customers/c-1?page=1&per_page=100&sort_by=id&sort_order=asc&updated_at_gte=2026-01-01"
	)
	request := func(change func(r *sandbox.Request)) sandbox.Request {
		r := sandbox.Request{
			Time: time.Date(2026, 5, 4, 12, 0, 0, 5e6, time.UTC), Service: sandbox.Billing, Operation: "customers.get",
			Method: "GET", Path: "/v1/customers/c-1", Query: "page=2", Status: 200, RequestID: "req-1",
			Token: "rb_sandbox_1a2b3c4d",
		}
		change(&r)
		return r
	}
	for name, test := range map[string]struct {
		change          func(r *sandbox.Request)
		plain, coloured string
	}{
		"returned": {func(*sandbox.Request) {}, " 12:00:00.005 200   " + columns,
			"\x1b[32m 12:00:00.005 200   \x1b[0m" + columns},
		"not modified": {func(r *sandbox.Request) { r.Status = 304 }, " 12:00:00.005 304   " + columns,
			"\x1b[32m 12:00:00.005 304   \x1b[0m" + columns},
		"rejected": {func(r *sandbox.Request) { r.Status = 404 }, "!12:00:00.005 404   " + columns,
			"\x1b[33m!12:00:00.005 404   \x1b[0m" + columns},
		"dropped": {func(r *sandbox.Request) { r.Dropped = true }, "-12:00:00.005 ---   " + columns,
			"\x1b[35m-12:00:00.005 ---   \x1b[0m" + columns},
		"broken": {func(r *sandbox.Request) { r.Status, r.Fault = 503, "fault-1" },
			"X12:00:00.005 503   " + strings.Replace(columns, " -      ", " fault-1", 1), "\x1b[31mX12:00:00.005 503   \x1b[0m" +
				strings.Replace(columns, " -      ", " fault-1", 1)},
		"nameless": {func(r *sandbox.Request) { r.Operation, r.Token, r.Query = "", "", "" },
			" 12:00:00.005 200    -                               GET    req-1                                -               " +
				"     -        /v1/customers/c-1",
			"\x1b[32m 12:00:00.005 200   \x1b[0m -                               GET    req-1                                " +
				"-                    -        /v1/customers/c-1"},
		"long query": {func(r *sandbox.Request) { r.Path, r.Query, _ = strings.Cut(long, "?") },
			" 12:00:00.005 200   " + strings.Replace(columns, "/v1/customers/c-1?page=2", long, 1),
			"\x1b[32m 12:00:00.005 200   \x1b[0m" + strings.Replace(columns, "/v1/customers/c-1?page=2", long, 1)},
	} {
		if got := requestLine(request(test.change), false); got != test.plain {
			t.Errorf("%s: %q, want %q", name, got, test.plain)
		}
		if got := requestLine(request(test.change), true); got != test.coloured {
			t.Errorf("%s in colour: %q, want %q", name, got, test.coloured)
		}
	}
}

// askedFor is a sandbox that has been asked five things: a response, one of
// another service an hour later, two rejections and a lost response.
func askedFor(t *testing.T) steer {
	t.Helper()
	server, s := startServer(t)
	asking := s.asking(server.BillingToken())
	asking.ask("GET", "/v1/me", "")
	server.Clock().Advance(time.Hour)
	collecting := s.asking(server.CollectionsKey())
	collecting.env["BILLING_BASE_URL"] = server.CollectionsURL()
	collecting.ask("GET", "/api/v1/webhook-endpoints", "")
	asking.ask("POST", "/v1/customers", "{}")
	server.AddFault(sandbox.Fault{Status: http.StatusServiceUnavailable, Times: 1})
	asking.ask("POST", "/v1/subscriptions", "no JSON")
	server.AddFault(sandbox.Fault{DropAfter: true, Times: 1})
	if _, _, err := asking.try("POST", "/v1/customers", `{"name":"Ana"}`); err == nil {
		t.Fatal("nothing was dropped")
	}
	return s
}

// marksAndNames are the margin and the operation of every line.
func marksAndNames(lines string) []string {
	found := []string{}
	for line := range strings.Lines(lines) {
		if fields := strings.Fields(line[1:]); fields[0] != "TIME" {
			found = append(found, line[:1]+fields[2])
		}
	}
	return found
}

// Flags choose requests, and choose together.
func TestRequestsAreChosen(t *testing.T) {
	t.Parallel()
	s := askedFor(t)
	for args, want := range map[string][]string{
		"": {" me.get", " webhook_endpoints.list", "!customers.create",
			"Xsubscriptions.create", "-customers.create"},
		"--status 2xx":                   {" me.get", " webhook_endpoints.list"},
		"--status 200 --service billing": {" me.get"},
		"--status 4xx":                   {"!customers.create"},
		"--status 503":                   {"Xsubscriptions.create"},
		"--status failed":                {"!customers.create", "Xsubscriptions.create", "-customers.create"},
		"--status dropped":               {"-customers.create"},
		"--status 201":                   {},
		"--service collections":          {" webhook_endpoints.list"},
		"--since 30m": {" webhook_endpoints.list", "!customers.create", "Xsubscriptions.create",
			"-customers.create"},
		"--since 2h --operation me.get": {" me.get"},
		"--since 2026-05-04T13:00:00Z": {" webhook_endpoints.list", "!customers.create", "Xsubscriptions.create",
			"-customers.create"},
		"--since 2026-05-04T10:00:00.001-03:00": {},
	} {
		if got := marksAndNames(s.ok(append([]string{"requests"}, strings.Fields(args)...)...)); !slices.Equal(got, want) {
			t.Errorf("requests %s: %q, want %q", args, got, want)
		}
	}
}

// Tools get an object a line, bodies when asked for.
func TestRequestsForTools(t *testing.T) {
	t.Parallel()
	s := askedFor(t)
	type line struct {
		sandbox.Request
		Body     any `json:"body"`
		Response any `json:"response"`
	}
	read := func(args ...string) []line {
		var all []line
		for text := range strings.Lines(s.ok(append([]string{"requests", "--json"}, args...)...)) {
			var one line
			if err := json.Unmarshal([]byte(text), &one); err != nil {
				t.Fatalf("%s: %v", text, err)
			}
			all = append(all, one)
		}
		return all
	}
	all := read()
	if len(all) != 5 || all[0].Operation != "me.get" || all[0].Status != 200 || all[4].Fault != "fault-2" ||
		!all[4].Dropped || all[4].Body != nil || all[0].Response != nil ||
		!strings.HasPrefix(all[0].Client, "Go-http-client/") {
		t.Errorf("requests %+v", all)
	}
	bodies := read("--bodies", "--status", "failed")
	if body, ok := bodies[2].Body.(map[string]any); !ok || body["name"] != "Ana" || bodies[1].Body != "no JSON" {
		t.Errorf("bodies %+v", bodies)
	}
}

// On a terminal there are colours, unless they are not wanted, and a last line
// that counts; elsewhere there is neither.
func TestRequestsOnTerminal(t *testing.T) {
	t.Parallel()
	s := askedFor(t)
	for _, test := range []struct {
		terminal      bool
		env           map[string]string
		args          []string
		last          string
		coloursWanted bool
	}{
		{true, nil, nil, "5 requests, 3 failed", true},
		{true, map[string]string{"NO_COLOR": "1"}, nil, "5 requests, 3 failed", false},
		{true, map[string]string{"TERM": "dumb"}, []string{"--operation", "me.get"}, "1 request, 0 failed", false},
		{true, nil, []string{"--json"}, "", false},
		{false, nil, nil, "", false},
	} {
		var out bytes.Buffer
		p := program{out: &out, err: &out, outTerminal: test.terminal, getenv: func(name string) string {
			if name == "WT_SESSION" {
				return "yes" // a Windows machine shows colours only there
			}
			return s.env[name] + test.env[name]
		}}
		if code := p.run(t.Context(), append([]string{"requests"}, test.args...)); code != 0 {
			t.Fatalf("exit %d: %s", code, out.String())
		}
		text := out.String()
		if got := strings.Contains(text, "\x1b["); got != test.coloursWanted {
			t.Errorf("%+v: colours: %v", test, got)
		}
		if got := strings.Contains(text, " failed\n"); got != (test.last != "") || !strings.HasSuffix(text, test.last+"\n") {
			t.Errorf("%+v: %s", test, text)
		}
	}
}

// serve --verbose shows the same lines as they come.
func TestServeVerbose(t *testing.T) {
	t.Parallel()
	r := serve(t, "--verbose", "--fault", "operation=me.get,status=503")
	r.ask("GET", "/v1/me", "")
	if err := r.stop(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if got := marksAndNames(r.output.String()); !slices.Equal(got, []string{"Xme.get"}) {
		t.Errorf("said %s", r.output)
	}
}

// A file is not a terminal.
func TestIsTerminal(t *testing.T) {
	t.Parallel()
	file, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if isTerminal(file) {
		t.Error("a file is taken for a terminal")
	}
}

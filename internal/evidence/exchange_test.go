package evidence_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/evidence"
)

var (
	sourceForm = regexp.MustCompile(
		`^((?:Recurring billing|Financial management|Collections) §[1-9] |[Ww]ire contract: [a-z_]+\.[a-z_.]+)`)
	namedForm = regexp.MustCompile(`[Ww]ire contract: ([a-z_]+\.[a-z_.]+[a-z])`)
	uuidForm  = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)
	nameForm  = regexp.MustCompile(`^[a-z][a-z-]*$`)
)

func operation(name string) (evidence.Operation, bool) {
	operations := evidence.Operations()
	i := slices.IndexFunc(operations, func(o evidence.Operation) bool { return o.Name == name })
	if i < 0 {
		return evidence.Operation{}, false
	}
	return operations[i], true
}

// checkSource checks that a source has one of the two formats, and names an existing operation.
func checkSource(t *testing.T, source string) {
	t.Helper()
	if !sourceForm.MatchString(source) {
		t.Errorf("source %q names neither a section nor an operation", source)
	}
	if named := namedForm.FindStringSubmatch(source); named != nil {
		if _, ok := operation(named[1]); !ok {
			t.Errorf("source %q names the unknown operation %q", source, named[1])
		}
	}
}

// object is a decoded JSON object.
type object = map[string]any

// decode decodes JSON with exact numbers. It returns nil if the text is not JSON.
func decode(raw []byte) any {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var value any
	if decoder.Decode(&value) != nil {
		return nil
	}
	return value
}

// at returns the member at a path such as "error.code", or nil.
func at(value any, path string) any {
	for step := range strings.SplitSeq(path, ".") {
		members, _ := value.(object)
		value = members[step]
	}
	return value
}

func TestExchangesFollowTheirOperation(t *testing.T) {
	t.Parallel()
	for _, exchange := range evidence.All("") {
		t.Run(exchange.Name, func(t *testing.T) {
			t.Parallel()
			checkSource(t, exchange.Source)
			operation, ok := operation(exchange.Operation)
			if !ok {
				t.Fatalf("unknown operation %q", exchange.Operation)
			}
			if !strings.Contains(exchange.Source, operation.Name) {
				t.Errorf("source %q does not name the operation %s", exchange.Source, operation.Name)
			}
			if exchange.Request.Method != operation.Method || !matches(operation.Path, exchange.Request.Path) {
				t.Errorf("%s %s, want %s %s", exchange.Request.Method, exchange.Request.Path, operation.Method, operation.Path)
			}
			if got := exchange.Request.Headers["Content-Type"]; got != "application/json" {
				t.Errorf("the request's Content-Type is %q, want application/json with every request", got)
			}
			checkResponse(t, exchange.Response)
		})
	}
}

// matches reports whether a path matches a template: ids in the place of placeholders, and a name for the collection.
func matches(template, path string) bool {
	values, ok := evidence.Match(template, path)
	for name, value := range values {
		form := uuidForm
		if name == "collection" {
			form = nameForm
		}
		ok = ok && form.MatchString(value)
	}
	return ok
}

func checkResponse(t *testing.T, response evidence.Response) {
	t.Helper()
	if http.StatusText(response.Status) == "" {
		t.Errorf("invalid status %d", response.Status)
	}
	hasBody := len(response.Bytes()) > 0
	if hasBody != (response.Headers["Content-Type"] != "") {
		t.Errorf("Content-Type is %q for a body of %d bytes", response.Headers["Content-Type"], len(response.Bytes()))
	}
	if response.Text != "" && response.Body != nil {
		t.Error("both body and text are set")
	}
	// Only a proxy omits the Request-Id.
	proxy := response.Body == nil && response.Status >= 500
	if id := response.Headers["Request-Id"]; !proxy && !uuidForm.MatchString(id) {
		t.Errorf("Request-Id %q is not a UUID", id)
	}
	if response.Status >= 400 && response.Body != nil {
		checkErrorShape(t, response.Body)
	}
	for _, name := range []string{"Last-Modified", "Date"} {
		if moment := response.Headers[name]; moment != "" {
			if _, err := http.ParseTime(moment); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

func checkErrorShape(t *testing.T, body json.RawMessage) {
	t.Helper()
	got := decode(body)
	_, flat := at(got, "error").(string)
	if flat && at(got, "error_code") == "unauthorized" {
		return
	}
	for _, path := range []string{"error.code", "error.message"} {
		if text, ok := at(got, path).(string); !ok || text == "" {
			t.Errorf("%s is %v in %s", path, at(got, path), body)
		}
	}
}

func TestLoad(t *testing.T) {
	t.Parallel()
	exchange, err := evidence.Load("billing/me_get")
	if err != nil || exchange.Name != "billing/me_get" || exchange.Operation != "me.get" {
		t.Errorf("Load returns %q of %q and error %v", exchange.Name, exchange.Operation, err)
	}
	for _, name := range []string{"billing/none", "", "../doc", "collections/events"} {
		if _, err := evidence.Load(name); !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrInvalid) {
			t.Errorf("Load(%q) returns error %v, want fs.ErrNotExist", name, err)
		}
	}
}

func TestAllTakesAPrefix(t *testing.T) {
	t.Parallel()
	accounts := evidence.All("billing/billing_account_")
	if len(accounts) == 0 || len(accounts) >= len(evidence.All("billing/")) {
		t.Errorf("%d exchanges of accounts among %d", len(accounts), len(evidence.All("billing/")))
	}
	sorted := slices.IsSortedFunc(accounts, func(a, b evidence.Exchange) int { return strings.Compare(a.Name, b.Name) })
	if !sorted {
		t.Error("the exchanges are not sorted by name")
	}
}

func TestOperationsHaveOneRowEach(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, operation := range evidence.Operations() {
		if seen[operation.Name] {
			t.Errorf("%s is listed twice", operation.Name)
		}
		seen[operation.Name] = true
		if !strings.HasPrefix(operation.Path, "/v1/") && !strings.HasPrefix(operation.Path, "/api/v1/") {
			t.Errorf("%s has the path %q", operation.Name, operation.Path)
		}
	}
}

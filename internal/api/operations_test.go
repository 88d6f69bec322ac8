package api

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/evidence"
)

func TestDefaultOperationsAreTheContract(t *testing.T) {
	t.Parallel()
	var names []string
	for _, want := range evidence.Operations() {
		names = append(names, want.Name)
		method, template, ok := DefaultOperations().Lookup(want.Name)
		if !ok || method != want.Method || template != want.Path {
			t.Errorf("%s: %s %s, want %s %s", want.Name, method, template, want.Method, want.Path)
		}
	}
	slices.Sort(names)
	if got := OperationNames(); !slices.Equal(got, names) {
		t.Errorf("names %v, want %v", got, names)
	}
}

var sent = regexp.MustCompile(`Operation: +"([^"]+[^."])"[^+]`)

// TestSentOperationsAreInTheContract: a request of an operation that is not there fails only when it is made.
func TestSentOperationsAreInTheContract(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("*/*.go")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, name := range files {
		source, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, match := range sent.FindAllStringSubmatch(string(source), -1) {
			if _, ok := operations[match[1]]; !ok && !strings.HasSuffix(name, "_test.go") {
				t.Errorf("%s sends %s, which is not in the table of contract.go", name, match[1])
			}
		}
	}
}

func TestParseOperations(t *testing.T) {
	t.Parallel()
	operations, err := ParseOperations(map[string]string{
		"customers.list":           "GET /v1/clientes/",
		"finance.records.update":   "PUT  /v2/{collection}/items/{id}",
		"webhook_deliveries.retry": "POST /r/{deliveryId}.of-{id}",
		"me.get":                   "GET /v1/caf%C3%A9",
	})
	if err != nil {
		t.Fatal(err)
	}
	if method, template, ok := operations.Lookup("finance.records.update"); method != "PUT" ||
		template != "/v2/{collection}/items/{id}" || !ok {
		t.Errorf("%s %s, %t", method, template, ok)
	}
	if _, template, _ := operations.Lookup("customers.get"); template != "/v1/customers/{id}" {
		t.Errorf("an operation that is not overridden became %s", template)
	}
	if _, _, ok := operations.Lookup("customers.fly"); ok {
		t.Error("an unknown operation is known")
	}
}

func TestParseOperationsRefuses(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, value, want string }{
		{"customer.get", "GET /x/{id}", `"customers.get"`},
		{"billing_account.list", "GET /x", `"billing_accounts.list"`},
		{strings.Repeat("x", 1000), "GET /x", "closest"},
		{"customers.get", "", "a method and a path"},
		{"customers.get", "/v1/customers/{id}", "a method and a path"},
		{"customers.get", "GET /a /b/{id}", "a method and a path"},
		{"customers.get", "FETCH /c/{id}", "unknown method"},
		{"customers.get", "get /c/{id}", "unknown method"},
		{"customers.get", "GET v1/customers/{id}", `must start with "/"`},
		{"customers.get", "GET https://host/{id}", `must start with "/"`},
		{"customers.get", "GET /c", "{id} is missing"},
		{"customers.get", "GET /c/{ID}", "{id} is missing"},
		{"customers.get", "GET /c/{id}/{key}", "unknown placeholder: this operation has {id}"},
		{"customers.list", "GET /c/{id}", "unknown placeholder: this operation has none"},
		{"finance.records.get", "GET /c/{id}", "{collection} is missing"},
		{"customers.get", "GET /c/{id}?x=1", "no query"},
		{"customers.get", "GET /c/{id}#x", "fragment"},
		{"customers.get", "GET /c/../{id}", `not contain a ".." segment`},
		{"customers.get", "GET /c/%2e%2E/{id}", `not contain a ".." segment`},
		{"customers.get", "GET /./{id}", `not contain a "." segment`},
		{"customers.get", "GET //c/{id}", "empty segment"},
		{"customers.get", "GET /c/{id", "brace"},
		{"customers.get", "GET /c/{i d}", "a method and a path"},
		{"customers.get", "GET /c/{}/{id}", "brace"},
		{"customers.get", "GET /c/%zz/{id}", "percent"},
		{"customers.get", "GET /c/%00/{id}", "control"},
		{"customers.get", `GET /c\{id}`, "backslash"},
	}
	for _, test := range tests {
		_, err := ParseOperations(map[string]string{test.name: test.value})
		var operation *OperationError
		if !errors.As(err, &operation) || !strings.Contains(operation.Reason, test.want) {
			t.Errorf("%s = %q: %v, want %s", test.name, test.value, err, test.want)
			continue
		}
		if operation.Name != test.name {
			t.Errorf("blames %q", operation.Name)
		}
	}
}

func TestParseOperationsReportsAll(t *testing.T) {
	t.Parallel()
	_, err := ParseOperations(map[string]string{"me.get": "x", "customers.get": "GET /x", "customers.list": "GET /ok"})
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok || len(joined.Unwrap()) != 2 {
		t.Fatalf("got %v", err)
	}
	var first *OperationError
	if !errors.As(joined.Unwrap()[0], &first) || first.Name != "customers.get" {
		t.Errorf("the first is %v", joined.Unwrap()[0])
	}
}

package sandbox_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/evidence"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

var (
	anUUID  = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)
	aMoment = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$`)
)

// TestCreateExchanges sends the recorded creates and compares the responses with
// the recorded ones; ids and timestamps are compared in their form. An exchange
// that refers to a customer made before is left out, as it leaves that out.
func TestCreateExchanges(t *testing.T) {
	t.Parallel()
	compared := map[string]int{}
	for _, exchange := range evidence.All("billing/") {
		body := string(exchange.Request.Body)
		isCreate := exchange.Operation == "customers.create" || exchange.Operation == "subscriptions.create" ||
			exchange.Operation == "billing_accounts.create" && strings.Contains(exchange.Name, "new_customer")
		if !isCreate || exchange.Response.Status != 201 {
			continue
		}
		compared[exchange.Operation]++
		t.Run(exchange.Name, func(t *testing.T) {
			t.Parallel()
			c := call(t, start(t, sandbox.Options{Start: time.Date(2025, 9, 10, 13, 20, 11, 0, time.UTC)}))
			if account := recordedAccount.FindStringSubmatch(body); account != nil {
				body = strings.Replace(body, account[1], c.account(), 1)
			}
			got := c.do("POST", exchange.Request.Path, body).want(201)
			var want any
			if err := json.Unmarshal(exchange.Response.Body, &want); err != nil {
				t.Fatal(err)
			}
			var have any
			if err := json.Unmarshal(got.body, &have); err != nil {
				t.Fatal(err)
			}
			compare(t, "", want, have)
		})
	}
	if compared["customers.create"] == 0 || compared["billing_accounts.create"] == 0 ||
		compared["subscriptions.create"] < 3 {
		t.Fatalf("compared %v", compared)
	}
}

var recordedAccount = regexp.MustCompile(`"billing_account_id": *"([^"]+)"`)

// empty reports whether a field says "nothing": null, [] and {} are all
// documented for that, and the exchanges and the sandbox each chose one.
func empty(value any) bool {
	list, isList := value.([]any)
	object, isObject := value.(map[string]any)
	return value == nil || isList && len(list) == 0 || isObject && len(object) == 0
}

// compare holds a response against a recorded one. What the system puts into
// metadata, and what things cost, is its own affair.
func compare(t *testing.T, path string, want, have any) {
	t.Helper()
	if strings.HasSuffix(path, ".metadata") || strings.HasSuffix(path, "_cents") || empty(want) && empty(have) {
		return
	}
	switch want := want.(type) {
	case map[string]any:
		object, ok := have.(map[string]any)
		if !ok {
			t.Errorf("%s: %v, want an object", path, have)
			return
		}
		for key := range object {
			if _, ok := want[key]; !ok {
				t.Errorf("%s.%s: not in the exchange", path, key)
			}
		}
		for key, value := range want {
			if _, ok := object[key]; !ok {
				t.Errorf("%s.%s: missing", path, key)
			}
			compare(t, path+"."+key, value, object[key])
		}
	case []any:
		list, ok := have.([]any)
		if !ok || len(list) != len(want) {
			t.Errorf("%s: %v, want %v", path, have, want)
			return
		}
		for i := range want {
			compare(t, path+"[]", want[i], list[i])
		}
	case string:
		text, _ := have.(string)
		for _, form := range []*regexp.Regexp{anUUID, aMoment} {
			if form.MatchString(want) && form.MatchString(text) {
				return
			}
		}
		if have != want {
			t.Errorf("%s: %v, want %q", path, have, want)
		}
	default:
		if have != want {
			t.Errorf("%s: %v, want %v", path, have, want)
		}
	}
}

// TestCollectionsExchanges sends the recorded creates, and compares status, error
// code, blamed fields and the members of what gets the recorded ones.
func TestCollectionsExchanges(t *testing.T) {
	t.Parallel()
	compared := 0
	for _, exchange := range evidence.All("collections/") {
		status := exchange.Response.Status
		if exchange.Operation != "webhook_endpoints.create" && exchange.Operation != "api_keys.create" ||
			status != 201 && status != 422 {
			continue
		}
		compared++
		t.Run(exchange.Name, func(t *testing.T) {
			t.Parallel()
			c := collect(t, start(t, sandbox.Options{Start: time.Date(2025, 5, 6, 14, 0, 0, 0, time.UTC)}))
			got := c.do("POST", exchange.Request.Path, string(exchange.Request.Body)).want(status)
			recorded := result{t: t, body: exchange.Response.Body}
			if status == 422 {
				if got.text("error", "code") != recorded.text("error", "code") {
					t.Errorf("responded with %s", got.body)
				}
				if recorded.at("error").(map[string]any)["details"] != nil {
					sameMembers(t, recorded.at("error", "details", "fields"), got.at("error", "details", "fields"))
				}
				return
			}
			sameMembers(t, recorded.at("data"), got.at("data"))
			for _, member := range []string{"url", "description", "events", "active", "authentication", "name", "scopes",
				"expiresAt", "revokedAt", "lastUsedAt"} {
				if want := recorded.json("data", member); got.json("data", member) != want {
					t.Errorf("%s: %s, want %s", member, got.json("data", member), want)
				}
			}
		})
	}
	if compared == 0 {
		t.Fatal("no exchange of a create")
	}
}

func sameMembers(t *testing.T, want, have any) {
	t.Helper()
	names := func(value any) []string {
		object, _ := value.(map[string]any)
		return slices.Sorted(maps.Keys(object))
	}
	if !slices.Equal(names(want), names(have)) {
		t.Errorf("members %v, want %v", names(have), names(want))
	}
}

// book is a caller of financial management.
func book(t *testing.T, server *sandbox.Server) caller {
	t.Helper()
	c := call(t, server)
	c.base, c.token = server.FinanceURL(), server.FinanceToken()
	return c
}

// TestFinanceExchanges sends the recorded requests for single records, each to a
// sandbox where the record was made as it is recorded, and compares the responses
// with the recorded ones; ids and timestamps are compared in their form.
func TestFinanceExchanges(t *testing.T) {
	t.Parallel()
	compared := map[string]int{}
	for _, exchange := range evidence.All("finance/record_") {
		status := exchange.Response.Status
		if status == http.StatusUnauthorized || status == http.StatusForbidden || status == http.StatusNotModified ||
			status >= 500 {
			continue // about the caller, or what was read before: claims
		}
		compared[exchange.Operation]++
		t.Run(exchange.Name, func(t *testing.T) {
			t.Parallel()
			c := book(t, start(t, sandbox.Options{NoExampleData: true, Start: time.Date(2026, 3, 1, 11, 0, 0, 0, time.UTC)}))
			place := exchange.Request.Path
			if status != http.StatusNotFound {
				place = c.recorded(exchange)
			}
			got := c.do(exchange.Request.Method, place, string(exchange.Request.Body), keyOf(exchange)...).want(status)
			if len(exchange.Response.Body) == 0 {
				return
			}
			recorded := result{t: t, body: exchange.Response.Body}
			if status < 300 {
				compare(t, "", recorded.at(), got.at())
				return
			}
			if code := recorded.text("error", "code"); status != http.StatusBadRequest && got.text("error", "code") != code {
				t.Errorf("responded with %s, want the code %s", got.body, code)
			}
			if status == http.StatusUnprocessableEntity {
				sameMembers(t, recorded.at("error", "details", "fields"), got.at("error", "details", "fields"))
			}
		})
	}
	for _, operation := range []string{"create", "get", "update", "delete"} {
		if compared["finance.records."+operation] == 0 {
			t.Errorf("no exchange of finance.records.%s was compared", operation)
		}
	}
}

func keyOf(exchange evidence.Exchange) []string {
	if key := exchange.Request.Headers["X-Idempotency-Key"]; key != "" {
		return []string{"X-Idempotency-Key", key}
	}
	return nil
}

// recorded makes what a recorded request supposes: the record that its path
// names, or the one that was made first with its key. It returns the path with
// the id that the record has here.
func (c caller) recorded(exchange evidence.Exchange) string {
	c.t.Helper()
	for _, made := range evidence.All("finance/record_create") {
		if made.Response.Status != http.StatusCreated || made.Name == exchange.Name {
			continue
		}
		var response struct{ Data struct{ ID string } }
		if err := json.Unmarshal(made.Response.Body, &response); err != nil {
			c.t.Fatal(err)
		}
		sameKey := exchange.Name == "finance/record_create_again" &&
			strings.Join(keyOf(made), "") == strings.Join(keyOf(exchange), "")
		if !sameKey && path.Base(exchange.Request.Path) != response.Data.ID {
			continue
		}
		created := c.do(made.Request.Method, made.Request.Path, string(made.Request.Body),
			keyOf(made)...).want(http.StatusCreated)
		return strings.Replace(exchange.Request.Path, response.Data.ID, created.text("data", "id"), 1)
	}
	return exchange.Request.Path
}

// TestFinanceListExchanges sends the recorded requests for lists to a sandbox that
// contains what they return, created in that order, and compares the pages.
func TestFinanceListExchanges(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		"accounts_list_default", "payables_list", "payables_list_by_moment",
		"receivables_list", "receivables_list_by_moment", "receivables_list_empty", "records_list", "records_list_empty",
	} {
		exchange, err := evidence.Load("finance/" + name)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(exchange.Name, func(t *testing.T) {
			t.Parallel()
			c := book(t, start(t, sandbox.Options{NoExampleData: true}))
			c.fill(exchange.Request.Path)
			query := url.Values{}
			for name, value := range exchange.Request.Query {
				query.Set(name, value)
			}
			got := c.do("GET", exchange.Request.Path+"?"+query.Encode(), "").want(http.StatusOK)
			compare(t, "", result{t: t, body: exchange.Response.Body}.at(), got.at())
		})
	}
}

// fill creates the records of the longest recorded list of that path.
func (c caller) fill(list string) {
	c.t.Helper()
	var longest []any
	for _, exchange := range evidence.All("finance/") {
		if exchange.Request.Path != list || exchange.Request.Method != "GET" || exchange.Response.Status != http.StatusOK {
			continue
		}
		if items, _ := (result{t: c.t, body: exchange.Response.Body}).at("data").([]any); len(items) > len(longest) {
			longest = items
		}
	}
	for _, item := range longest {
		fields := item.(map[string]any)
		for _, given := range []string{"id", "created_at", "updated_at"} {
			delete(fields, given)
		}
		body, err := json.Marshal(fields)
		if err != nil {
			c.t.Fatal(err)
		}
		c.do("POST", list, string(body)).want(http.StatusCreated)
	}
}

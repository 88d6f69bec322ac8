package sandbox_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"path"
	"strings"
	"testing"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/evidence"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

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

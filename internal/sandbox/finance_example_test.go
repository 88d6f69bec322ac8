package sandbox_test

import (
	"fmt"
	"math/big"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

var exampleCollections = []string{"accounts", "payables", "receivables"}

// whole returns every record of a collection.
func (c caller) whole(collection string) []map[string]any {
	c.t.Helper()
	var records []map[string]any
	for _, item := range c.do("GET", "/v1/"+collection+"?limit=100", "").want(200).at("data").([]any) {
		records = append(records, item.(map[string]any))
	}
	return records
}

// Every example can be sent as it is: it is what a client could have made.
func TestExamplesAreValid(t *testing.T) {
	t.Parallel()
	c := book(t, start(t, sandbox.Options{}))
	seen := map[string]bool{}
	for _, collection := range exampleCollections {
		for _, record := range c.whole(collection) {
			id, _ := record["id"].(string)
			if !anUUID.MatchString(id) || id[14] != '4' || seen[id] {
				t.Errorf("%s: id %q is no fresh UUID of version 4", collection, id)
			}
			seen[id] = true
			path := "/v1/" + collection + "/" + id
			sent := fieldsOf(c.do("GET", path, "").want(200))
			again := c.do("POST", "/v1/"+collection, sent).want(201)
			if got := fieldsOf(again); got != sent {
				t.Errorf("%s: made again %s", sent, got)
			}
			c.do("PATCH", path, `{"status":"done"}`).want(200)
			c.do("DELETE", path, "").want(204)
		}
	}
}

// The examples are of two companies, each with something in every collection, and
// of the four months before the clock.
func TestExamplesTellOfTwoCompanies(t *testing.T) {
	t.Parallel()
	now := time.Date(2031, 7, 9, 15, 42, 7, 0, time.UTC)
	c := book(t, start(t, sandbox.Options{Start: now}))
	for _, collection := range exampleCollections {
		companies := map[any]int{}
		for _, record := range c.whole(collection) {
			companies[record["company_id"]]++
			made, err := time.Parse(time.RFC3339, fmt.Sprint(record["created_at"]))
			if err != nil || made.After(now) || made.Before(now.AddDate(0, -5, 0)) {
				t.Errorf("%s made at %v", record["name"], record["created_at"])
			}
			if collection == "accounts" {
				continue
			}
			if occurred := record["occurred_at"]; occurred != made.Format(time.DateOnly) {
				t.Errorf("%s occurred on %v and was made at %v", record["name"], occurred, made)
			}
			if due := record["due_on"]; due != made.AddDate(0, 0, 15).Format(time.DateOnly) {
				t.Errorf("%s is due on %v and was made at %v", record["name"], due, made)
			}
			if want := map[string]string{"payables": "debit", "receivables": "credit"}[collection]; record["type"] != want {
				t.Errorf("%s of %s is a %v", record["name"], collection, record["type"])
			}
			if amount, ok := new(big.Rat).SetString(fmt.Sprint(record["amount"])); !ok || amount.Sign() <= 0 {
				t.Errorf("%s over %v", record["name"], record["amount"])
			}
		}
		if len(companies) != 2 || companies[sandbox.ExampleCompany] == 0 || companies[sandbox.ExampleSecondCompany] == 0 {
			t.Errorf("%s of %v", collection, companies)
		}
	}
	// The oldest first, so that a month is a run of pages.
	for _, collection := range exampleCollections[1:] {
		if days := c.do("GET", "/v1/"+collection, "").names("occurred_at"); !slices.IsSorted(days) {
			t.Errorf("%s occurred on %v", collection, days)
		}
	}
	recent := c.do("GET", "/v1/payables?occurred_at[gte]="+now.AddDate(0, 0, -30).Format(time.DateOnly), "").names("id")
	if len(recent) == 0 || len(recent) == 14 {
		t.Errorf("%d of 14 payables in the last 30 days", len(recent))
	}
}

// The ids are the same in every sandbox; the timestamps follow its clock.
func TestExamplesAreTheSameEverywhere(t *testing.T) {
	t.Parallel()
	one := book(t, start(t, sandbox.Options{Start: morning}))
	other := book(t,
		start(t, sandbox.Options{Start: morning.AddDate(0, 0, 10), Seed: 7,
			Organization: sandbox.Organization{Name: "Other"}}))
	for _, collection := range exampleCollections {
		first, second := one.whole(collection), other.whole(collection)
		if len(first) != len(second) || len(first) == 0 {
			t.Fatalf("%d and %d %s", len(first), len(second), collection)
		}
		for i := range first {
			before, after := fmt.Sprint(first[i]["created_at"]), fmt.Sprint(second[i]["created_at"])
			a, _ := time.Parse(time.RFC3339, before)
			b, _ := time.Parse(time.RFC3339, after)
			if first[i]["id"] != second[i]["id"] || first[i]["name"] != second[i]["name"] || !b.Equal(a.AddDate(0, 0, 10)) {
				t.Errorf("%v and %v", first[i], second[i])
			}
		}
	}
}

// Where there are examples, and where there are none.
func TestWhereExamplesAre(t *testing.T) {
	t.Parallel()
	state := filepath.Join(t.TempDir(), "state.db")
	for _, test := range []struct {
		name    string
		options sandbox.Options
		want    string // of accounts, payables, receivables
	}{
		{"a plain sandbox", sandbox.Options{}, "5 14 12"},
		{"a seed of chance", sandbox.Options{Seed: 3}, "5 14 12"},
		{"without them", sandbox.Options{NoExampleData: true}, "0 0 0"},
		{"a seed document of billing", sandbox.Options{SeedDocument: []byte(`{"customers":[{"name":"Ana"}]}`)}, "0 0 0"},
		{"a seed document of finance", sandbox.Options{SeedDocument: []byte(`{"finance":{"payables":[{"amount":"1.00"}]}}`)},
			"0 1 0"},
		{"a new state file", sandbox.Options{StateFile: state}, "5 14 12"},
		{"the state file again", sandbox.Options{StateFile: state}, "5 13 12"},
		{"and without them", sandbox.Options{StateFile: state, NoExampleData: true}, "5 12 12"},
	} {
		server := start(t, test.options)
		c := book(t, server)
		var sizes []string
		for _, collection := range exampleCollections {
			sizes = append(sizes, fmt.Sprint(len(c.whole(collection))))
		}
		if got := strings.Join(sizes, " "); got != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
		if test.options.StateFile == "" {
			continue
		}
		// What is deleted does not come back.
		c.do("DELETE", "/v1/payables/"+c.do("GET", "/v1/payables", "").text("data", 0, "id"), "").want(204)
		if err := server.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// Organizations do not see each other.
func TestOrganizationsKeepApart(t *testing.T) {
	t.Parallel()
	server := start(t, sandbox.Options{})
	mine := book(t, server)
	other, err := server.NewOrganization(sandbox.Organization{Name: "Other"})
	if err != nil {
		t.Fatal(err)
	}
	theirs := mine.with(financeToken(t, server, sandbox.Token{Organization: other.ID}))
	for _, collection := range exampleCollections {
		if n := len(theirs.whole(collection)); n != 0 {
			t.Errorf("another organization begins with %d %s", n, collection)
		}
	}
	path := mine.put("notes", "mine")[0]
	theirs.put("notes", "theirs")
	for _, method := range []string{"GET", "PATCH", "DELETE"} {
		if r := theirs.do(method, path, `{"name":"stolen"}`).want(404); r.text("error", "code") != "not_found" {
			t.Errorf("%s: %s", method, r.body)
		}
	}
	if a, b := mine.walk("/v1/notes", ""), theirs.walk("/v1/notes", ""); a != "mine" || b != "theirs" {
		t.Errorf("mine are %q, theirs %q", a, b)
	}
	if got := theirs.walk("/v1/notes?name=mine", ""); got != "" {
		t.Errorf("a filter finds %q", got)
	}
}

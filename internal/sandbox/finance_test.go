package sandbox_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/bend"
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
			if id := fmt.Sprint(first[i]["id"]); id != second[i]["id"] || !anUUID.MatchString(id) || id[14] != '4' ||
				first[i]["name"] != second[i]["name"] || !b.Equal(a.AddDate(0, 0, 10)) {
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

// wire contract: Tolerance. Each switch makes its one difference, and none
// touches the content of a record.
func TestFinanceTolerances(t *testing.T) {
	t.Parallel()
	const inside = `{"created":{"id":null},"list":[],"none":null}`
	for name, test := range map[string]struct {
		tolerance string
		check     func(t *testing.T, c caller, path string)
	}{
		"none": {"", func(t *testing.T, c caller, path string) {
			r := c.do("GET", path, "").want(200)
			if r.header.Get("ETag") == "" || r.header.Get("Last-Modified") == "" || r.at("data", "x_undocumented") != nil {
				t.Errorf("%v %s", r.header, r.body)
			}
		}},
		"IgnoreFilters": {"ignore-filters", func(t *testing.T, c caller, _ string) {
			if n := len(c.do("GET", "/v1/notes?name=zzz&occurred_at[gte]=2100-01-01", "").want(200).names("id")); n != 1 {
				t.Errorf("%d records", n)
			}
		}},
		"NullLists": {"null-lists", func(t *testing.T, c caller, _ string) {
			if r := c.do("GET", "/v1/nothing", "").want(200); r.json() != `{"data":null,"meta":{"next_cursor":null}}` {
				t.Errorf("an empty collection: %s", r.body)
			}
		}},
		"OmitNullFields": {"omit-null-fields", func(t *testing.T, c caller, path string) {
			c.do("PATCH", path, `{"more":null}`).want(200)
			made := c.do("POST", "/v1/notes", `{"gone":null,"name":"b"}`).want(201)
			list := c.do("GET", "/v1/notes", "").want(200)
			if strings.Contains(string(made.body), "gone") || list.json("meta") != `{}` {
				t.Errorf("made %s, list %s", made.body, list.body)
			}
			c.do("PATCH", path, `{"more":`+inside+`}`).want(200)
		}},
		"UnknownFields": {"unknown-fields", func(t *testing.T, c caller, path string) {
			list := c.do("GET", "/v1/notes", "").want(200)
			if c.do("GET", path, "").at("data", "x_undocumented") == nil || list.at("data", 0, "x_undocumented") == nil ||
				list.at("meta", "x_undocumented") == nil {
				t.Errorf("nothing unknown in %s", list.body)
			}
			// It is not a field of the record: a change does not keep it.
			if got := c.do("PATCH", path, `{}`).want(200); strings.Count(string(got.body), "x_undocumented") != 2 {
				t.Errorf("changed %s", got.body)
			}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := book(t, start(t, sandbox.Options{NoExampleData: true, Bend: bend.Must(test.tolerance)}))
			r := c.do("POST", "/v1/notes", `{"name":"a","more":`+inside+`}`).want(201)
			path := "/v1/notes/" + r.text("data", "id")
			for _, response := range []result{r, c.do("GET", path, "").want(200)} {
				if got := response.json("data", "more"); got != inside {
					t.Errorf("inside a record: %s, want %s", got, inside)
				}
			}
			test.check(t, c, path)
		})
	}
}

// The description is not a response with records, and it is the same under every switch.
func TestToleranceLeavesTheDescription(t *testing.T) {
	t.Parallel()
	every := "unknown-fields,null-lists,omit-null-fields,bare-objects"
	plain, bent := book(t, start(t, sandbox.Options{})), book(t, start(t, sandbox.Options{Bend: bend.Must(every)}))
	for _, path := range []string{"/api/v1/openapi.json", "/api/v1/openapi.yaml"} {
		if got, want := bent.do("GET", path, "").want(200),
			plain.do("GET", path, "").want(200); string(got.body) != string(want.body) {
			t.Errorf("%s: %s", path, got.body)
		}
	}
}

// Financial management §1: conditional requests.
func TestConditionalReads(t *testing.T) {
	t.Parallel()
	server := start(t, sandbox.Options{Start: morning})
	c := book(t, server)
	path := c.put("accounts", "a")[0]
	for _, place := range []string{path, "/v1/accounts", "/v1/accounts?limit=2&status=active", "/v1/nothing",
		"/api/v1/openapi.yaml", "/api/v1/openapi.json"} {
		tag := c.do("GET", place, "").want(200).header.Get("ETag")
		unchanged := c.do("GET", place, "", "If-None-Match", tag).want(304)
		if tag == "" || len(unchanged.body) != 0 || unchanged.header.Get("ETag") != tag ||
			!anUUID.MatchString(unchanged.header.Get("Request-Id")) {
			t.Errorf("%s: %q, then %v", place, tag, unchanged.header)
		}
		c.do("GET", place, "", "If-None-Match", `"other", W/`+tag).want(304)
		c.do("GET", place, "", "If-None-Match", `"other"`).want(200)
	}
	record, list := c.do("GET", path, "").header, c.do("GET", "/v1/accounts", "").header
	c.do("GET", path, "", "If-Modified-Since", record.Get("Last-Modified")).want(304)
	server.Clock().Advance(time.Second)
	c.do("PATCH", path, `{"x":1}`).want(200)
	c.do("GET", path, "", "If-None-Match", record.Get("ETag")).want(200)
	c.do("GET", path, "", "If-Modified-Since", record.Get("Last-Modified")).want(200)
	c.do("GET", "/v1/accounts", "", "If-None-Match", list.Get("ETag")).want(200)
}

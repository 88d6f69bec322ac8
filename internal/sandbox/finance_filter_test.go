package sandbox_test

import (
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// filtered are records by name, and the fields that the filters are about.
var filtered = []struct{ name, fields string }{
	// a day and its edges
	{"eve", `"at":"2026-03-09T23:59:59.999Z"`},
	{"midnight", `"at":"2026-03-10T00:00:00.000Z"`},
	{"noon", `"at":"2026-03-10T12:00:00.000Z"`},
	{"abroad", `"at":"2026-03-10T23:30:00.000-03:00"`}, // 02:30 of the 11th
	{"day", `"at":"2026-03-10"`},
	{"next", `"at":"2026-03-11"`},
	{"never", `"at":null`},
	{"sometime", `"at":"soon"`},
	// numbers
	{"n2", `"n":2`}, {"n10", `"n":10`}, {"n2.5", `"n":2.50`}, {"minus", `"n":-3`}, {"big", `"n":9007199254740993`},
	{"exp", `"n":1e3`}, {"m9", `"m":"9.00"`}, {"m10", `"m":"10.00"`}, {"m100", `"m":"100.00"`},
	{"half", `"m":"1/2"`}, {"hex", `"m":"0x20"`},
	// text and the rest
	{"ana", `"t":"Ana"`}, {"bia", `"t":"bia"`}, {"ipe", `"t":"ipê & <co>=1"`}, {"blank", `"t":""`},
	{"zeros", `"t":"0042"`}, {"yes", `"b":true`}, {"list", `"b":["true"]`}, {"object", `"b":{"true":true}`},
	{"_x", `"_under_9":"1"`}, {"limits", `"limit":"1"`},
}

// Financial management §4: filters narrow the list before paging.
func TestRecordFilters(t *testing.T) {
	t.Parallel()
	_, c := empties(t)
	var every []string
	for _, record := range filtered {
		c.do("POST", "/v1/things", `{"name":"`+record.name+`",`+record.fields+`}`).want(201)
		every = append(every, record.name)
	}
	all := strings.Join(every, " ")
	for _, test := range []struct {
		want    string
		filters []string // name, value, …
	}{
		{all, nil},
		// a date is the whole day, in UTC
		{"midnight noon abroad day next", []string{"at[gte]", "2026-03-10"}},
		{"abroad next", []string{"at[gt]", "2026-03-10"}},
		{"eve midnight noon day", []string{"at[lte]", "2026-03-10"}},
		{"eve", []string{"at[lt]", "2026-03-10"}},
		{"midnight noon day", []string{"at[gte]", "2026-03-10", "at[lte]", "2026-03-10"}},
		{"abroad next", []string{"at[gt]", "2026-03-10", "at[lt]", "2026-03-12"}},
		// timestamps in any offset
		{"noon abroad next", []string{"at[gte]", "2026-03-10T12:00:00.000Z"}},
		{"noon abroad next", []string{"at[gte]", "2026-03-10T09:00:00-03:00"}},
		{"abroad next", []string{"at[gt]", "2026-03-10T21:00:00.000+09:00"}},
		{"eve midnight day", []string{"at[lt]", "2026-03-10T12:00:00.000Z"}},
		{"eve midnight noon day", []string{"at[lte]", "2026-03-10T12:00:00Z"}},
		{"abroad", []string{"at[gte]", "2026-03-11T02:30:00Z", "at[lte]", "2026-03-11T02:30:00Z"}},
		// equal is the text as it is written
		{"day", []string{"at", "2026-03-10"}},
		{"noon", []string{"at", "2026-03-10T12:00:00.000Z"}},
		{"", []string{"at", "2026-03-10T12:00:00Z"}},
		// a bound that is not a time, and text that is none
		{"sometime", []string{"at[gte]", "s"}},
		{"sometime", []string{"at[gte]", "2026-13-40"}},
		// numbers by their value, of any size
		{"n2 n2.5 minus", []string{"n[lt]", "10"}},
		{"n2.5", []string{"n[gt]", "2.0", "n[lte]", "2.5"}},
		{"n10 big exp", []string{"n[gte]", "1e1"}},
		{"big", []string{"n[gt]", "9007199254740992"}},
		{"", []string{"n[gt]", "9007199254740993"}},
		{"minus", []string{"n[lte]", "-3.000"}},
		{"exp", []string{"n", "1e3"}},
		{"", []string{"n", "1000"}},
		{"m9", []string{"m[lt]", "10.00"}},
		{"m10 m100", []string{"m[gte]", "10"}},
		{"m10", []string{"m", "10.00"}},
		{"", []string{"n[gt]", "ten"}},
		{"", []string{"n[lt]", "9e999999999"}},
		{"half", []string{"m[gte]", "1/1", "m[lt]", "1/3"}}, // is text: "1/2" is between them
		// text by its bytes
		{"ana", []string{"t", "Ana"}},
		{"", []string{"t", "ana"}},
		{"bia ipe", []string{"t[gte]", "a"}},
		{"ana blank", []string{"t[lt]", "a"}},
		{"ipe", []string{"t", "ipê & <co>=1"}},
		{"blank", []string{"t", ""}},
		{"zeros", []string{"t", "0042"}},
		{"", []string{"t", "42"}},
		// what is not a text, number or truth passes nothing
		{"yes", []string{"b", "true"}},
		{"", []string{"b", `["true"]`}},
		{"yes", []string{"b[gte]", ""}},
		{"", []string{"nothing", ""}},
		{"", []string{"nothing[lt]", "9"}},
		// names
		{"_x", []string{"_under_9", "1"}},
		{"limits", []string{"limit[lte]", "1"}},
		{"n2", []string{"name", "n2"}},
		{"", []string{"Name", "n2"}},
		{"n2", []string{"n", "2", "name[gte]", "n", "name[lt]", "o"}},
		{all, []string{"created_at[gt]", "2020-01-01", "updated_at[gte]", "2020-01-01"}},
	} {
		query := url.Values{}
		for i := 0; i < len(test.filters); i += 2 {
			query.Set(test.filters[i], test.filters[i+1])
		}
		for _, limit := range []string{"100", "2"} {
			query.Set("limit", limit)
			got := strings.ReplaceAll(c.walk("/v1/things?"+query.Encode(), ""), "|", " ")
			if got != test.want {
				t.Errorf("%v, %s a page: %s, want %s", test.filters, limit, got, test.want)
			}
		}
	}
}

// What is not a filter is rejected, and not left out.
func TestRefusedFilters(t *testing.T) {
	t.Parallel()
	_, c := empties(t)
	c.put("things", "a")
	for _, name := range []string{
		"name[near]", "name[]", "name[GTE]", "name[gte][lte]", "name[gte", "name]gte[", "[gte]", "", "*", "na me",
		"name.first", "9lives", "name[eq]", "name[gte]x", "nome-de-usuário", "name\n", "limit[limit]",
	} {
		query := url.Values{name: {"a"}}.Encode()
		r := c.do("GET", "/v1/things?"+query, "")
		if r.status != 400 || r.text("error", "code") != "malformed_request" {
			t.Errorf("%q: %d %s", name, r.status, r.body)
			continue
		}
		if fields, _ := r.at("error", "details", "fields").(map[string]any); fields[name] == nil || len(fields) != 1 {
			t.Errorf("%q: blames %v", name, fields)
		}
	}
	for _, repeated := range []string{"name=a&name=a", "name[gte]=a&name[gte]=b", "name=a&n%61me=a", "limit=1&limit=1",
		"cursor=x&cursor=x"} {
		name, _, _ := strings.Cut(repeated, "=")
		c.do("GET", "/v1/things?"+repeated, "").blames(name)
	}
	for _, malformed := range []string{"name=%zz", "name;=1", "%=1"} {
		c.do("GET", "/v1/things?"+malformed, "").want(400)
	}
	// A single record has no filters.
	c.do("GET", c.put("things", "b")[0]+"?name=b", "").blames("name")
}

// Filters do not look into another company, collection or organization.
func TestFiltersByCompany(t *testing.T) {
	t.Parallel()
	c := book(t, start(t, sandbox.Options{}))
	for _, collection := range []string{"accounts", "payables", "receivables"} {
		whole := c.do("GET", "/v1/"+collection+"?limit=100", "").want(200).names("id")
		var parts []string
		for _, company := range []string{sandbox.ExampleCompany, sandbox.ExampleSecondCompany} {
			r := c.do("GET", "/v1/"+collection+"?limit=100&company_id="+company, "").want(200)
			if companies := slices.Compact(r.names("company_id")); !slices.Equal(companies, []string{company}) {
				t.Errorf("%s of %s: of %v", collection, company, companies)
			}
			parts = append(parts, r.names("id")...)
		}
		slices.Sort(whole)
		slices.Sort(parts)
		if !slices.Equal(whole, parts) {
			t.Errorf("%s: %d in all, %d of the two companies", collection, len(whole), len(parts))
		}
	}
	if got := c.do("GET", "/v1/payables?company_id="+plan, "").want(200).json("data"); got != "[]" {
		t.Errorf("a company without payables: %s", got)
	}
}

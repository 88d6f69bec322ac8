package sandbox_test

import (
	"strings"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/bend"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// wire contract: Tolerance. Each switch makes the one difference it names.
func TestTolerances(t *testing.T) {
	t.Parallel()
	const metadata = `{"kept":null,"list":[]}`
	tests := map[string]struct {
		tolerance string
		check     func(t *testing.T, c caller, path string)
	}{
		"none": {"", func(t *testing.T, c caller, path string) {
			if r := c.do("GET", path, ""); strings.Contains(string(r.body), "x_undocumented") || r.header.Get("ETag") == "" {
				t.Errorf("plain response %s", r.body)
			}
		}},
		"IgnoreFilters": {"ignore-filters", func(t *testing.T, c caller, _ string) {
			query := "?external_id=x&search=zzz&document_number=1&updated_at_gte=2100-01-01"
			if got := c.do("GET", "/v1/customers"+query, "").want(200).json("meta", "total"); got != "1" {
				t.Errorf("total %s", got)
			}
		}},
		"BareObjects": {"bare-objects", func(t *testing.T, c caller, path string) {
			if c.do("GET", path, "").text("name") != "Ana" || c.do("PATCH", path, `{}`).text("name") != "Ana" {
				t.Error("objects are not bare")
			}
			if c.do("GET", "/v1/customers", "").text("data", 0, "name") != "Ana" {
				t.Error("a list has lost its envelope")
			}
		}},
		"DeleteNoContent": {"delete-no-content", func(t *testing.T, c caller, path string) {
			if r := c.do("DELETE", path, "").want(204); len(r.body) != 0 {
				t.Errorf("body %s", r.body)
			}
			c.do("DELETE", path, "").want(404)
		}},
		"NoValidators": {"no-validators", func(t *testing.T, c caller, path string) {
			r := c.do("GET", path, "", "If-None-Match", "*").want(200)
			if r.header.Get("ETag") != "" || r.header.Get("Last-Modified") != "" {
				t.Errorf("validators %v", r.header)
			}
		}},
		"NullsChangeNothing": {"nulls-change-nothing", func(t *testing.T, c caller, path string) {
			c.do("PATCH", path, `{"custom_metadata":{"a":1,"b":{"c":2}}}`).want(200)
			r := c.do("PATCH", path, `{"custom_metadata":{"a":null,"b":{"c":null},"d":null},"custom_metadata_mode":"merge"}`).
				want(200)
			if got := r.json("data", "custom_metadata"); got != `{"a":1,"b":{"c":2}}` {
				t.Errorf("custom_metadata %s", got)
			}
		}},
		"OmitNullFields": {"omit-null-fields", func(t *testing.T, c caller, path string) {
			r := c.do("GET", path, "")
			if strings.Contains(string(r.body), `"nickname"`) || r.json("data", "custom_metadata") != metadata {
				t.Errorf("response %s", r.body)
			}
		}},
		"UnknownFields": {"unknown-fields", func(t *testing.T, c caller, path string) {
			r := c.do("GET", path, "")
			if r.at("data", "x_undocumented") == nil || r.json("data", "custom_metadata") != metadata {
				t.Errorf("response %s", r.body)
			}
			if refusal := c.do("POST", "/v1/customers", `{}`).json("error", "details",
				"fields"); refusal != `{"name":"is required"}` {
				t.Errorf("fields %s", refusal)
			}
		}},
		"FlatErrors": {"flat-errors", func(t *testing.T, c caller, _ string) {
			r := c.do("POST", "/v1/customers", `{}`).want(422)
			if r.text("error_code") != "validation_error" || r.text("error") == "" {
				t.Errorf("error %s", r.body)
			}
		}},
		"NullLists": {"null-lists", func(t *testing.T, c caller, path string) {
			if got := c.do("PATCH", path, `{"tags":[]}`).json("data", "tags"); got != "null" {
				t.Errorf("tags %s", got)
			}
			if got := c.do("GET", "/v1/customers?page=9", "").json("data"); got != "null" {
				t.Errorf("data %s", got)
			}
			if got := c.do("GET", path, "").json("data", "custom_metadata"); got != metadata {
				t.Errorf("custom_metadata %s", got)
			}
		}},
		"LeanAccounts": {"lean-accounts", func(t *testing.T, c caller, _ string) {
			r := c.do("GET", "/v1/billing-accounts", "")
			if r.at("data", 0, "customer") != nil {
				t.Errorf("list %s", r.body)
			}
			path := "/v1/billing-accounts/" + r.text("data", 0, "id")
			for name, r := range map[string]result{
				"update":     c.do("PATCH", path, `{"payment_terms_days":20}`).want(200),
				"suspend":    c.do("POST", path+"/suspend", "").want(200),
				"reactivate": c.do("POST", path+"/reactivate", "").want(200),
			} {
				if r.at("data", "customer") != nil {
					t.Errorf("%s: %s", name, r.body)
				}
			}
			if c.do("GET", path, "").at("data", "customer") == nil {
				t.Error("a single read does not load the customer")
			}
			if c.do("POST", accounts, `{"customer":{"name":"Bia"}}`).want(201).at("data", "customer") == nil {
				t.Error("a create does not load the customer")
			}
		}},
		"PriceAmounts": {"price-amounts", func(t *testing.T, c caller, _ string) {
			path, _ := c.subscribe("," + items(anItem("aa", ""), anItem("bb", `,"unit_amount_subcents":7`)))
			r := c.do("GET", path+"/items?sort_by=product_id&sort_order=asc", "").want(200)
			if r.json("data", 0, "unit_amount_subcents") == "null" || r.json("data", 1, "unit_amount_subcents") != "7" {
				t.Errorf("items %s", r.body)
			}
			synced := c.do("PUT", path+"/items", `{`+items(anItem("aa", ""))+`}`).want(200)
			if synced.json("data", 0) != r.json("data", 0) {
				t.Errorf("synced %s, listed %s", synced.body, r.body)
			}
		}},
		"ItemsNotListed": {"items-not-listed", func(t *testing.T, c caller, _ string) {
			path, _ := c.subscribe("")
			if r := c.do("GET", path+"/items", "").want(405); r.header.Get("Allow") != "PUT" {
				t.Errorf("Allow %q", r.header.Get("Allow"))
			}
			c.do("PUT", path+"/items", `{`+items(anItem("aa", ""))+`}`).want(200)
		}},
		"ItemsNotFound": {"items-not-found", func(t *testing.T, c caller, _ string) {
			path, _ := c.subscribe("")
			c.do("GET", path+"/items", "").want(404)
			c.do("PUT", path+"/items", `{`+items(anItem("aa", ""))+`}`).want(200)
		}},
		"every one that bends": {"omit-null-fields,unknown-fields,bare-objects,null-lists,nulls-change-nothing,delete-no-content,ignore-filters", bentSubscription},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := call(t, start(t, sandbox.Options{Bend: bend.Must(test.tolerance)}))
			c.do("POST", "/v1/customers", `{"name":"Ana","custom_metadata":`+metadata+`}`).want(201)
			plain := c.do("GET", "/v1/customers", "")
			test.check(t, c, "/v1/customers/"+plain.text("data", 0, "id"))
		})
	}
}

// One item is on two pages, or missing between two pages.
func TestListsThatMoveUnderTheReader(t *testing.T) {
	t.Parallel()
	for want, tolerance := range map[string]string{
		"c1 c2 of 5|c2 c3 of 6|c4 c5 of 6| of 6": "repeat-across-pages",
		"c1 c2 of 5|c4 c5 of 4| of 4| of 4":      "skip-across-pages",
	} {
		_, c := five(t, sandbox.Options{Bend: bend.Must(tolerance)})
		var pages []string
		for _, page := range []string{"1", "2", "3", "4"} {
			r := c.do("GET", "/v1/customers?per_page=2&sort_by=name&sort_order=asc&page="+page, "").want(200)
			pages = append(pages, strings.Join(r.names("name"), " ")+" of "+r.json("meta", "total"))
		}
		if got := strings.Join(pages, "|"); got != want {
			t.Errorf("%+v: %s, want %s", tolerance, got, want)
		}
	}
}

// bentSubscription sends a subscription through switches that change the form of a response.
func bentSubscription(t *testing.T, c caller, _ string) {
	account := c.do("GET", accounts, "").text("data", 0, "id")
	r := c.do("POST", subscriptions, `{"billing_account_id":"`+account+`","plan_id":"`+plan+
		`","custom_metadata":{"a":1}}`).want(201)
	path := subscriptions + "/" + r.text("id")
	if object, _ := r.at().(map[string]any); r.at("x_undocumented") == nil || object["notes"] != nil ||
		strings.Contains(string(r.body), `"notes"`) {
		t.Errorf("made %s", r.body)
	}
	if got := c.do("PATCH", path, `{"custom_metadata":{"a":null},"custom_metadata_mode":"merge"}`).want(200).
		json("custom_metadata"); got != `{"a":1}` {
		t.Errorf("custom_metadata %s", got)
	}
	if got := c.do("GET", path+"/items", "").want(200).json("data"); got != "null" {
		t.Errorf("items %s", got)
	}
	if c.do("POST", path+"/invoices", "").want(201).text("id") == "" {
		t.Error("an invoice without an id")
	}
	for _, query := range []string{subscriptions + "?status=canceled&external_id=x", "/v1/invoices?subscription_id=x",
		accounts + "?status=closed"} {
		if got := c.do("GET", query, "").want(200).json("meta", "total"); got != "1" {
			t.Errorf("%s: total %s", query, got)
		}
	}
	c.do("POST", path+"/cancel", "").want(200)
	c.do("DELETE", path, "").want(204)
	c.do("DELETE", accounts+"/"+account, "").want(204)
}

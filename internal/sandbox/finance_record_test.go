package sandbox_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// freeForm is what a client may put into a record, each value as it is written.
const freeForm = `"beyond":9007199254740993,"big":123456789012345678901234567890.10,"exp":1E+2,"list":[1.10,null,[],{}],` +
	`"money":1.10,"nested":{"created_at":"mine","id":7,"n":-0.0,"none":null},"none":null,"text":"<ipê> & \"co\"","truth":false,"zero":0.00`

// Fields come back byte for byte: from the creation, a single read, a listing and
// a change of something else.
func TestFreeFormFields(t *testing.T) {
	t.Parallel()
	_, c := empties(t)
	made := c.do("POST", "/v1/notes", `{`+freeForm+`}`).want(201)
	path := "/v1/notes/" + made.text("data", "id")
	for name, r := range map[string]result{
		"made": made, "read": c.do("GET", path, "").want(200), "listed": c.do("GET", "/v1/notes", "").want(200),
		"changed": c.do("PATCH", path, `{"zzz":1}`).want(200), "read again": c.do("GET", path, "").want(200),
	} {
		for _, field := range splitFields(freeForm) {
			if !strings.Contains(string(r.body), field) {
				t.Errorf("%s: %s is not in %s", name, field, r.body)
			}
		}
	}
}

// splitFields parts an object's text into its top-level fields.
func splitFields(object string) (fields []string) {
	depth, from := 0, 0
	for i, character := range object + "," {
		switch {
		case strings.ContainsRune("{[", character):
			depth++
		case strings.ContainsRune("}]", character):
			depth--
		case character == ',' && depth == 0:
			fields, from = append(fields, object[from:i]), i+1
		}
	}
	return fields
}

// What the service sets, it sets alone.
func TestFieldsSetByTheService(t *testing.T) {
	t.Parallel()
	server := start(t, sandbox.Options{NoExampleData: true, Start: morning})
	c := book(t, server)
	made := c.do("POST", "/v1/notes", `{}`).want(201).holds(map[string]string{
		"created_at": `"2026-05-04T09:00:00.000Z"`, "updated_at": `"2026-05-04T09:00:00.000Z"`,
	})
	id := made.text("data", "id")
	if !anUUID.MatchString(id) {
		t.Errorf("id %q", id)
	}
	path := "/v1/notes/" + id
	for _, field := range []string{"id", "created_at", "updated_at"} {
		for _, value := range []string{`null`, `"` + id + `"`, made.json("data", field)} {
			c.do("POST", "/v1/notes", `{"`+field+`":`+value+`}`).blames(field)
			c.do("PATCH", path, `{"`+field+`":`+value+`}`).blames(field)
		}
	}
	c.do("PATCH", path, `{}`).want(200).holds(map[string]string{"updated_at": `"2026-05-04T09:00:00.001Z"`})
	server.Clock().Advance(time.Hour)
	c.do("PATCH", path, `{"id_of_mine":1}`).want(200).holds(map[string]string{
		"id": `"` + id + `"`, "created_at": `"2026-05-04T09:00:00.000Z"`, "updated_at": `"2026-05-04T10:00:00.000Z"`,
	})
}

// Financial management §2: the fields whose form is known.
func TestRecordRules(t *testing.T) {
	t.Parallel()
	_, c := empties(t)
	path := c.put("accounts", "a")[0]
	note := c.put("notes", "a")[0]
	for _, test := range []struct{ fields, blamed string }{
		{`"amount":"10.50"`, ""}, {`"amount":"0.01"`, ""}, {`"amount":null`, ""},
		{`"amount":10.50`, "amount"}, {`"amount":"10.5"`, "amount"}, {`"amount":"-10.50"`, "amount"},
		{`"amount":"0.00"`, "amount"}, {`"amount":""`, "amount"}, {`"company_id":"` + plan + `"`, ""},
		{`"company_id":null`, ""}, {`"company_id":"1"`, "company_id"}, {`"company_id":1`, "company_id"},
		{`"occurred_at":"2026-03-01"`, ""}, {`"occurred_at":"2026-03-01T12:00:00.000-03:00"`, ""},
		{`"occurred_at":"2026-02-30"`, "occurred_at"}, {`"occurred_at":"01/03/2026"`, "occurred_at"},
		{`"occurred_at":"2026-03-01T12:00:00"`, "occurred_at"}, {`"type":"debit"`, ""}, {`"type":"credit"`, ""},
		{`"type":"both"`, "type"}, {`"type":{}`, "type"}, {`"name":"Ana"`, ""}, {`"name":" "`, "name"}, {`"name":7`, "name"},
		{`"amount":"x","type":"y","company_id":"z"`, "amount type company_id"},
		{`"amounts":-1,"details":{"amount":-1,"type":"both"}`, ""},
	} {
		for name, r := range map[string]result{
			"made":    c.do("POST", "/v1/notes", `{`+test.fields+`}`),
			"changed": c.do("PATCH", note, `{`+test.fields+`}`),
			"account": c.do("PATCH", path, `{`+test.fields+`}`),
		} {
			if test.blamed != "" {
				r.blames(strings.Fields(test.blamed)...)
			} else if r.status >= 300 {
				t.Errorf("%s %s: %d %s", name, test.fields, r.status, r.body)
			}
		}
	}
	for body, want := range map[string]int{`{}`: 422, `{"name":null}`: 422, `{"name":""}`: 422, `{"name":"Caixa"}`: 201} {
		c.do("POST", "/v1/accounts", body).want(want)
	}
}

// wire contract: finance PATCH merges at the top level, null takes a field out,
// and the rules hold for what comes of it.
func TestRecordChanges(t *testing.T) {
	t.Parallel()
	_, c := empties(t)
	made := c.do("POST", "/v1/accounts", `{"name":"a","amount":"1.00","more":{"x":1,"y":2},"none":null}`).want(201)
	path := "/v1/accounts/" + made.text("data", "id")
	for _, step := range []struct {
		body   string
		status int
		want   string // the free-form fields afterwards
	}{
		{`{}`, 200, `{"amount":"1.00","more":{"x":1,"y":2},"name":"a","none":null}`},
		{`{"more":{"y":3}}`, 200, `{"amount":"1.00","more":{"y":3},"name":"a","none":null}`},
		{`{"more":{"y":null},"none":1}`, 200, `{"amount":"1.00","more":{"y":null},"name":"a","none":1}`},
		{`{"amount":null,"none":null,"nothing":null}`, 200, `{"more":{"y":null},"name":"a"}`},
		{`{"name":null}`, 422, `{"more":{"y":null},"name":"a"}`},
		{`{"name":"b","amount":"-1.00"}`, 422, `{"more":{"y":null},"name":"a"}`},
		{`[]`, 400, `{"more":{"y":null},"name":"a"}`},
		{``, 400, `{"more":{"y":null},"name":"a"}`},
		{`{"name":"b"} {}`, 400, `{"more":{"y":null},"name":"a"}`},
		{`{"name":"b","more":null}`, 200, `{"name":"b"}`},
	} {
		c.do("PATCH", path, step.body).want(step.status)
		if got := fieldsOf(c.do("GET", path, "").want(200)); got != step.want {
			t.Errorf("after %s: %s, want %s", step.body, got, step.want)
		}
	}
	c.do("DELETE", path, "").want(204)
	for _, method := range []string{"GET", "PATCH", "DELETE"} {
		if r := c.do(method, path, `{}`).want(404); r.text("error", "code") != "not_found" {
			t.Errorf("%s of what is gone: %s", method, r.body)
		}
	}
}

// fieldsOf are the free-form fields of the record in a response.
func fieldsOf(r result) string {
	r.t.Helper()
	record, _ := r.at("data").(map[string]any)
	for _, given := range []string{"id", "created_at", "updated_at"} {
		delete(record, given)
	}
	document, err := json.Marshal(record)
	if err != nil {
		r.t.Fatal(err)
	}
	return string(document)
}

// Which names a collection can have, and that a record is found in its own one.
func TestCollectionNames(t *testing.T) {
	t.Parallel()
	_, c := empties(t)
	for _, name := range []string{"a", "Notes", "cost-centers", "cost_centers", "x9", strings.Repeat("a", 64)} {
		path := c.put(name, "a")[0]
		c.do("GET", path, "").want(200)
		id := path[strings.LastIndex(path, "/")+1:]
		if r := c.do("GET", "/v1/elsewhere/"+id, "").want(404); r.text("error", "code") != "not_found" {
			t.Errorf("%s: %s", name, r.body)
		}
	}
	for _, name := range []string{"9", "_a", "-a", "a.b", "a%20b", "a%2Fb", "not%C3%A3s", "*", "a:read",
		strings.Repeat("a", 65)} {
		for _, method := range []string{"GET", "POST"} {
			if r := c.do(method, "/v1/"+name, `{}`).want(404); r.text("error", "code") != "route_not_found" {
				t.Errorf("%s %s: %s", method, name, r.body)
			}
		}
	}
}

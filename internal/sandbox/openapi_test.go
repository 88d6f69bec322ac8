package sandbox_test

import (
	"bytes"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/recurring-billing/terraform-provider-billing/internal/evidence"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// guide is a description as the sandbox serves it.
type guide struct {
	t        *testing.T
	document any
	compiler *jsonschema.Compiler
}

func readGuide(t *testing.T, c caller) guide {
	t.Helper()
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(c.do("GET", "/api/v1/openapi.json", "").want(200).body))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	if err := compiler.AddResource("served.json", document); err != nil {
		t.Fatal(err)
	}
	return guide{t, document, compiler}
}

// at returns the object under the names, with the references on the way followed,
// and its place as a JSON pointer.
func (g guide) at(names ...string) (found map[string]any, pointer string) {
	g.t.Helper()
	found, _ = g.document.(map[string]any)
	for _, name := range names {
		next, ok := found[name].(map[string]any)
		if !ok {
			g.t.Fatalf("the description has no object at %q of %q", name, names)
		}
		found, pointer = next, pointer+"/"+strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
		if target, ok := found["$ref"].(string); ok {
			found, pointer = g.at(strings.Split(strings.TrimPrefix(target, "#/"), "/")...)
		}
	}
	return found, pointer
}

// validate holds a value against the schema at a pointer.
func (g guide) validate(pointer string, value any) {
	g.t.Helper()
	schema, err := g.compiler.Compile("served.json#" + pointer)
	if err != nil {
		g.t.Fatal(err)
	}
	if err := schema.Validate(value); err != nil {
		g.t.Errorf("%v is not as described: %v", value, err)
	}
}

// holds compares a response with the description of its status.
func (g guide) holds(path, method string, r result) {
	g.t.Helper()
	response, pointer := g.at("paths", path, method, "responses", fmt.Sprint(r.status))
	headers, _ := response["headers"].(map[string]any)
	for name := range headers {
		g.validate(pointer+"/headers/"+name+"/schema", r.header.Get(name))
	}
	content, _ := response["content"].(map[string]any)
	if len(content) == 0 {
		if len(r.body) != 0 || r.header.Get("Content-Type") != "" {
			g.t.Errorf("described without a body, responded with %s", r.body)
		}
		return
	}
	kind := r.header.Get("Content-Type")
	if content[kind] == nil {
		g.t.Fatalf("returned as %q, described as %v", kind, slices.Collect(maps.Keys(content)))
	}
	var body any = string(r.body)
	if kind == "application/json" {
		var err error
		if body, err = jsonschema.UnmarshalJSON(bytes.NewReader(r.body)); err != nil {
			g.t.Fatal(err)
		}
	}
	g.validate(pointer+"/content/"+strings.ReplaceAll(kind, "/", "~1")+"/schema", body)
}

// walker brings about the statuses of one operation.
type walker struct {
	caller
	server       *sandbox.Server
	method, path string // the path as it is described
}

// place is the path with a collection, and a record that is there, in it.
func (w walker) place(collection string) string {
	w.t.Helper()
	path := strings.ReplaceAll(w.path, "{collection}", collection)
	if !strings.Contains(path, "{id}") {
		return path
	}
	made := w.do("POST", "/v1/notes", `{"name":"a","company_id":null,"more":{"n":[1.10,null]}}`).want(201)
	return strings.ReplaceAll(path, "{id}", made.text("data", "id"))
}

// bring sends a request that has to return the status.
func (w walker) bring(status string) result {
	w.t.Helper()
	method, path, body := strings.ToUpper(w.method), w.place("notes"), ""
	if w.takesBody() {
		body = `{"name":"b","occurred_at":"2026-03-01T12:00:00.000-03:00","amount":"10.50","type":"debit","tags":[]}`
	}
	var headers []string
	switch status {
	case "304":
		headers = []string{"If-None-Match", "*"}
	case "400":
		w.contentType = "text/plain"
	case "401":
		w.token = "none"
	case "403":
		w.token = w.forbidden()
	case "404":
		path = strings.NewReplacer("{collection}", "9", "{id}", plan).Replace(w.path)
	case "413":
		body = `{"name":"` + strings.Repeat("b", 1<<20) + `"}`
	case "422":
		body, path = `{"amount":1}`, path+"?x=1&x=1"
	}
	return w.do(method, path, body, headers...)
}

func (w walker) takesBody() bool { return w.method == "post" || w.method == "patch" }

// forbidden is a token that is valid and may do nothing.
func (w walker) forbidden() string {
	w.t.Helper()
	token := sandbox.Token{Service: sandbox.Finance, Scopes: []string{"other:read"}}
	if strings.HasPrefix(w.path, "/api/") {
		token.Blocked = true // no scope is needed
	}
	value, err := w.server.NewToken(token)
	if err != nil {
		w.t.Fatal(err)
	}
	return value
}

// TestDescriptionAgainstTheServer brings about every status that is described of
// every operation, and holds the response against what is described of it.
func TestDescriptionAgainstTheServer(t *testing.T) {
	t.Parallel()
	server := start(t, sandbox.Options{})
	c := book(t, server)
	g := readGuide(t, c)
	walked := map[string]int{}
	paths, _ := g.at("paths")
	for path := range paths {
		methods, _ := g.at("paths", path)
		for method := range methods {
			responses, _ := g.at("paths", path, method, "responses")
			for status := range responses {
				t.Run(method+" "+path+" "+status, func(t *testing.T) {
					c, g := c, g
					c.t, g.t = t, t
					r := walker{c, server, method, path}.bring(status)
					if fmt.Sprint(r.status) != status {
						t.Fatalf("responded with %d %s", r.status, r.body)
					}
					g.holds(path, method, r)
				})
				walked[status]++
			}
		}
	}
	want := map[string]int{"200": 8, "201": 1, "204": 1, "304": 7, "400": 10, "401": 10, "403": 10, "404": 5,
		"413": 2, "422": 10}
	if !maps.Equal(walked, want) {
		t.Errorf("walked %v, want %v", walked, want)
	}
}

// TestExampleDataIsAsDescribed: whole pages, as a sandbox begins.
func TestExampleDataIsAsDescribed(t *testing.T) {
	t.Parallel()
	c := book(t, start(t, sandbox.Options{}))
	g := readGuide(t, c)
	for _, collection := range exampleCollections {
		g.holds("/v1/"+collection, "get", c.do("GET", "/v1/"+collection+"?limit=100", "").want(200))
		first := c.do("GET", "/v1/"+collection+"?limit=1", "").want(200)
		first.text("meta", "next_cursor")
		g.holds("/v1/"+collection, "get", first)
	}
}

// What is not described is not served.
func TestUndescribedIsNotServed(t *testing.T) {
	t.Parallel()
	c := book(t, start(t, sandbox.Options{}))
	g := readGuide(t, c)
	paths, _ := g.at("paths")
	for _, path := range slices.Concat(slices.Collect(maps.Keys(paths)), []string{
		"/", "/v1", "/v1/", "/v1/notes/", "/v2/notes", "/notes", "/v1/notes/1/more", "/api/v1/openapi", "/api/v1/openapi.xml",
		"/api/v1/notes",
	}) {
		for _, method := range []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"} {
			served := slices.Sorted(maps.Keys(methodsOf(paths, path)))
			if slices.Contains(served, strings.ToLower(method)) {
				continue
			}
			r := c.do(method, strings.NewReplacer("{collection}", "notes", "{id}", plan).Replace(path), `{}`)
			want := http.StatusNotFound
			if len(served) > 0 {
				want = http.StatusMethodNotAllowed
			}
			if allowed := strings.ToLower(r.header.Get("Allow")); r.status != want ||
				len(strings.Fields(allowed)) != len(served) {
				t.Errorf("%s %s: %d, Allow %q, described %q", method, path, r.status, allowed, served)
			}
		}
	}
}

// methodsOf are those described of a path, whose segments may be placeholders
// in the description.
func methodsOf(paths map[string]any, path string) map[string]any {
	all := map[string]any{}
	for described, item := range paths {
		if _, ok := evidence.Match(described, path); ok {
			maps.Copy(all, item.(map[string]any))
		}
	}
	return all
}

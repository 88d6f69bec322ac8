package claims_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/recurring-billing/terraform-provider-billing/internal/claims"
	"github.com/recurring-billing/terraform-provider-billing/internal/evidence"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// described is the OpenAPI document of a service, and what was compared with it.
type described struct {
	t        *testing.T
	service  string
	document object
	compiler *jsonschema.Compiler
	compiled map[string]*jsonschema.Schema
	checked  map[string]int  // requests that succeeded, by operation
	keys     map[string]bool // idempotency keys: the service ignores the body of a repeated request
}

func describe(t *testing.T, name string) *described {
	t.Helper()
	return describeChanged(t, name, nil)
}

// describeChanged is describe for a document with a change.
func describeChanged(t *testing.T, name string, change func(*described)) *described {
	t.Helper()
	text, err := openAPI(name)
	if err != nil {
		t.Fatal(err)
	}
	read, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	document := read.(object)
	if change != nil {
		change(&described{t: t, document: document})
	}
	if name != string(sandbox.Finance) { // its records may have any fields
		closeObjects(document)
	}
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	if err := compiler.AddResource("document", document); err != nil {
		t.Fatal(err)
	}
	return &described{t, name, document, compiler, map[string]*jsonschema.Schema{}, map[string]int{}, map[string]bool{}}
}

// closeObjects rejects undocumented fields: the services may add some, the sandbox does not.
func closeObjects(value any) {
	switch value := value.(type) {
	case object:
		if properties, ok := value["properties"].(object); ok && value["type"] == "object" && len(properties) > 1 &&
			value["additionalProperties"] == nil {
			value["additionalProperties"] = false
		}
		for _, inner := range value {
			closeObjects(inner)
		}
	case []any:
		for _, inner := range value {
			closeObjects(inner)
		}
	}
}

// pointer returns the JSON pointer for names, as the fragment of a URL.
func pointer(names ...string) string {
	escaped := make([]string, len(names))
	for i, name := range names {
		escaped[i] = strings.NewReplacer("~", "~0", "/", "~1", "{", "%7B", "}", "%7D").Replace(name)
	}
	return "#/" + strings.Join(escaped, "/")
}

func (d *described) valid(at string, value any) error {
	if d.compiled[at] == nil {
		schema, err := d.compiler.Compile("document" + at)
		if err != nil {
			d.t.Fatal(err)
		}
		d.compiled[at] = schema
	}
	return d.compiled[at].Validate(value)
}

// member returns an object in an object, and its pointer.
func (d *described) member(of object, place []string, names ...string) (object, []string) {
	for _, name := range names {
		of, _ = of[name].(object)
		place = append(slices.Clip(place), name)
		if target, ok := of["$ref"].(string); ok {
			return d.member(d.document, nil, strings.Split(strings.TrimPrefix(target, "#/"), "/")...)
		}
	}
	return of, place
}

// operation finds the operation of a request: of the matching paths, the one with fewer placeholders.
func (d *described) operation(r *http.Request) (object, []string) {
	best, fewest := "", -1
	paths, _ := d.document["paths"].(object)
	for path, item := range paths {
		values, ok := evidence.Match(path, r.URL.EscapedPath())
		if _, has := item.(object)[strings.ToLower(r.Method)]; ok && has && (fewest < 0 || len(values) < fewest) {
			best, fewest = path, len(values)
		}
	}
	if fewest < 0 {
		return nil, nil
	}
	return d.member(d.document, nil, "paths", best, strings.ToLower(r.Method))
}

// check compares a response with the document, and also the request if it was accepted.
func (d *described) check(r *http.Request, sent []byte, response *http.Response, received []byte) {
	operation, place := d.operation(r)
	what := r.Method + " " + r.URL.Path + " " + strconv.Itoa(response.StatusCode)
	if operation == nil {
		if response.StatusCode != http.StatusNotFound && response.StatusCode != http.StatusMethodNotAllowed &&
			response.StatusCode != http.StatusUnauthorized && response.StatusCode != http.StatusForbidden {
			d.t.Errorf("%s is not documented", what)
		}
		return
	}
	returned, at := d.member(operation, place, "responses", strconv.Itoa(response.StatusCode))
	if returned == nil {
		d.t.Errorf("%s: the status is not documented", what)
		return
	}
	if err := d.body(returned, at, received); err != nil {
		d.t.Errorf("%s returned %s: %v", what, received, err)
	}
	if response.StatusCode >= http.StatusMultipleChoices {
		return
	}
	d.checked[operation["operationId"].(string)]++
	if key := r.Header.Get("X-Idempotency-Key"); key != "" {
		if d.keys[key] {
			return
		}
		d.keys[key] = true
	}
	if body, at := d.member(operation, place, "requestBody"); body != nil && (len(sent) > 0 || body["required"] == true) {
		if err := d.body(body, at, sent); err != nil {
			d.t.Errorf("%s accepted %s: %v", what, sent, err)
		}
	} else if body == nil && len(sent) > 0 {
		d.t.Errorf("%s accepted %s, but no body is documented", what, sent)
	}
	d.query(operation, place, what, r.URL.Query())
}

func (d *described) body(in object, at []string, text []byte) error {
	content, ok := in["content"].(object)
	if !ok {
		if len(text) > 0 {
			d.t.Errorf("%v must have no body, but it is %s", at, text)
		}
		return nil
	}
	kind := "application/json"
	if content[kind] == nil {
		return nil // the document of finance, in YAML
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return err
	}
	return d.valid(pointer(append(slices.Clip(at), "content", kind, "schema")...), value)
}

// query compares the parameters of an accepted request with the document.
func (d *described) query(operation object, place []string, what string, query url.Values) {
	parameters, _ := operation["parameters"].([]any)
	known, anyOther := map[string]int{}, false
	for i, p := range parameters {
		parameter := p.(object)
		if parameter["in"] == "query" {
			known[parameter["name"].(string)] = i
			anyOther = anyOther || parameter["style"] == "form" && parameter["schema"].(object)["type"] == "object"
		}
	}
	for name := range query {
		i, ok := known[name]
		if !ok {
			if !anyOther {
				d.t.Errorf("%s accepted the parameter %s, which is not documented", what, name)
			}
			continue
		}
		schema := parameters[i].(object)["schema"].(object)
		var value any = query.Get(name)
		if schema["type"] == "integer" {
			value = json.Number(query.Get(name))
		}
		at := append(slices.Clip(place), "parameters", strconv.Itoa(i), "schema")
		if err := d.valid(pointer(at...), value); err != nil {
			d.t.Errorf("%s accepted %s=%s: %v", what, name, query.Get(name), err)
		}
	}
}

// exchangeChecker compares each exchange with the document of its service.
type exchangeChecker struct {
	next http.RoundTripper
	mu   sync.Mutex
	of   map[string]*described // by host
}

func (c *exchangeChecker) RoundTrip(r *http.Request) (*http.Response, error) {
	var sent []byte
	if r.Body != nil {
		sent, _ = io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(sent))
	}
	response, err := c.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	received, err := io.ReadAll(response.Body)
	response.Body.Close()
	response.Body = io.NopCloser(bytes.NewReader(received))
	c.mu.Lock()
	defer c.mu.Unlock()
	if d := c.of[r.URL.Host]; d != nil {
		d.check(r, sent, response, received)
	}
	return response, err
}

// Check that the claims' requests and responses match the OpenAPI documents, and that claims use each operation.
func TestClaimsAreAsDescribed(t *testing.T) {
	t.Parallel()
	server, target := startSandbox(t, open(t, sandbox.Options{}))
	of := map[string]*described{}
	documents := map[string]*described{}
	for name, address := range map[string]string{"billing": server.BillingURL(), "finance": server.FinanceURL(),
		"collections": server.CollectionsURL()} {
		documents[name] = describe(t, name)
		of[strings.TrimPrefix(address, "https://")] = documents[name]
	}
	target.Client.Transport = &exchangeChecker{next: target.Client.Transport, of: of}
	for _, result := range claims.Run(t.Context(), target, claims.All()) {
		if result.Err != nil && !result.NotGiven() {
			t.Errorf("%s\n%v", result.Claim, result.Err)
		}
	}
	for _, operation := range evidence.Operations() {
		name := "billing"
		switch {
		case strings.HasPrefix(operation.Name, "finance."):
			name = "finance"
		case strings.HasPrefix(operation.Path, "/api/"):
			name = "collections"
		}
		if documents[name].checked[operation.Name] == 0 {
			t.Errorf("%s was not used by a claim", operation.Name)
		}
	}
}

const controlled = `{
	"customers": [{"external_id": "c", "name": "Ana", "create_billing_account": false}],
	"billing_accounts": [{"external_id": "a", "customer": {"id": "external_id=c"}}],
	"subscriptions": [{"external_id": "s", "billing_account_id": "external_id=a",
		"plan_id": "3a6d9c1f-74e2-4c08-b1b5-0f2d8a6e5c71"}],
	"webhook_endpoints": [{"url": "https://hooks.example.com/billing"}]
}`

// Check that the requests and responses of the control API match its OpenAPI document.
func TestControlIsAsDescribed(t *testing.T) {
	t.Parallel()
	server, target := startSandbox(t, sandbox.Options{SeedDocument: []byte(controlled)})
	document := describe(t, "control")
	target.Client.Transport = &exchangeChecker{next: target.Client.Transport,
		of: map[string]*described{strings.TrimPrefix(server.ControlURL(), "https://"): document}}
	send := func(token, method, address, body string) object {
		request, err := http.NewRequestWithContext(t.Context(), method, address, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		request.Header = http.Header{"Authorization": {"Bearer " + token}, "Content-Type": {"application/json"}}
		response, err := target.Client.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		var received any
		err = json.NewDecoder(response.Body).Decode(&received)
		if err != nil || response.StatusCode >= http.StatusMultipleChoices {
			t.Fatalf("%s %s: %s, %v", method, address, response.Status, err)
		}
		got, _ := received.(object)
		return got
	}
	control := func(method, path, body string) object {
		return send(server.ControlToken(), method, server.ControlURL()+path, body)
	}

	fault := control("POST", "/faults", `{"spec":"operation=me.get,latency=1ms"}`)
	control("GET", "/faults", "")
	send(server.BillingToken(), "GET", server.BillingURL()+"/v1/me", "")
	control("DELETE", "/faults/"+fault["id"].(string), "")
	control("DELETE", "/faults", "")
	control("GET", "/requests?operation=me.get&responses=1&after=0", "")
	control("GET", "/requests?object="+server.Organization().ID, "")
	control("GET", "/requests/"+server.Requests()[0].RequestID, "")
	token := control("POST", "/tokens", `{"service":"finance","scopes":["accounts:read"],"expires":"2199-12-31T00:00:00Z"}`)
	control("GET", "/tokens", "")
	control("POST", "/tokens/"+token["prefix"].(string)+"/revoke", "")
	control("GET", "/keys", "")
	listener := control("POST", "/listeners", `{"forward_to":"http://127.0.0.1:1","events":["charge.paid"]}`)
	control("POST", "/events", `{"event":"charge.paid","data":{"id":"ch-1"}}`)
	control("GET", "/events", "")
	control("GET", "/objects", "")
	control("GET", "/deliveries?event=charge.paid", "")
	for _, d := range server.Deliveries() {
		control("POST", "/deliveries/"+d.ID+"/resend", "")
		control("GET", "/deliveries/"+d.ID, "")
	}
	control("DELETE", "/listeners/"+listener["id"].(string), "")
	control("GET", "/objects/customer/external_id=c", "")
	control("POST", "/subscriptions/external_id=s", `{"status":"past_due"}`)
	control("GET", "/subscriptions", "")
	control("GET", "/clock", "")
	control("POST", "/clock", `{"advance":"1h"}`)
	control("GET", "/status", "")
	control("GET", "/audit?id=external_id=s", "")
	control("POST", "/reset", "")
	control("POST", "/stop", "")
	for path, methods := range document.document["paths"].(object) {
		for method, operation := range methods.(object) {
			if name := operation.(object)["operationId"].(string); document.checked[name] == 0 {
				t.Errorf("%s %s was not sent", method, path)
			}
		}
	}
}

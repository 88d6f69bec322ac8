package claims

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
	invalid "github.com/santhosh-tekuri/jsonschema/v6/kind"

	"github.com/recurring-billing/terraform-provider-billing/internal/evidence"
)

// What every response must be, whatever a claim is about: it has its documented shape, the numbers of a page agree, an
// error has a message, and an object shows the same as in the response before, as long as nothing has changed it.

// Documents are the OpenAPI documents of the services. Several runs can use them at a time.
type Documents map[Service]*document

// Shapes are the documented shapes of the responses of the services, and what one run has found of them.
type Shapes struct {
	of       Documents
	reported map[string]string // by difference: the source of the claim that has failed for it
}

// Shapes returns the shapes for a run.
func (d Documents) Shapes() *Shapes { return &Shapes{d, map[string]string{}} }

// document is an OpenAPI document.
type document struct {
	whole    object
	mu       sync.Mutex
	compiler *jsonschema.Compiler
}

// Documented reads the OpenAPI documents. read returns that of billing, finance or collections, in JSON.
func Documented(read func(name string) ([]byte, error)) (Documents, error) {
	all := Documents{}
	for service, name := range map[Service]string{Billing: "billing", Finance: "finance", Collections: "collections"} {
		text, err := read(name)
		if err != nil {
			return nil, err
		}
		value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		if err != nil {
			return nil, err
		}
		d := &document{compiler: jsonschema.NewCompiler()}
		d.whole, _ = value.(object)
		d.compiler.AssertFormat()
		if err := d.compiler.AddResource("document", value); err != nil {
			return nil, err
		}
		all[service] = d
	}
	return all, nil
}

// response is the schema of a response; nil if it is not documented.
func (d *document) response(operation evidence.Operation, status int) *jsonschema.Schema {
	names := []string{"paths", operation.Path, strings.ToLower(operation.Method), "responses", strconv.Itoa(status),
		"content", "application/json", "schema"}
	var place any = d.whole
	pointer := "#"
	for _, name := range names {
		members, _ := place.(object)
		place = members[name]
		pointer += "/" + escapes.Replace(name)
	}
	if place == nil {
		return nil
	}
	return d.compiled(pointer)
}

// escapes makes a name a part of a JSON pointer in a URL.
var escapes = strings.NewReplacer("~", "~0", "/", "~1", "{", "%7B", "}", "%7D")

func (d *document) compiled(pointer string) *jsonschema.Schema {
	d.mu.Lock()
	defer d.mu.Unlock()
	schema, err := d.compiler.Compile("document" + pointer)
	if err != nil {
		return nil // what is no schema proves nothing
	}
	return schema
}

// judge compares a response with what every response must be.
func (a *response) judge(c call) {
	operation, values, found := operationOf(c.method, c.path, a.p.finance)
	if a.p.target.Shapes == nil || !found {
		return
	}
	if a.status >= http.StatusBadRequest {
		if text, _ := a.at("error.message").(string); a.at("error_code") == any(missing{}) && text == "" {
			a.differs(operation.Name, "error.message", "%s, want text", show(a.at("error.message")))
		}
		return
	}
	service := Billing
	switch {
	case strings.HasPrefix(operation.Name, "finance."):
		service = Finance
	case strings.HasPrefix(operation.Path, "/api/"):
		service = Collections
	}
	a.shaped(a.p.target.Shapes.of[service], operation)
	a.paged(c, operation.Name)
	a.agrees(c, operation.Name, values["id"])
}

// differs is a failure of a claim about the operation. Of the claims about others, the first one that meets it fails,
// so that a report has each difference, and has it once. A claim about everything, such as the Request-Id, does not.
func (a *response) differs(operation, path, format string, args ...any) {
	itself := strings.Contains(a.p.source, operation)
	other := strings.Contains(a.p.source, "wire contract: ")
	key, reported := operation+" "+path, a.p.target.Shapes.reported
	if first, before := reported[key]; !itself && (!other || before && first != a.p.source) {
		return
	}
	reported[key] = a.p.source
	a.failf("%s: %s is "+format, append([]any{operation, path}, args...)...)
}

// shaped compares a response with its schema, but for differences that are accepted.
func (a *response) shaped(of *document, operation evidence.Operation) {
	schema := of.response(operation, a.status)
	if schema == nil {
		return
	}
	invalid := new(jsonschema.ValidationError)
	if !errors.As(schema.Validate(a.body), &invalid) {
		return
	}
	for _, one := range a.problems(of, invalid) {
		a.differs(operation.Name, one.path, "%s", one.is)
	}
}

// problem is a difference from a schema.
type problem struct{ path, is string }

func (a *response) problems(of *document, e *jsonschema.ValidationError) (all []problem) {
	_, either := e.ErrorKind.(*invalid.AnyOf)
	for _, cause := range e.Causes {
		found := a.problems(of, cause)
		switch {
		case !either:
			all = append(all, found...)
		case len(found) == 0: // this alternative is accepted
			return nil
		case all == nil || len(found[0].path) > len(all[0].path): // the alternative that comes closest
			all = found
		}
	}
	if path, is := a.problem(of, e); len(e.Causes) == 0 && is != "" {
		all = []problem{{path, is}}
	}
	return all
}

// problem describes a difference; empty if it is accepted.
func (a *response) problem(of *document, e *jsonschema.ValidationError) (path, is string) {
	path = strings.Join(e.InstanceLocation, ".")
	if strings.HasSuffix(e.SchemaURL, "/additionalProperties") && a.accepts().accept(moreFields) {
		return path, ""
	}
	switch what := e.ErrorKind.(type) {
	case *invalid.Required:
		_, pointer, _ := strings.Cut(e.SchemaURL, "#")
		for _, name := range what.Missing {
			member := of.compiled("#" + pointer + "/properties/" + escapes.Replace(name))
			nullable := member == nil || member.Validate(nil) == nil
			if !nullable || !a.accepts().accept(fieldsLeftOut) {
				return strings.TrimPrefix(path+"."+name, "."), "missing"
			}
		}
		return path, ""
	case *invalid.Type:
		if what.Got == "null" && len(what.Want) == 1 && what.Want[0] == "array" && a.accepts().accept(nullLists) {
			return path, ""
		}
		return path, fmt.Sprintf("of type %s, want %s", what.Got, strings.Join(what.Want, " or "))
	case *invalid.Format:
		return path, "no " + what.Want
	}
	return path, "not as documented: " + strings.Join(e.ErrorKind.KeywordPath(), ".")
}

// paged compares the numbers of a page.
func (a *response) paged(c call, operation string) {
	number := func(name string) int {
		n, _ := a.at("meta." + name).(json.Number)
		whole, _ := strconv.Atoi(n.String()) // no number: 0, which no page has
		return whole
	}
	data, _ := a.at("data").([]any)
	total, size := number("total"), number("per_page")
	switch page := cmp.Or(c.query.Get("page"), "1"); {
	case a.at("meta.total_pages") == any(missing{}):
	case size < max(1, len(data)):
		a.differs(operation, "meta.per_page", "%d on a page of %d objects", size, len(data))
	case number("total_pages") != (total+size-1)/size:
		a.differs(operation, "meta.total_pages", "%d, with %d objects and %d a page", number("total_pages"), total, size)
	case strconv.Itoa(number("page")) != page:
		a.differs(operation, "meta.page", "%d, want %s", number("page"), page)
	}
}

// seen is an object in the response of an operation.
type seen struct {
	operation string
	object    object
}

// agrees compares the objects of a response with those of earlier ones that have the same time of update, back to the
// last request that changed something.
func (a *response) agrees(c call, operation, id string) {
	if c.method != http.MethodGet || a.p.seen == nil {
		a.p.seen = map[string]seen{}
	}
	about, _, _ := strings.Cut(operation, ".")
	a.p.unread = a.toRead(c, about, id)
	switch data := a.at("data").(type) {
	case []any:
		for i, one := range data {
			a.compare(about, "data."+strconv.Itoa(i), operation, one)
		}
	case object:
		a.compare(about, "data", operation, data)
		if about == "customers" {
			a.compare(about, "data.customer", operation, data["customer"])
			a.compare("billing_accounts", "data.billing_account", operation, data["billing_account"])
		}
	}
}

func (a *response) compare(about, path, operation string, value any) {
	one, _ := value.(object)
	id, _ := one["id"].(string)
	updated, known := one["updated_at"].(string)
	if !known {
		updated, known = one["updatedAt"].(string)
	}
	if one["id"] == any("") {
		a.differs(operation, path+".id", "empty")
	}
	if id == "" || !known && about != "api_keys" { // a record of a delivery changes with time
		return
	}
	key := about + " " + id + " " + updated
	before, again := a.p.seen[key]
	if !again {
		a.p.seen[key] = seen{operation, one}
	}
	for name, was := range before.object {
		if now, has := one[name]; has && name != "lastUsedAt" && !a.same(path+"."+name, now, was) {
			a.differs(operation, path+"."+name, "%s, and in %s it was %s with the same time of update", show(now),
				before.operation, show(was))
		}
	}
	if about == "billing_accounts" { // whose customer has another kind than the customer itself
		a.compare("billing_accounts.customer", path+".customer", operation, one["customer"])
	}
}

// toRead is the path of the object that a change has returned; empty after any other request.
func (a *response) toRead(c call, about, of string) string {
	if c.method == http.MethodGet || c.token != "" || c.anonymous {
		return ""
	}
	data, _ := a.at("data").(object)
	if made, ok := data["customer"].(object); ok && about == "customers" {
		data = made
	}
	id, _ := data["id"].(string)
	if id == "" || of != "" && id != of && data["predecessorId"] != any(of) { // such as an invoice of a subscription
		return ""
	}
	prefix := c.path
	if of != "" {
		prefix, _, _ = strings.Cut(c.path, "/"+of)
	}
	return prefix + "/" + id
}

// readBack reads the object that the last request has changed: what a change returns is what is read.
func (p *probe) readBack() {
	if p.unread != "" && p.err == nil {
		p.get(p.unread).wantStatus(http.StatusOK)
	}
}

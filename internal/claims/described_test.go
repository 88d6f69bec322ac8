package claims_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/claims"
	"github.com/recurring-billing/terraform-provider-billing/internal/evidence"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// differences compares the OpenAPI document of a service with what is written from the descriptions: the members of the
// kinds, and the rules, of operations with that prefix. It returns what the document does not know.
func (d *described) differences(rules []rule, ids map[string]string, prefix string) (all []string) {
	for kind, members := range claims.Members() {
		if serviceOf(kind+".") != d.service || !strings.HasPrefix(kind+".", prefix) && !strings.HasPrefix(prefix, kind+".") {
			continue
		}
		data := d.data(kind)
		for member := range strings.SplitSeq(members, ", ") {
			name, form, _ := strings.Cut(member, " ")
			all = append(all, d.lacks(data, kind, name, form)...)
		}
	}
	for _, r := range rules {
		if serviceOf(r.operation) != d.service || !strings.HasPrefix(r.operation, prefix) {
			continue
		}
		_, _, body := r.request(ids)
		raw, err := json.Marshal(body)
		schema, at := d.sending(r.operation)
		huge := strings.Contains(string(raw), "e999999999") // which the validator cannot compare
		if err == nil && !huge && schema != nil && d.valid(pointer(at...), decoded(raw)) == nil {
			all = append(all, fmt.Sprintf("%s accepts %s", r.operation, raw))
		}
	}
	slices.Sort(all)
	return all
}

// sending is the schema of a request, and data that of the object that a read returns.
func (d *described) sending(operation string) (object, []string) {
	o, place := d.named(operation)
	return d.member(o, place, "requestBody", "content", "application/json", "schema")
}

func (d *described) data(kind string) object {
	o, place := d.named(kind + ".get")
	data, _ := d.member(o, place, "responses", "200", "content", "application/json", "schema", "properties", "data")
	return data
}

// jsonTypes are the types in JSON schema of the forms of members that are no texts.
var jsonTypes = map[string]string{"number": "integer", "bool": "boolean", "list": "array", "object": "object"}

// lacks compares a member of a schema with its form.
func (d *described) lacks(data object, kind, name, form string) (all []string) {
	property, _ := d.member(data, nil, "properties", name)
	required, _ := data["required"].([]any)
	form, nullable := strings.CutSuffix(form, "?")
	wanted := jsonTypes[form]
	if wanted == "" {
		wanted = "string"
	}
	types := property["type"]
	for _, one := range list(property["anyOf"]) {
		if inner, _ := d.member(object{"of": one}, nil, "of"); types == nil {
			types = inner["type"]
		}
	}
	isNull := slices.Contains(list(types), any("null"))
	switch {
	case property == nil || !slices.Contains(required, any(name)):
		all = append(all, kind+" lacks "+name)
	case types != any(wanted) && !slices.Contains(list(types), any(wanted)), isNull && !nullable && form != "list":
		all = append(all, fmt.Sprintf("%s has %s as %v", kind, name, types))
	}
	return all
}

func list(value any) []any { all, _ := value.([]any); return all }

func serviceOf(operation string) string {
	switch {
	case strings.HasPrefix(operation, "finance."):
		return "finance"
	case strings.HasPrefix(operation, "webhook_"), strings.HasPrefix(operation, "api_keys."):
		return "collections"
	}
	return "billing"
}

// named is the operation of the document.
func (d *described) named(name string) (object, []string) {
	i := slices.IndexFunc(evidence.Operations(), func(o evidence.Operation) bool { return o.Name == name })
	operation := evidence.Operations()[i]
	return d.member(d.document, nil, "paths", operation.Path, strings.ToLower(operation.Method))
}

// planted are changes of forms (requests) and of shapes (responses), which the kinds or the rules have to find.
var changes = []struct {
	operation, member, keyword string
	value                      any // nil: the keyword, or the member, is missing
}{
	{"customers.create", "", "required", nil},
	{"customers.create", "kind", "enum", []any{"natural", "juridical", "individual"}},
	{"customers.create", "payment_terms_days", "minimum", -9},
	{"customers.update", "name", "type", []any{"string", "null"}},
	{"billing_accounts.create", "payment_terms_days", "maximum", 120},
	{"billing_accounts.update", "payment_terms_days", "minimum", 0},
	{"billing_accounts.update", "email", "type", []any{"string", "null"}},
	{"subscriptions.create", "billing_cycle", "enum", []any{"monthly", "quarterly", "semiannual", "annual", "weekly"}},
	{"subscriptions.create", "", "required", nil},
	{"subscriptions.update", "discount_percent", "maximum", 200},
	{"subscriptions.update", "allow_pause", "type", []any{"boolean", "null"}},
	{"subscriptions.pause", "behavior", "enum", []any{"mark_uncollectible", "keep_as_draft", "void", "skip"}},
	{"subscriptions.change_plan", "timing", "enum", []any{"immediate", "end_of_period", "later"}},
	{"api_keys.rotate", "graceDays", "maximum", 60},
	{"webhook_endpoints.create", "", "required", nil},
	{"customers.get", "nickname", "", nil},
	{"customers.get", "name", "type", []any{"string", "null"}},
	{"billing_accounts.get", "balance_cents", "type", "string"},
	{"subscriptions.get", "", "required", nil},
	{"webhook_endpoints.get", "active", "", nil},
	{"api_keys.get", "keyPrefix", "", nil},
}

// TestDocumentsFollowTheDescriptions compares the generated documents with the kinds and the rules, and plants changes
// of forms and shapes: each must be found. A schema cannot state each rule, such as that an address must be public.
func TestDocumentsFollowTheDescriptions(t *testing.T) {
	t.Parallel()
	server, target := startSandbox(t, sandbox.Options{NoExampleData: true,
		Resolver: hosts{"in.example.com": "10.0.0.1", "hooks.example.com": "8.8.8.8"}})
	ids := furnish(t, server, target)
	rules := readRules(t, ids)
	unstated, as := 0, map[string]*described{}
	for _, service := range []string{"billing", "finance", "collections"} {
		as[service] = describe(t, service)
		for _, one := range as[service].differences(rules, ids, "") {
			if unstated++; !strings.Contains(one, " accepts ") && one != "billing_accounts lacks customer" &&
				one != "subscriptions has metadata as [object null]" {
				t.Errorf("the document of %s: %s", service, one)
			}
		}
	}
	if len(rules) < 250 || unstated*4 > len(rules) {
		t.Errorf("the documents do not state %d of %d rules", unstated, len(rules))
	}
	for _, p := range changes {
		prefix, _, _ := strings.Cut(p.operation, ".")
		if !strings.HasSuffix(p.operation, ".get") {
			prefix = p.operation
		}
		before := as[serviceOf(p.operation)].differences(rules, ids, prefix)
		t.Run(strings.Join([]string{p.operation, p.member, p.keyword}, " "), func(t *testing.T) {
			t.Parallel()
			after := describeChanged(t, serviceOf(p.operation), func(d *described) {
				schema, _ := d.sending(p.operation)
				if schema == nil {
					schema = d.data(prefix)
				}
				change(t, d, schema, p.member, p.keyword, p.value)
			}).differences(rules, ids, prefix)
			if slices.Equal(before, after) {
				t.Error("nothing finds the change")
			}
		})
	}
}

// change changes a keyword of a schema, or of one of its members.
func change(t *testing.T, d *described, schema object, member, keyword string, value any) {
	t.Helper()
	if member != "" && keyword == "" {
		delete(schema["properties"].(object), member)
		return
	}
	if member != "" {
		schema, _ = d.member(schema, nil, "properties", member)
	}
	for _, one := range list(schema["anyOf"]) { // a value, or null
		if inner := one.(object); inner[keyword] != nil {
			schema = inner
			break
		}
	}
	if schema[keyword] == nil {
		t.Fatalf("there is no %s", keyword)
	}
	if schema[keyword] = value; value == nil {
		delete(schema, keyword)
	}
}

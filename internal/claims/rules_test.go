package claims_test

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"net/netip"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/recurring-billing/terraform-provider-billing/internal/claims"
	"github.com/recurring-billing/terraform-provider-billing/internal/evidence"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// rule is a request that a service has to reject: what is wrong in it, and what the service has to blame.
type rule struct {
	operation, of string // of is the object, or the collection of a record; empty: that of the operation
	wrong         object
	without       []string // members that are left out
	blamed        []string // fields, or the code of another error
}

// readRules reads testdata/rules.txt, which explains itself, with values for its variables.
func readRules(t *testing.T, values map[string]string) (all []rule) {
	t.Helper()
	text, err := os.ReadFile("testdata/rules.txt")
	if err != nil {
		t.Fatal(err)
	}
	var operations []string
	for line := range strings.Lines(string(text)) {
		words := apart(strings.TrimSpace(line), ' ')
		switch {
		case line == "\n" || words[0] == "#" || strings.HasPrefix(line, "#"):
		case !strings.HasPrefix(line, " "):
			operations = words
		default:
			for _, word := range words {
				for _, name := range operations {
					all = append(all, parseRule(t, name, word, values))
				}
			}
		}
	}
	return all
}

func parseRule(t *testing.T, name, word string, values map[string]string) rule {
	t.Helper()
	r := rule{wrong: object{}}
	r.operation, r.of, _ = strings.Cut(name, "@")
	parts := apart(word, '>')
	for _, one := range apart(parts[0], ',') {
		member, value, _ := strings.Cut(one, "=")
		switch {
		case member == "":
			continue
		case value == "":
			r.without = append(r.without, member)
		default:
			for name, id := range values {
				value = strings.ReplaceAll(value, "$"+name, id)
			}
			r.wrong[member] = json.RawMessage(value)
		}
		r.blamed = append(r.blamed, member)
	}
	if len(parts) > 1 {
		r.blamed = strings.Split(parts[1], ",")
	}
	return r
}

// apart splits a text outside of quotes and brackets.
func apart(text string, by rune) (all []string) {
	depth, quoted, start := 0, false, 0
	for i, c := range text {
		switch {
		case c == '"':
			quoted = !quoted
		case quoted:
		case strings.ContainsRune("{[", c):
			depth++
		case strings.ContainsRune("}]", c):
			depth--
		case c == by && depth == 0:
			all, start = append(all, text[start:i]), i+1
		}
	}
	return append(all, text[start:])
}

// hosts resolves names for receivers.
type hosts map[string]string

func (h hosts) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	address, err := netip.ParseAddr(h[host])
	return []netip.Addr{address}, err
}

// furnish creates an object of each kind, and returns their ids by kind, with the other values that rules name.
func furnish(t *testing.T, server *sandbox.Server, target claims.Target) map[string]string {
	t.Helper()
	made := func(address string, body object, members ...string) (ids []string) {
		a := decoded(ask(t, server, target, http.MethodPost, address, body))
		for _, member := range members {
			value := a["data"]
			for part := range strings.SplitSeq(member, ".") {
				value = value.(object)[part]
			}
			ids = append(ids, value.(string))
		}
		return ids
	}
	billing, collections := target.BaseURL+"/v1/", target.CollectionsBaseURL+"/api/v1/"
	plan := uuid.NewString()
	ids := made(billing+"customers", object{"name": "Ana", "external_id": "mine"}, "customer.id", "billing_account.id")
	made(billing+"customers", object{"name": "Bia", "external_id": "taken", "create_billing_account": false})
	closed := made(billing+"billing-accounts", object{"customer": object{"name": "C"}, "external_id": "closed"}, "id")[0]
	made(billing+"billing-accounts/"+closed+"/close", object{})
	made(billing+"billing-accounts", object{"customer": object{"name": "D"}, "external_id": "taken"})
	subscription := object{"billing_account_id": ids[1], "plan_id": plan}
	made(billing+"subscriptions", object{"billing_account_id": ids[1], "plan_id": plan, "external_id": "taken"})
	return map[string]string{
		"customers": ids[0], "billing_accounts": ids[1], "closed": closed, "account": ids[1], "plan": plan,
		"subscriptions":     made(billing+"subscriptions", subscription, "id")[0],
		"webhook_endpoints": made(collections+"webhook-endpoints", object{"url": "https://hooks.example.com/in", "active": false}, "id")[0],
		"api_keys":          made(collections+"api-keys", object{"name": "erp"}, "id")[0],
		"finance":           made(target.FinanceBaseURL+"/v1/notes", object{"name": "a"}, "id")[0],
		"deep":              strings.Repeat(`{"a":`, 501) + "1" + strings.Repeat("}", 501),
		"long":              `"` + strings.Repeat("ã", 256) + `"`,
	}
}

func decoded(raw []byte) object {
	var value object
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	_ = decoder.Decode(&value) // no object: nil
	return value
}

// request is the request of a rule.
func (r rule) request(ids map[string]string) (method, path string, body object) {
	i := slices.IndexFunc(evidence.Operations(), func(o evidence.Operation) bool { return o.Name == r.operation })
	operation := evidence.Operations()[i]
	about, _, _ := strings.Cut(r.operation, ".")
	id, collection := ids[about], "notes"
	switch {
	case about == "finance" && r.of != "":
		collection = r.of
	case r.of != "":
		id = ids[r.of]
	}
	body = maps.Clone(map[string]object{
		"customers.create":          {"name": "Ana"},
		"billing_accounts.create":   {"customer": object{"name": "A"}},
		"subscriptions.create":      {"billing_account_id": ids["account"], "plan_id": ids["plan"]},
		"subscriptions.change_plan": {"plan_id": ids["plan"]},
		"subscriptions.items.sync":  {"items": []any{}},
		"webhook_endpoints.create":  {"url": "https://hooks.example.com/in"},
		"api_keys.create":           {"name": "n"},
	}[r.operation])
	if body == nil {
		body = object{}
	}
	maps.Copy(body, r.wrong)
	for _, member := range r.without {
		delete(body, member)
	}
	return operation.Method, strings.NewReplacer("{id}", id, "{collection}", collection).Replace(operation.Path), body
}

// TestRules sends each wrong request, which has to be rejected, to blame exactly what is wrong without repeating what
// was sent, and to change nothing.
func TestRules(t *testing.T) {
	t.Parallel()
	server, target := startSandbox(t, sandbox.Options{NoExampleData: true,
		Start:    time.Date(2026, 5, 4, 9, 0, 0, 0, time.UTC),
		Resolver: hosts{"in.example.com": "10.0.0.1", "hooks.example.com": "8.8.8.8"}})
	ids := furnish(t, server, target)
	before := inventory(t, server, target)
	for _, r := range readRules(t, ids) {
		method, path, body := r.request(ids)
		raw, err := json.Marshal(body)
		if err != nil {
			raw = []byte("not JSON") // which the document of the rule wants to be rejected
		}
		status, got := send(t, server, target, method, path, raw)
		failure, _ := got["error"].(object)
		details, _ := failure["details"].(object)
		fields, _ := details["fields"].(object)
		blamed := slices.Sorted(maps.Keys(fields))
		if failure["code"] != "validation_error" {
			blamed = []string{failure["code"].(string)}
		}
		slices.Sort(r.blamed)
		if status != http.StatusUnprocessableEntity || !slices.Equal(blamed, r.blamed) {
			t.Errorf("%s %s: %d blames %q, want %q", r.operation, raw[:min(len(raw), 200)], status, blamed, r.blamed)
		}
		if text, _ := json.Marshal(got); bytes.Contains(text, []byte("s3cret")) {
			t.Errorf("%s: %s repeats what was sent", r.operation, text)
		}
	}
	if after := inventory(t, server, target); after != before {
		t.Errorf("rejected requests changed\n%s\nto\n%s", before, after)
	}
}

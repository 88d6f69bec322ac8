package rehearsal

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"

	tf "github.com/hashicorp/terraform-json"

	"github.com/recurring-billing/terraform-provider-billing/internal/evidence"
	"github.com/recurring-billing/terraform-provider-billing/internal/rehearsal/internal/plain"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// decisive are the arguments of requests whose values say what happens, and when. A plan shows others.
var decisive = []string{"plan_id", "timing", "behavior", "resumes_at", "collection_method", "cancel_at_period_end"}

// sent returns the requests for the report. names are those of the copy's objects, by id, and labels those of plans.
func sent(requests []sandbox.Request, names, labels map[string]string) (all []Sent) {
	for _, q := range requests {
		one := Sent{Operation: q.Operation, Status: q.Status, ID: q.Object}
		one.Object, one.Verb = subject(q.Operation)
		var body, response fields
		_ = json.Unmarshal(q.Body, &body)         // a request without a body has no arguments
		_ = json.Unmarshal(q.Response, &response) // nor has a response without one an object
		result, _ := response["data"].(fields)
		if q.Operation == "customers.create" {
			if inner, ok := body["customer"].(fields); ok {
				body = inner
			}
			result, _ = result["customer"].(fields)
		}
		if id := plain.Text(result["id"]); id != "" {
			one.ID = cmp.Or(one.ID, id)
			names[id] = cmp.Or(names[id], labelOf(result)) // a later request may be about what this one has created
		}
		if name := firstText(body["external_id"], publicURL(body["url"]), names[q.Object], body["name"],
			q.Object); name != "" {
			one.Object += " \"" + name + "\""
		}
		for name := range body {
			if name != "custom_metadata_mode" {
				one.Arguments = append(one.Arguments, name)
			}
		}
		slices.Sort(one.Arguments)
		for _, name := range decisive {
			if value := plain.Text(body[name]); value != "" {
				one.Values = append(one.Values, Value{Argument: name, To: cmp.Or(labels[value], value)})
			}
		}
		refusal, _ := response["error"].(fields)
		one.Code = plain.Text(refusal["code"])
		all = append(all, one)
	}
	return all
}

// labelOf returns the name of an object; "" without one.
func labelOf(of fields) string {
	customer, _ := of["customer"].(fields) // of an account
	return firstText(of["external_id"], publicURL(of["url"]), of["name"], customer["name"])
}

// publicURL is a URL without what can be a secret: credentials, the path and the query.
func publicURL(v any) string {
	u, err := url.Parse(plain.Text(v))
	if err != nil || u.Host == "" {
		return ""
	}
	text := u.Scheme + "://" + u.Host
	if strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.User != nil || u.Fragment != "" {
		text += "/…"
	}
	return text
}

// annotate completes requests with what plans say: the address of the resource, and old and new values. It sorts them
// by address, so that a report does not depend on the order in which Terraform happens to work.
func (r *rehearsal) annotate(plans ...*tf.Plan) {
	addresses, changes := map[string]string{}, map[string]*change{}
	for _, p := range plans {
		for _, row := range rowsOf(p.PriorState) {
			for _, instance := range row.Instances {
				var of fields
				_ = json.Unmarshal(instance["attributes"], &of) // decoded JSON
				addresses[plain.Text(of["id"])] = r.addressIn(row.address(instance))
			}
		}
	}
	for _, c := range r.given.changes {
		if id := plain.Text(c.before["id"]); id != "" {
			changes[id], addresses[id] = c, c.Address
		}
	}
	delete(addresses, "")
	labels := r.labels()
	for i, s := range r.report.Sent {
		r.report.Sent[i].Address = addresses[s.ID]
		if c, ok := changes[s.ID]; ok && c.does() == "update" {
			values := valuesOf(c, s.Arguments, labels)
			r.report.Sent[i].Values = append(values, slices.DeleteFunc(s.Values, func(v Value) bool {
				return slices.ContainsFunc(values, func(of Value) bool { return of.Argument == v.Argument })
			})...)
		}
	}
	slices.SortStableFunc(r.report.Sent, func(a, b Sent) int {
		return cmp.Or(cmp.Compare(a.Address, b.Address), cmp.Compare(a.Object, b.Object))
	})
}

// labels are the names of plans, by id.
func (r *rehearsal) labels() map[string]string {
	labels := map[string]string{}
	for _, o := range r.objects {
		var of fields
		if o.Collection == "plans" && json.Unmarshal(o.Object, &of) == nil {
			labels[o.ID()] = plain.Text(of["name"])
		}
	}
	return labels
}

// longestValue limits a value in a report, in characters.
const longestValue = 60

// values are the old and new values of arguments that are single values, and not sensitive.
func valuesOf(c *change, arguments []string, labels map[string]string) (all []Value) {
	hidden := func(of any, name string) bool {
		members, ok := of.(fields)
		return of == true || ok && members[name] != nil && members[name] != false
	}
	for _, name := range arguments {
		if hidden(c.Change.BeforeSensitive, name) || hidden(c.Change.AfterSensitive, name) ||
			plain.HasUnknown(c.unknown[name]) || plain.Equal(c.before[name], c.after[name]) {
			continue
		}
		from, one := shownValue(c.before[name], labels)
		to, other := shownValue(c.after[name], labels)
		if one && other {
			all = append(all, Value{name, from, to})
		}
	}
	return all
}

func firstText(values ...any) string {
	for _, v := range values {
		if text, ok := v.(string); ok && text != "" {
			return text
		}
	}
	return ""
}

// subject is the noun and the verb of an operation.
func subject(operation string) (noun, verb string) {
	kind, verb := evidence.Subject(operation)
	if verb == "items.sync" {
		return kind.Noun, "set the items of"
	}
	return kind.Noun, strings.ReplaceAll(verb, "_", " ")
}

// names are the names of the objects of the copy, by id.
func (r *rehearsal) names() map[string]string {
	names := map[string]string{}
	for _, o := range r.objects {
		var of fields
		_ = json.Unmarshal(o.Object, &of) // the sandbox has read it
		names[o.ID()] = labelOf(of)
	}
	return names
}

// shownValue is a single value of an argument; false for others.
func shownValue(v any, labels map[string]string) (string, bool) {
	switch v := v.(type) {
	case nil:
		return "none", true
	case string:
		if text := cmp.Or(publicURL(v), labels[v]); text != "" {
			return text, true
		}
		text := []rune(strings.Join(strings.Fields(v), " "))
		if len(text) > longestValue {
			return string(text[:longestValue]) + "…", true
		}
		return string(text), true
	case bool, json.Number:
		return fmt.Sprint(v), true
	}
	return "", false
}

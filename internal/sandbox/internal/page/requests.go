package page

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/finance"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/server"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/store"
)

type run struct {
	First                 server.Request
	Total, Writes, Failed int
	// isApply reports whether this is certainly an apply: a plan writes only the keys of ephemeral resources.
	isApply bool
	Shown   []server.Request // matching the filter, newest first
	Open    bool
}

// runs returns the newest requests that match the filter, grouped by run. The run with the newest request is first.
func (v *viewer) runs(f filter) list[*run] {
	all := map[uint64]*run{}
	for _, r := range v.requests {
		if all[r.Run] == nil {
			all[r.Run] = &run{First: r}
		}
		all[r.Run].add(r)
	}
	var runs []*run
	shown, taken := 0, 0
	for _, r := range slices.Backward(v.requests) {
		if !f.takes(v, r) {
			continue
		}
		if taken++; taken > v.most(shownRequests) {
			continue
		}
		of := all[r.Run]
		if len(of.Shown) == 0 {
			of.Open = len(runs) == 0 || f != filter{All: f.All}
			runs = append(runs, of)
		}
		of.Shown = append(of.Shown, r)
		shown++
	}
	// The count of hidden rows is of requests, not of runs.
	return list[*run]{Shown: runs, Total: len(runs) + taken - shown}
}

func (o *run) add(r server.Request) {
	o.Total++
	if outcome(r) != "ok" {
		o.Failed++
	}
	if isWrite(r) {
		o.Writes++
		o.isApply = o.isApply || isTerraform(r) && r.Operation != "api_keys.create" && r.Operation != "api_keys.revoke"
	}
}

func isTerraform(r server.Request) bool {
	return strings.HasPrefix(r.Client, "terraform-provider-billing")
}

// Label describes the run.
func (o *run) Label() string {
	switch {
	case o.isApply:
		return "apply"
	case isTerraform(o.First):
		return "plan"
	case o.Writes == 0:
		return "reads only"
	}
	return ""
}

// filter selects requests. An empty field selects all.
type filter struct {
	Text      string // words; a request must contain all of them
	Operation string // or its resource prefix
	Show      string // writes or failed
	All       bool   // no limit
}

func (f filter) takes(v *viewer, r server.Request) bool {
	if f.Operation != "" && r.Operation != f.Operation && !strings.HasPrefix(r.Operation, f.Operation+".") ||
		f.Show == "writes" && !isWrite(r) || f.Show == "failed" && outcome(r) == "ok" {
		return false
	}
	if f.Text == "" {
		return true
	}
	said := []string{string(r.Service), r.Operation, r.Method, address(r), r.RequestID, r.Client, r.Token, r.Fault,
		strconv.Itoa(r.Status), outcome(r), r.Failure, string(r.Body)}
	for _, object := range v.objects(r) {
		said = append(said, object.ID, v.text(object))
	}
	text := strings.ToLower(strings.Join(said, "\n"))
	return !slices.ContainsFunc(strings.Fields(strings.ToLower(f.Text)),
		func(word string) bool { return !strings.Contains(text, word) })
}

// found returns objects and deliveries that match the filter's text, newest kinds first, up to the limit of the page.
func (v *viewer) found(f filter) list[thing] {
	words := strings.Fields(strings.ToLower(f.Text))
	if len(words) == 0 {
		return list[thing]{}
	}
	var all list[thing]
	v.eachRow(func(row any) {
		object, ok := describe(row)
		if !ok || object.Gone {
			return
		}
		document, err := server.Encode(object.Value)
		if err != nil {
			return
		}
		text := strings.ToLower(v.text(object) + "\n" + object.ID + "\n" + readable(document))
		if slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(text, word) }) {
			return
		}
		if all.Total++; all.Total <= shownFound {
			all.Shown = append(all.Shown, object)
		}
	})
	return all
}

// eachRow visits the rows of all kinds, ordered by id within a kind.
func (v *viewer) eachRow(visit func(row any)) {
	visitRows(v.Billing.Customers.All(v.tx), visit)
	visitRows(v.Billing.Accounts.All(v.tx), visit)
	visitRows(v.Billing.Subscriptions.All(v.tx), visit)
	visitRows(v.Billing.Invoices.All(v.tx), visit)
	visitRows(v.Collections.Endpoints.All(v.tx), visit)
	visitRows(v.Collections.Deliveries.All(v.tx), visit)
	visitRows(v.Collections.Keys.All(v.tx), visit)
	visitRows(v.Finance.Records.All(v.tx), visit)
}

func visitRows[R any](rows iter.Seq2[string, R], visit func(row any)) {
	for _, row := range rows {
		visit(row)
	}
}

type operationGroup struct {
	Resource   string
	Operations []string
}

// operations returns the operations offered by the filter.
func (v *viewer) operations() []operationGroup {
	names := map[string][]string{}
	for _, r := range slices.Concat(v.Billing.Routes(), v.Finance.Routes(), v.Collections.Routes()) {
		resource := r.Name[:strings.LastIndex(r.Name, ".")]
		names[resource] = append(names[resource], r.Name)
	}
	var groups []operationGroup
	for _, resource := range slices.Sorted(maps.Keys(names)) {
		groups = append(groups, operationGroup{resource, names[resource]})
	}
	return groups
}

func isWrite(r server.Request) bool { return r.Method != http.MethodGet && r.Method != http.MethodHead }

func outcome(r server.Request) string {
	switch {
	case r.Dropped:
		return "dropped"
	case r.Status >= http.StatusInternalServerError:
		return "failed"
	case r.Status >= http.StatusBadRequest:
		return "rejected"
	default:
		return "ok"
	}
}

func address(r server.Request) string {
	if r.Query == "" {
		return r.Path
	}
	return r.Path + "?" + r.Query
}

// objects are the object in the request's path and the objects that it changed.
func (v *viewer) objects(r server.Request) []thing {
	var found []thing
	for _, change := range r.Changes {
		if object, ok := v.changed(change); ok {
			found = append(found, object)
		}
	}
	isNamed := func(t thing) bool { return t.ID == r.Object }
	if r.Object == "" || slices.ContainsFunc(found, isNamed) {
		return found
	}
	named, ok := v.find(r.Object)
	if !ok {
		named = thing{Kind: "object", ID: r.Object, Gone: true}
	}
	return append([]thing{named}, found...)
}

// changed returns the object of a change; ok is false for rows that do not represent an object.
func (v *viewer) changed(c store.Change) (object thing, ok bool) {
	for _, row := range []any{c.After, c.Before} {
		if row != nil {
			return describe(row)
		}
	}
	return v.find(c.ID)
}

// detail is the full view of an object or a request.
type detail struct {
	Title, Anchor string      // anchor on the main page
	Facts         [][2]string // name and value
	Audited       []event     // newest first
	Steps         []step      // newest first
	Parts         []part
}

// line is a request as a table row. Its time includes the date unless Hour is set.
type line struct {
	server.Request
	Hour bool
}

func lineOf(r server.Request, isHour bool) line { return line{r, isHour} }

// step is a request with the objects that it changed.
type step struct {
	server.Request
	Changes []difference
}

// part is a text with a heading. Commands get a copy button.
type part struct {
	Heading, Text string
	IsCommand     bool
}

func (v *viewer) object(id string) (detail, error) {
	object, ok := v.find(id)
	shown := detail{Title: object.Kind + " " + object.Name}
	if ok && !object.Gone {
		shown.Anchor = object.Kind + "-" + id
		document, err := server.Encode(object.Value)
		if err != nil {
			return detail{}, err
		}
		shown.Parts = []part{{Heading: "JSON", Text: readable(document)}}
		if row, ok := v.Collections.Deliveries.Get(v.tx, id); ok {
			shown.Facts, shown.Parts = v.delivery(row)
		}
	}
	shown.Audited = v.audited(id)
	slices.Reverse(shown.Audited)
	for _, r := range slices.Backward(v.requests) {
		step := step{Request: r}
		isTouched := r.Object == id
		for _, change := range r.Changes {
			if change.ID == id {
				isTouched = true
				step.Changes = v.differences(change)
			}
		}
		if isTouched && len(shown.Steps) < shownRequests {
			shown.Steps = append(shown.Steps, step)
		}
	}
	if !ok || object.Gone {
		shown.Facts = [][2]string{{"State", "There is no such object, or it has been deleted."}}
		if len(shown.Steps) == 0 && len(shown.Audited) == 0 {
			return detail{}, errNothing
		}
		shown.Title = "object " + id
	}
	shown.Facts = append(shown.Facts, [2]string{"Id", id})
	return shown, nil
}

// request returns a request with its bodies and the objects that it changed, if the log still has them.
func (v *viewer) request(id string) (detail, error) {
	at := slices.IndexFunc(v.requests, func(r server.Request) bool { return r.RequestID == id })
	if at < 0 {
		return detail{}, errNothing
	}
	r := v.requests[at]
	status := fmt.Sprintf("%d %s", r.Status, outcome(r))
	shown := detail{Title: r.Method + " " + address(r), Anchor: "request-" + id, Facts: [][2]string{
		{"Request-Id", r.RequestID}, {"Status", status}, {"Time", clock(r.Time)}, {"Duration", took(r.Duration)},
		{"Service", string(r.Service)}, {"Operation", r.Operation}, {"Client", r.Client}, {"Token", r.Token},
		{"Fault", r.Fault}, {"Failure", r.Failure},
	}}
	step := step{Request: r}
	for _, change := range r.Changes {
		step.Changes = append(step.Changes, v.differences(change)...)
	}
	shown.Steps = append(shown.Steps, step)
	if command := curl(r); command != "" {
		shown.Parts = append(shown.Parts, part{Heading: "Send it again", Text: command, IsCommand: true})
	}
	var headers strings.Builder
	writeHeaders(&headers, r.Headers)
	for _, part := range []part{
		{Heading: "Request headers", Text: headers.String()}, {Heading: "Request body", Text: readable(r.Body)},
		{Heading: "Response body", Text: readable(r.Response)},
	} {
		part.Text = cmp.Or(part.Text, "none, or no longer stored")
		shown.Parts = append(shown.Parts, part)
	}
	return shown, nil
}

// difference is a field of an object before and after a request.
type difference struct {
	Object              thing
	Path, Before, After string
}

// differences returns the fields changed by c, except the time of the update.
func (v *viewer) differences(c store.Change) []difference {
	before, after := fieldsOf(c.Before), fieldsOf(c.After)
	paths := maps.Clone(before)
	maps.Copy(paths, after)
	object, _ := v.changed(c)
	var changed []difference
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		was, is := before[path], after[path]
		switch name := path[strings.LastIndex(path, ".")+1:]; {
		case was == is || name == "updated_at" || name == "updatedAt":
			continue
		case name == "url":
			was, is = withoutQuery(was), withoutQuery(is)
		}
		changed = append(changed, difference{object, path, v.named(was), v.named(is)})
	}
	return changed
}

// named adds the plan's name to the id of a plan.
func (v *viewer) named(value string) string {
	if name := v.Billing.PlanName(v.tx, value); name != "" {
		return name + " (" + v.short(value).String() + ")"
	}
	return value
}

// fieldsOf returns the non-empty fields of a row's object by path.
func fieldsOf(row any) map[string]string {
	fields := map[string]string{}
	if object, ok := describe(row); ok && !object.Gone {
		flatten(fields, "", decoded(object.Value))
	}
	return fields
}

func flatten(into map[string]string, path string, value any) {
	switch value := value.(type) {
	case map[string]any:
		for key, inner := range value {
			flatten(into, strings.TrimPrefix(path+"."+key, "."), inner)
		}
	case []any:
		for i, inner := range value {
			flatten(into, fmt.Sprintf("%s[%d]", path, i), inner)
		}
	default:
		if text, ok := finance.Simple(value); ok {
			into[path] = text
		}
	}
}

// decoded returns a value as decoded from its JSON.
func decoded(value any) any {
	document, err := server.Encode(value)
	if err != nil {
		return nil
	}
	plain, _ := server.Decode(document)
	return plain
}

// readable formats a body for display: JSON is indented.
func readable(body []byte) string {
	value, err := server.Decode(body)
	if err != nil {
		return string(body)
	}
	// A decoded query can be encoded, and then has only necessary escapes, which urlWithQuery relies on.
	document, _ := server.Encode(value)
	var text bytes.Buffer
	_ = json.Indent(&text, document, "", "  ")
	return urlWithQuery.ReplaceAllString(text.String(), `$1?…"`)
}

// urlWithQuery matches a url in indented JSON whose query may contain a password, see withoutQuery.
var urlWithQuery = regexp.MustCompile(`("url": "(?:[^"?\\]|\\.)*)\?(?:[^"\\]|\\.)*"`)

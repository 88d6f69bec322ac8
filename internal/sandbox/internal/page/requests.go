package page

import (
	"bytes"
	"encoding/json"
	"fmt"
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
	// Apply says that Terraform has applied: its plan writes nothing but the keys of ephemeral resources.
	Apply bool
	Shown []server.Request // that the filter takes, newest first
	Open  bool
}

// runs are the newest requests that the filter takes, by run, the run with the newest one first.
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
		if taken++; taken > shownRequests {
			continue
		}
		of := all[r.Run]
		if len(of.Shown) == 0 {
			of.Open = len(runs) == 0 || f != filter{}
			runs = append(runs, of)
		}
		of.Shown = append(of.Shown, r)
		shown++
	}
	// What is not shown are requests, not runs.
	return list[*run]{Shown: runs, Total: len(runs) + taken - shown}
}

func (o *run) add(r server.Request) {
	o.Total++
	if outcome(r) != "ok" {
		o.Failed++
	}
	if isWrite(r) {
		o.Writes++
		o.Apply = o.Apply || strings.HasPrefix(r.Client, "terraform-provider-billing") &&
			r.Operation != "api_keys.create" && r.Operation != "api_keys.revoke"
	}
}

// filter chooses requests. What is empty chooses all.
type filter struct {
	Text      string // words, each of which is in the request
	Operation string // or the resource that it begins with
	Show      string // writes or failed
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
		strconv.Itoa(r.Status), outcome(r), string(r.Body)}
	for _, object := range v.objects(r) {
		said = append(said, object.ID, object.Text())
	}
	text := strings.ToLower(strings.Join(said, "\n"))
	return !slices.ContainsFunc(strings.Fields(strings.ToLower(f.Text)),
		func(word string) bool { return !strings.Contains(text, word) })
}

type operationGroup struct {
	Resource   string
	Operations []string
}

// operations are those that the filter offers.
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

// objects are what the request names in its path, and what it has changed.
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

// changed is the object of a change; ok is false for rows that are no object.
func (v *viewer) changed(c store.Change) (object thing, ok bool) {
	for _, row := range []any{c.After, c.Before} {
		if row != nil {
			return describe(row)
		}
	}
	return v.find(c.ID)
}

// detail is one object, or one request, in full.
type detail struct {
	Title, Anchor string      // Anchor: where it is on the page
	Facts         [][2]string // name and value
	Steps         []step      // newest first
	Parts         []part
}

// step is a request with what it has changed.
type step struct {
	server.Request
	Changes []difference
}

type part struct{ Heading, Text string }

func (v *viewer) object(id string) (detail, error) {
	object, ok := v.find(id)
	shown := detail{Title: object.Kind + " " + object.Name}
	if ok && !object.Gone {
		shown.Anchor = object.Kind + "-" + id
		document, err := server.Encode(object.Value)
		if err != nil {
			return detail{}, err
		}
		shown.Parts = []part{{"JSON", readable(document)}}
	}
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
		if len(shown.Steps) == 0 {
			return detail{}, errNothing
		}
		shown.Title = "object " + id
	}
	shown.Facts = append(shown.Facts, [2]string{"Id", id})
	return shown, nil
}

// request is a request with its bodies and what it has changed, as far as the log keeps them.
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
		{"Fault", r.Fault},
	}}
	step := step{Request: r}
	for _, change := range r.Changes {
		step.Changes = append(step.Changes, v.differences(change)...)
	}
	shown.Steps = append(shown.Steps, step)
	for _, part := range []part{{"Request body", readable(r.Body)}, {"Response body", readable(r.Response)}} {
		if part.Text == "" {
			part.Text = "none, or not kept"
		}
		shown.Parts = append(shown.Parts, part)
	}
	return shown, nil
}

// difference is a field of an object before and after a request.
type difference struct {
	Object              thing
	Path, Before, After string
}

// differences are the fields that a change has changed. That it was updated goes without saying.
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

// named is a value, with its name if it is the id of a plan.
func (v *viewer) named(value string) string {
	if name := v.Billing.PlanName(v.tx, value); name != "" {
		return name + " (" + short(value) + ")"
	}
	return value
}

// fieldsOf are the fields of a row's object that have a value, by path.
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

// decoded is a value as a reader of its JSON gets it.
func decoded(value any) any {
	document, err := server.Encode(value)
	if err != nil {
		return nil
	}
	plain, _ := server.Decode(document)
	return plain
}

// readable is a body for people: JSON with line breaks.
func readable(body []byte) string {
	value, err := server.Decode(body)
	if err != nil {
		return string(body)
	}
	// What was decoded can be encoded; it is then written with no needless escapes, which urlWithQuery relies on.
	document, _ := server.Encode(value)
	var text bytes.Buffer
	_ = json.Indent(&text, document, "", "  ")
	return urlWithQuery.ReplaceAllString(text.String(), `$1?…"`)
}

// urlWithQuery is a url in indented JSON whose query may be a password, see withoutQuery.
var urlWithQuery = regexp.MustCompile(`("url": "(?:[^"?\\]|\\.)*)\?(?:[^"\\]|\\.)*"`)

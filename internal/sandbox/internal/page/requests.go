package page

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/collections"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/finance"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/server"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/store"
)

type run struct {
	First                 server.Request
	Total, Writes, Failed int
	failures              []string // operations and statuses, each once
	// isApply reports whether this is certainly an apply: a plan writes only the keys of ephemeral resources.
	isApply bool
	Rows    list[server.Request] // matching the filter, newest first
	All     string               // address of the whole run; empty if it is shown
	Open    bool
}

// runs returns the runs with requests that match the filter. The run with the newest request is first. Of long runs it
// contains only the newest requests, so that one run does not push out all others.
func (v *viewer) runs(f filter) list[*run] {
	all := map[uint64]*run{}
	for _, r := range v.requests {
		if all[r.Run] == nil {
			all[r.Run] = &run{First: r}
		}
		all[r.Run].add(r)
	}
	var runs []*run
	rows := map[*run][]server.Request{}
	for _, r := range slices.Backward(v.requests) {
		of := all[r.Run]
		if f.Run != "" && f.Run != strconv.FormatUint(r.Run, 10) || !f.takes(v, r) {
			continue
		}
		if rows[of] == nil {
			of.Open = len(runs) == 0 || f != filter{}
			runs = append(runs, of)
		}
		rows[of] = append(rows[of], r)
	}
	shown := pageOf(v, "requests", "requests", runs, shownRuns)
	for _, of := range shown.Shown {
		if f.Run != "" {
			of.Rows = pageOf(v, "requests", "requests", rows[of], shownObjects)
			continue
		}
		of.Rows.Shown = rows[of][:min(shownOfRun, len(rows[of]))]
		if len(rows[of]) > shownOfRun {
			of.All = v.link("requests", "run", strconv.FormatUint(of.First.Run, 10))
		}
	}
	return shown
}

func (o *run) add(r server.Request) {
	o.Total++
	if outcome(r) != "ok" {
		o.Failed++
		failure := strings.TrimSpace(cmp.Or(r.Operation, "no such route") + " " + strings.Trim(strconv.Itoa(r.Status), "0"))
		if r.Dropped {
			failure = cmp.Or(r.Operation, "no such route") + " dropped"
		}
		if !slices.Contains(o.failures, failure) {
			o.failures = append(o.failures, failure)
		}
	}
	if r.IsWrite() {
		o.Writes++
		o.isApply = o.isApply || isTerraform(r) && r.Operation != "api_keys.create" && r.Operation != "api_keys.revoke"
	}
}

// Failures are the first kinds of failed requests.
func (o *run) Failures() string {
	const most = 3
	text := strings.Join(o.failures[:min(most, len(o.failures))], ", ")
	if len(o.failures) > most {
		text += ", …"
	}
	return text
}

func isTerraform(r server.Request) bool {
	return strings.HasPrefix(r.Client, "terraform-provider-billing")
}

// Label describes the run.
func (o *run) Label() string {
	switch {
	case o.isApply:
		return "apply"
	case isTerraform(o.First): // nothing distinguishes terraform apply -refresh-only
		return "plan or refresh"
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
	Run       string // number of a run
}

func (f filter) takes(v *viewer, r server.Request) bool {
	if f.Operation != "" && r.Operation != f.Operation && !strings.HasPrefix(r.Operation, f.Operation+".") ||
		f.Show == "writes" && !r.IsWrite() || f.Show == "failed" && outcome(r) == "ok" {
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
	return v.hasWords(text)
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
	ID            string                    // of the object
	Title, Anchor string                    // address on the main page
	Facts         [][2]string               // name and value
	History       []event                   // newest first
	Deliveries    []collections.DeliveryRow // of an endpoint, the newest ones, newest first
	Sent          int                       // number of all of them
	Objects       []thing                   // of a request
	Changes       []difference              // by a request
	Steps         []step                    // newest first
	Reads         int                       // number of reads that Steps does not contain
	Parts         []part
	Resend        string // id of a delivery that can be sent again
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

// part is a text with a heading, or with a label below that of the part before. Commands get a copy button.
type part struct {
	Heading, Label, Text       string
	IsCommand, IsProse, Closed bool
}

// inList returns the address of the main page that shows the row of an object or a request.
func inList(kind, id string) string { return "/?q=" + url.QueryEscape(id) + "#" + kind + "-" + id }

func (v *viewer) object(id string) (detail, error) {
	object, ok := v.find(id)
	shown := detail{ID: id, Title: object.Kind + " " + object.Name}
	if ok && !object.Gone {
		shown.Anchor = inList(object.Kind, id)
		document, err := server.Encode(object.Value)
		if err != nil {
			return detail{}, err
		}
		shown.Parts = []part{{Heading: "JSON", Text: readable(document)}}
		if row, ok := v.Collections.Deliveries.Get(v.tx, id); ok {
			shown.Facts, shown.Parts = v.delivery(row)
			if v.canResend(row) {
				shown.Resend = id
			}
		}
	}
	shown.History = v.history(id)
	slices.Reverse(shown.History)
	byAge := sorted(v, v.Collections.DeliveriesOf.All(v.tx, id), deliveryAge)
	shown.Deliveries, shown.Sent = byAge[:min(shownDeliveries, len(byAge))], len(byAge)
	v.addSteps(&shown, id)
	if !ok || object.Gone {
		shown.Facts = [][2]string{{"State", "There is no such object, or it has been deleted."}}
		if len(shown.Steps)+shown.Reads+len(shown.History)+shown.Sent == 0 {
			return detail{}, errNothing
		}
		shown.Title = "object " + id
		if endpoint, _ := v.Collections.EndpointOf(v.tx, id); endpoint.Endpoint.ID != "" {
			shown.Title = "endpoint " + withoutQuery(endpoint.Endpoint.URL)
		}
	}
	shown.Facts = append(shown.Facts, [2]string{"Id", id})
	return shown, nil
}

// addSteps adds the requests that name or changed an object. Reads only if the address asks for them.
func (v *viewer) addSteps(shown *detail, id string) {
	for _, r := range slices.Backward(v.requests) {
		step := step{Request: r}
		isTouched := r.Object == id
		for _, change := range r.Changes {
			if change.ID == id {
				isTouched = true
				step.Changes = v.differences(change)
			}
		}
		switch {
		case !isTouched:
		case !r.IsWrite() && !v.query.Has("reads"):
			shown.Reads++
		case len(shown.Steps) < shownSteps:
			shown.Steps = append(shown.Steps, step)
		}
	}
}

// request returns a request with its bodies and the objects that it changed, if the log still has them.
func (v *viewer) request(id string) (detail, error) {
	at := slices.IndexFunc(v.requests, func(r server.Request) bool { return r.RequestID == id })
	if at < 0 {
		return detail{}, errNothing
	}
	r := v.requests[at]
	status := fmt.Sprintf("%d %s", r.Status, outcome(r))
	shown := detail{Title: r.Method + " " + address(r), Anchor: inList("request", id), Facts: [][2]string{
		{"Request-Id", r.RequestID}, {"Response", status}, {"Time", clock(r.Time)}, {"Duration", took(r.Duration)},
		{"Service", string(r.Service)}, {"Operation", r.Operation}, {"Client", r.Client}, {"Token", r.Token},
		{"Fault", r.Fault}, {"Failure", r.Failure},
	}}
	shown.Objects = v.objects(r)
	for _, change := range r.Changes {
		shown.Changes = append(shown.Changes, v.differences(change)...)
	}
	if command := curl(r, v.KeyHeader); command != "" {
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
		changed = append(changed, difference{object, strings.TrimPrefix(path, "subscription."), v.named(was), v.named(is)})
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

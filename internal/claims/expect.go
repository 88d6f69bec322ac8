package claims

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
)

// forms are the forms of texts by name, see [response.wantForm].
var forms = map[string]*regexp.Regexp{
	"uuid": uuidForm, "anyuuid": anyUUIDForm, "time": timeForm, "date": regexp.MustCompile(`^\d{4}-\d{2}-\d{2}$`),
	"currency": regexp.MustCompile(`^[A-Z]{3}$`), "text": regexp.MustCompile(`(?s)^.`),
}

// wantForm fails unless the value at path has a form: one of [forms], a type in JSON, or a regular expression.
func (a *response) wantForm(path, form string) {
	switch match := forms[form]; {
	case match != nil:
		a.wantMatch(path, match)
	case slices.Contains([]string{"list", "object", "number", "bool"}, form):
		if value := a.at(path); jsonKind(value) != form {
			a.failf("%s is %s, want %s", path, show(value), form)
		}
	default:
		a.wantMatch(path, regexp.MustCompile(form))
	}
}

func jsonKind(value any) string {
	switch value.(type) {
	case bool:
		return "bool"
	case json.Number:
		return "number"
	case []any:
		return "list"
	case object:
		return "object"
	}
	return ""
}

// wantMembers fails unless each member is there in its form; one with a ? may be null. Values of an enumeration are
// separated by |.
func (a *response) wantMembers(path, members string) {
	for member := range strings.SplitSeq(members, ", ") {
		name, form, _ := strings.Cut(member, " ")
		form, nullable := strings.CutSuffix(form, "?")
		at := path + "." + name
		switch value := a.at(at); {
		case value == any(missing{}):
			a.wantPresent(path, name)
		case form == "any" || nullable && (value == nil || value == any("")):
		case value == nil && form == "list" && a.accepts().accept(nullLists):
		case strings.Contains(form, "|"):
			a.wantForm(at, "^("+form+")$")
		default:
			a.wantForm(at, form)
		}
	}
}

var expectForm = regexp.MustCompile(`(?s)^(!?)([A-Za-z0-9_.$-]*?)(?:(!=|=|~|@~|@)(.*))?$`)

// expect compares a part of the response with an expectation, see [Facts]. value returns the value of a word.
func (a *response) expect(value func(string) any, word string) {
	parts := expectForm.FindStringSubmatch(word)
	if parts == nil || (parts[1] == "") == (parts[3] == "") {
		a.failf("%q is no expectation", word)
		return
	}
	path, wanted := fmt.Sprint(value(parts[2])), parts[4]
	switch a = a.part(path); parts[3] {
	case "":
		a.wantMissing(path)
	case "=":
		a.equal(path, wanted, value)
	case "!=":
		if sameJSON(a.at(path), asJSON(value(wanted))) {
			a.failf("%s is %s", path, show(a.at(path)))
		}
	case "~":
		a.wantForm(path, fmt.Sprint(value(wanted)))
	case "@", "@~":
		moment, _ := value(wanted).(string)
		if to, err := time.Parse(time.RFC3339Nano, moment); err != nil {
			a.failf("%s is no time: %w", wanted, err)
		} else if off := a.time(path).Sub(to).Abs(); off > 0 && parts[3] == "@" || off > slack {
			a.failf("%s is %s, want %s", path, a.time(path), to)
		}
	}
}

// part is the response, with the header or the raw text in place of the body if the path is one of these.
func (a *response) part(path string) *response {
	header, is := strings.CutPrefix(path, "header.")
	if !is && path != "raw" {
		return a
	}
	one, copied := object{}, *a
	if values := a.header.Values(header); len(values) > 0 {
		one[header] = strings.Join(values, ", ")
	}
	copied.body = object{"header": one, "raw": string(a.raw)}
	return &copied
}

// equal fails unless the value at path is the wanted one; without one, null, empty or missing.
func (a *response) equal(path, wanted string, value func(string) any) {
	if got := a.at(path); wanted != "" {
		a.want(path, value(wanted))
	} else if got != any("") && got != any(missing{}) {
		a.wantEmpty(path)
	}
}

package claims

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/recurring-billing/terraform-provider-billing/internal/api/same"
)

// rewording is one way in which services store a text otherwise than it was sent. Its name is that of the sandbox's
// `serve --rewords`.
type rewording struct {
	number int
	kind   string
	text   string // the oddity that only this kind changes; %s is a unique lowercase word
	claim  string // the subject of the statement

	// The arguments with the text, by kind of object; nil if it has none that services accept with this oddity.
	customer, endpoint, record func(text string) object
}

// Each text has one oddity. The other claims' texts have none, so that they hold whatever the kind.
var rewordings = []rewording{
	{361, "trim", " parte  %s ", "A text with white space at its ends", allTexts, described, recorded},
	{362, "collapse", "parte  %s", "A text with two spaces in a row", allTexts, described, recorded},
	{363, "crlf", "parte\n%s", "A text with a line feed", lines, described, recorded},
	{364, "line-end", "parte %s", "A text without a line feed at its end", allTexts, described, recorded},
	{365, "escape", `<parte> & "%s"`, "A text with the special characters of HTML", allTexts, described, recorded},
	{366, "lower", "Parte %s", "A text with capitals", withEmail, described, recorded},
	{367, "nfd", "integração %s", "A text with composed letters", allTexts, described, recorded},
	{368, "url", "https://example.com?%s", "A URL without a path", websites, addressed, nil},
	{369, "phone", "", "A phone number with punctuation", phones, nil, nil},
	{370, "fill", "parte %s", "An object without its optional fields", incomplete, nil, nil},
	{371, "cut", strings.Repeat("parte ", 28) + "%s", "A text of about 200 characters", allTexts, described, recorded},
}

const (
	kindNone     = "none" // no wording: a member that the service adds
	kindCollapse = "collapse"
	kindLineEnd  = "line-end"
	kindFill     = "fill"
	kindCut      = "cut"
)

func textClaims() (all []Claim) {
	for _, r := range rewordings {
		c := Claim{
			Number: r.number, Source: "Recurring billing §2 Customer; wire contract: customers.create (texts, in every service)",
			Text: r.claim + " is returned as it was sent.", Service: Billing, Check: r.check, rewording: r.kind,
			Otherwise: "The apply warns that the service stored another text. Write the text that it stored.",
			RestsOn:   []int{51, 52, 71}, // and what it needs of the other services
		}
		if r.kind == kindCut {
			c.Otherwise = "The apply warns that the service stored less than the configuration has, and the argument differs " +
				"in every plan. Write a shorter text."
		}
		if r.endpoint != nil {
			c.RestsOn = append(c.RestsOn, 501, 505, 508)
		}
		if r.record != nil {
			c.RestsOn = append(c.RestsOn, 751, 752, 771)
		}
		all = append(all, c)
	}
	return all
}

// check looks at an object of every service of the target, because each may store texts differently. It needs one of
// them.
func (r rewording) check(ctx context.Context, target Target) error {
	var errs []error
	var lacking error
	for _, one := range []struct {
		service          Service
		resource, create string
		fields           func(text string) object
	}{
		{Billing, "billing_customer", customersPath, r.customer},
		{Collections, "billing_webhook_endpoint", endpointsPath, r.endpoint},
		{Finance, "billing_finance_record", payablesPath, r.record},
	} {
		if one.fields == nil {
			continue
		}
		sent := func() object { return one.fields(strings.Replace(r.text, "%s", unique(), 1)) }
		err := inSteps(one.service, "", func(p *probe) { r.checkObject(p, one.resource, one.create, sent) })(ctx, target)
		if errors.Is(err, ErrNotGiven) {
			lacking = cmp.Or(lacking, err)
			continue
		}
		errs = append(errs, err)
	}
	if len(errs) == 0 {
		return lacking
	}
	return errors.Join(errs...)
}

// checkObject creates and updates an object, and compares what each response and a later read show with what was sent.
func (r rewording) checkObject(p *probe, resource, path string, sent func() object) {
	fields, member := sent(), "data"
	var a *response
	switch path {
	case customersPath:
		path, a = p.customer(fields)
		member = "data.customer"
	case endpointsPath:
		path, a = p.endpoint(merged(object{"active": false}, fields)) // inactive, so that it receives no deliveries
	default:
		path, a = p.entry(path, merged(object{"company_id": uuid.NewString()}, fields))
	}
	found := r.compare(a, member, fields)
	found = append(found, r.compare(p.get(path).wantStatus(http.StatusOK), "data", fields)...)
	fields = sent()
	found = append(found, r.compare(p.patch(path, fields).wantStatus(http.StatusOK), "data", fields)...)
	found = append(found, r.compare(p.get(path).wantStatus(http.StatusOK), "data", fields)...)
	r.report(p, resource, found)
}

// report fails if differences were found. In the second check it accepts those that the provider accepts.
func (r rewording) report(p *probe, resource string, found []difference) {
	if len(found) == 0 {
		return
	}
	var names []string
	for _, d := range found {
		names = append(names, d.attribute)
	}
	slices.Sort(names)
	names = slices.Compact(names)
	reason, d := errReworded, found[0]
	if i := slices.IndexFunc(found, func(d difference) bool { return !d.accepted() }); i >= 0 {
		if d = found[i]; r.kind != kindCut {
			reason = errOther
		}
	} else if p.target.accepts.accept(ownWording+resource, names...) {
		return
	}
	d.response.failf("%s: %w: %s is %s, want %s; different: %s", resource, reason, d.attribute, show(d.shown),
		show(d.sent), strings.Join(names, ", "))
}

// The reasons for which these claims fail, except for requests that fail. Only the first one names a kind.
var (
	errReworded = errors.New("the service stored its own wording")
	errOther    = errors.New("the service stored something else")
)

// compare returns the differences of this kind between what a response shows and what was sent.
func (r rewording) compare(a *response, path string, sent object) (found []difference) {
	for _, name := range slices.Sorted(maps.Keys(sent)) {
		for _, d := range differences(a.at(path+"."+name), asJSON(sent[name])) {
			d.response, d.attribute = a, name
			if kind := d.kind(); kind == "" || kind == r.kind {
				found = append(found, d)
			}
		}
	}
	return found
}

// difference is a text, or a value that was left out, and what the service shows.
type difference struct {
	shown, sent any    // missing{} for a member that is missing
	member      string // of the innermost object

	response  *response
	attribute string
}

// optional are the members that a service may fill in. Others that were not sent are its own, such as ids.
var optional = []string{"kind", "number", "complement", "neighborhood", "city", "state", "country", "legal_name"}

// differences compares decoded values, text by text.
func differences(shown, sent any) (all []difference) {
	switch sent := sent.(type) {
	case map[string]any:
		object, ok := shown.(map[string]any)
		if !ok {
			break
		}
		for _, name := range slices.Sorted(maps.Keys(merged(object, sent))) {
			for _, d := range differences(member(object, name), member(sent, name)) {
				d.member = cmp.Or(d.member, name)
				all = append(all, d)
			}
		}
		return all
	case []any:
		list, ok := shown.([]any)
		if !ok || len(list) != len(sent) {
			break
		}
		for i := range sent {
			all = append(all, differences(list[i], sent[i])...)
		}
		return all
	}
	if sameJSON(shown, sent) {
		return nil
	}
	return []difference{{shown: shown, sent: sent}}
}

// member returns a member of an object, or missing{}.
func member(object map[string]any, name string) any {
	if value, there := object[name]; there {
		return value
	}
	return missing{}
}

func unset(value any) bool { return value == nil || value == (any)(missing{}) }

// kind returns the kind of a difference that does not depend on the oddity of the text, and "" for others. So each kind
// that a service has fails its own claim, and no other one.
func (d difference) kind() string {
	shown, isText := d.shown.(string)
	sent, wasText := d.sent.(string)
	ended := strings.TrimRight(shown, "\r\n")
	switch {
	case unset(d.sent) && (unset(d.shown) || !slices.Contains(optional, cmp.Or(d.member, d.attribute))):
		return kindNone
	case unset(d.sent):
		return kindFill
	case !isText || !wasText:
		return ""
	case ended == sent:
		return kindLineEnd
	case ended != "" && strings.HasPrefix(sent, ended) && same.Less(ended, sent):
		return kindCut
	case shown == strings.Join(strings.Fields(sent), " "):
		return kindCollapse
	}
	return ""
}

// accepted reports whether the provider accepts a difference without a warning or a difference in the plan.
func (d difference) accepted() bool { return unset(d.sent) || worded(d.shown, d.sent) }

// worded reports whether a value is a text that the service shows in its own wording. In an amount the dot matters.
func worded(shown, sent any) bool {
	text, isText := shown.(string)
	wanted, wasText := sent.(string)
	return isText && wasText && !amountForm.MatchString(wanted) && same.Wording(text, wanted)
}

var amountForm = regexp.MustCompile(`^[-+]?[0-9]+([.,][0-9]+)+$`)

// Rewording returns the kind of wording that the claim has found, by its name in the sandbox; "" if none.
func (r Result) Rewording() string {
	if !errors.Is(r.Err, errReworded) {
		return ""
	}
	return r.Claim.rewording
}

func allTexts(text string) object {
	return object{
		"name": text, "nickname": text, "legal_name": text, "notes": text, "tags": []string{text},
		"addresses": []object{{"kind": "billing", "street": text, "complement": text, "neighborhood": text, "city": text,
			"state": "SP", "country": "BR"}},
		"custom_metadata": object{"text": text, "nested": object{"list": []any{text}}},
	}
}

// lines are the arguments in which services accept several lines.
func lines(text string) object {
	return object{"notes": text, "custom_metadata": object{"text": text, "nested": object{"list": []any{text}}}}
}

func withEmail(text string) object {
	address := strings.ReplaceAll(text, " ", ".") + "@correio.example"
	return merged(allTexts(text), object{"emails": []object{{"kind": "work", "value": address}}})
}

func websites(text string) object {
	return object{"websites": []object{{"kind": "store", "value": text}}}
}

func phones(string) object {
	return object{"phones": []object{{"kind": "work", "value": fmt.Sprintf("+55 (11) 3%s-%s", cpf()[:3], cpf()[:4])}}}
}

func incomplete(text string) object {
	return object{
		"name": text, "legal_name": nil, "addresses": []object{{"street": text, "postal_code": "13087450"}},
		"emails": []object{{"value": strings.ReplaceAll(text, " ", ".") + "@correio.example"}},
	}
}

func described(text string) object { return object{"description": text} }
func addressed(text string) object { return object{"url": text} }

func recorded(text string) object {
	return object{"name": text, "origin": object{"system": text, "tags": []string{text}}}
}

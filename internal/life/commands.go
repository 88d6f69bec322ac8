package life

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclwrite"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
	"github.com/recurring-billing/terraform-provider-billing/internal/core"
	"github.com/recurring-billing/terraform-provider-billing/internal/evidence"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// apply runs Terraform: apply, plan, destroy and import.
func (s *scenario) apply(words []string) {
	s.t.Helper()
	if s.judge != nil {
		s.underJudge(words)
		return
	}
	c, next, rest := s.flags(words)
	name := "main.tf"
	imports := words[0] == "import"
	if imports {
		s.needs(rest, 3, 4)
		rest = append(rest[:1:1], append(slices.Clone(rest[3:]), rest[1:3]...)...)
	} else {
		s.needs(rest, 1, 2)
	}
	if len(rest)%2 == 0 {
		name = rest[1]
	}
	text, there := s.files[name]
	if !there && !c.Destroy {
		s.fatalf("file %s does not exist", name)
	}
	s.used[name] = true
	text, err := with(text, s.changes)
	if err != nil {
		s.fatalf("%v", err)
	}
	parsed, err := core.Parse(text, c.Variables)
	if err != nil {
		s.last = planOnly(s.objects(), &core.Plan{Said: core.Said{Errors: []string{err.Error()}}}, nil)
		s.concluded(words[0])
		return
	}
	parsed.Variables, parsed.Replace, parsed.Target, parsed.NoRefresh = c.Variables, c.Replace, c.Target, c.NoRefresh
	parsed.Parallelism, parsed.Destroy = c.Parallelism, c.Destroy
	if imports {
		at, id := rest[len(rest)-2], rest[len(rest)-1]
		parsed.Imports[at] = id
		parsed.Text += fmt.Sprintf("\nimport {\n  to = %s\n  id = %q\n}\n", at, id)
	}
	s.run(parsed, words[0] != "plan", next)
	s.concluded(words[0])
}

// concluded checks whether the last run failed as expected: in the plan, or in the apply of a plan that succeeds.
func (s *scenario) concluded(command string) {
	s.t.Helper()
	errs, inPlan := strings.Join(s.last.Errors, "\n"), len(s.last.plan.Errors) > 0
	switch {
	case !s.fails && errs != "":
		s.fatalf("%s", errs)
	case !s.fails:
		return
	case errs == "":
		s.fatalf("the command did not fail")
	case inPlan && (command == "apply" || command == "destroy"):
		s.fatalf("the plan fails, not the apply: write ! plan, or ! plan -destroy\n%s", errs)
	}
	s.failed = s.where()
}

// flags returns the flags of a run, and rest, the words without them.
func (s *scenario) flags(words []string) (c core.Configuration, next map[string]string, rest []string) {
	s.t.Helper()
	next, c.Variables, s.changes = map[string]string{}, map[string]string{}, nil
	c.Destroy = words[0] == "destroy"
	for _, word := range words {
		name, value, _ := strings.Cut(word, "=")
		if changePattern.MatchString(word) {
			s.changes = append(s.changes, word)
			continue
		}
		switch name {
		case "-destroy":
			c.Destroy = true
		case "-replace":
			c.Replace = append(c.Replace, value)
		case "-target":
			c.Target = append(c.Target, value)
		case "-refresh":
			c.NoRefresh = value == "false"
		case "-parallelism":
			c.Parallelism, _ = strconv.Atoi(value)
		case "-var":
			variable, set, _ := strings.Cut(value, "=")
			c.Variables[variable] = set
		case "-next":
			at := strings.LastIndex(value, "=")
			next[value[:at]] = value[at+1:]
		default:
			if strings.HasPrefix(word, "-") {
				s.fatalf("unknown flag %s", word)
			}
			rest = append(rest, word)
		}
	}
	return c, next, rest
}

var changePattern = regexp.MustCompile(`^\w+\.\w+=`)

// with returns a configuration in which blocks have other arguments: NAME.ARGUMENT=EXPRESSION, and NAME.ARGUMENT= to
// remove one.
func with(text string, changes []string) (string, error) {
	if len(changes) == 0 {
		return text, nil
	}
	file, diags := hclwrite.ParseConfig([]byte(text), "main.tf", hcl.InitialPos)
	if diags.HasErrors() {
		return text, diags
	}
	for _, change := range changes {
		where, expression, _ := strings.Cut(change, "=")
		name, argument, _ := strings.Cut(where, ".")
		found := false
		for _, b := range file.Body().Blocks() {
			if labels := b.Labels(); len(labels) == 0 || labels[len(labels)-1] != name {
				continue
			}
			found = true
			if b.Body().RemoveAttribute(argument); expression != "" {
				b.Body().SetAttributeRaw(argument, hclwrite.TokensForIdentifier(expression))
			}
		}
		if !found {
			return text, fmt.Errorf("no block has the name %s", name)
		}
	}
	return string(file.Bytes()), nil
}

// objects returns the objects in the state.
func (s *scenario) objects() map[string]object {
	all := map[string]object{}
	for _, address := range s.drive.Addresses() {
		all[address] = s.drive.State(address)
	}
	return all
}

// run plans and applies, and checks both for the invariants.
func (s *scenario) run(c core.Configuration, applies bool, next map[string]string) {
	s.t.Helper()
	s.last = run{before: s.objects()}
	defer s.disturb(s.meets)()
	defer s.unmet(s.meets)
	s.meets = nil
	plan, sent, bad := s.planned(c)
	s.last = planOnly(s.last.before, plan, sent)
	if bad != nil {
		s.errorf("%s", bad)
	}
	if len(plan.Errors) > 0 && applies && len(s.meanwhile) > 0 {
		s.errorf("the plan fails, so nothing runs after it")
	}
	if len(plan.Errors) > 0 || !applies {
		return
	}
	for _, does := range s.meanwhile {
		does()
	}
	s.meanwhile = nil
	done, sent, all := s.carried(plan, false)
	for s.service.Sandbox.Late() > 0 {
		time.Sleep(time.Millisecond)
	}
	s.last.add(done, sent)
	for _, bad := range all {
		s.errorf("%s", bad)
	}
	if len(done.Errors) > 0 {
		return
	}
	if bad := s.foreignKept(plan); bad != nil {
		s.errorf("%s", bad)
	}
	s.settled(c, next)
}

// unmet reports misfortunes that no request of the run has met.
func (s *scenario) unmet(meets []misfortune) {
	s.t.Helper()
	for _, m := range meets {
		all, _ := s.mishaps.happened()
		if !slices.ContainsFunc(all, func(n met) bool { return n.misfortune.String() == m.String() }) {
			s.errorf("no request met this: %s", m)
		}
	}
}

// disturb sets what requests meet from now on; undo ends it.
func (s *scenario) disturb(meets []misfortune) (undo func()) {
	s.mishaps.expect(meets)
	if workspace, isCore := s.drive.(*core.Workspace); isCore {
		workspace.Killed, workspace.Interrupted = s.net.killed, s.net.interrupt
	}
	return func() { s.disturb(nil) }
}

// settled checks that the next plan is empty, except for the expected changes.
func (s *scenario) settled(c core.Configuration, next map[string]string) {
	s.t.Helper()
	if c.Destroy {
		if left := s.drive.Addresses(); len(left) > 0 {
			s.errorf("the state still has %v", left)
		}
		return
	}
	// A pending fault would occur in this plan.
	waiting := slices.ContainsFunc(s.service.Sandbox.Faults(), func(f sandbox.Fault) bool { return f.Times > 0 })
	if len(c.Target) > 0 || waiting {
		return
	}
	c.Replace = nil
	plan, _, bad := s.planned(c)
	if bad != nil {
		s.errorf("the next plan: %s", bad)
	}
	if len(plan.Errors) > 0 {
		s.errorf("the next plan fails: %s", strings.Join(plan.Errors, "\n"))
		return
	}
	if have := planActions(plan, next); show(have) != show(next) {
		s.errorf("the next plan is %v:\n%s", have, changesOf(plan))
	}
}

// planActions returns the actions of a plan by address. Unchanged objects are included only if asked names them.
func planActions(plan *core.Plan, asked map[string]string) map[string]string {
	have := map[string]string{}
	for _, change := range plan.Changes {
		if _, named := asked[change.Address]; named || change.Action != core.NoOp {
			have[change.Address] = change.Action
		}
	}
	return have
}

// changesOf describes the changes of a plan.
func changesOf(plan *core.Plan) string {
	var lines []string
	for _, change := range plan.Changes {
		if change.Action != core.NoOp {
			lines = append(lines, fmt.Sprintf("%s %s %v", change.Action, change.Address,
				differences(change.Before, change.After, "")))
		}
	}
	return strings.Join(lines, "\n")
}

// pathOfKind returns the path of the objects of a kind. An unknown kind is a collection of financial management.
func pathOfKind(name string) string {
	if kind := evidence.KindOf(name); kind.Name == name {
		return kind.Path()
	}
	return "/v1/" + name
}

func typeOf(address string) string { return core.Block{Address: address}.Type() }

// pathOf returns the path of an object in state.
func pathOf(address string, state object) string {
	id, _ := state["id"].(string)
	collection, _ := state["collection"].(string)
	return strings.Replace(evidence.KindOf(typeOf(address)).Path(), "{collection}", collection, 1) + "/" + id
}

// remote returns the object at the service, with the items of a subscription as a field; nil if it does not exist.
func (s *scenario) remote(address string, state object) object {
	if state == nil || evidence.KindOf(typeOf(address)).Type == "" {
		return nil
	}
	path := pathOf(address, state)
	status, response := s.service.Call(http.MethodGet, path, nil)
	data, _ := response["data"].(object)
	if status != http.StatusOK || data == nil {
		return nil
	}
	if typeOf(address) == "billing_subscription" {
		_, listed := s.service.Call(http.MethodGet, path+"/items", nil)
		data["items"] = listed["data"]
	}
	return data
}

// wanted returns items in the format of a request.
func wanted(items []any) []any {
	var all []any
	for _, item := range items {
		fields, _ := item.(object)
		all = append(all, object{"product_id": fields["product_id"], "price_id": fields["price_id"],
			"quantity": cmp.Or(fields["quantity"], any(json.Number("1"))), "unit_amount_subcents": fields["unit_amount_subcents"]})
	}
	return all
}

// live returns the objects of a kind at the service that have not ended.
func (s *scenario) live(name string) []object {
	s.t.Helper()
	all := s.service.All(pathOfKind(name))
	if evidence.KindOf(name).Name != name {
		return all
	}
	return slices.DeleteFunc(all, s.ended)
}

// ended reports whether an object is canceled, closed, revoked or expired.
func (s *scenario) ended(found object) bool {
	text, _ := found["expiresAt"].(string)
	expires, has := moment(text)
	return found["status"] == "canceled" || found["status"] == "closed" || found["revokedAt"] != nil ||
		has && !s.service.Sandbox.Clock().Now().Before(expires)
}

// find returns the path of the object that WHERE selects, and its address if it is in the state.
func (s *scenario) find(name, where string) (path, at string) {
	s.t.Helper()
	if state := s.drive.State(where); state != nil {
		return pathOf(where, state), where
	}
	field, want, named := strings.Cut(where, "=")
	id := where
	if named {
		for _, found := range s.live(name) {
			if fmt.Sprint(found[field]) == want {
				id = fmt.Sprint(found["id"])
			}
		}
		if id == where {
			s.fatalf("no %s has the %s %s", name, field, want)
		}
	}
	for _, address := range s.drive.Addresses() {
		if state := s.drive.State(address); state["id"] == id {
			at = address
		}
	}
	return pathOfKind(name) + "/" + url.PathEscape(id), at
}

// edit changes or deletes an object, as another system does.
func (s *scenario) edit(words []string) {
	s.t.Helper()
	s.needs(words, 3, 100)
	path, at := s.find(words[1], words[2])
	method, body := http.MethodDelete, object(nil)
	if words[0] == "edit" {
		method, body = http.MethodPatch, s.fields(sandbox.ParseUpdate, words[3:])
	}
	status, response := s.service.Call(method, path, body)
	if !s.succeeded(status, response) || at == "" {
		return
	}
	if s.judge == nil {
		s.mark(at, body)
		return
	}
	if words[0] == "delete" {
		delete(s.judge.contacts, at)
	}
	s.judge.noticed(at, path, body, s.called)
}

// add adds to a field that another system sends whole: an entry to a list, or keys to an object.
func (s *scenario) add(words []string) {
	s.t.Helper()
	s.needs(words, 5, 5)
	path, at := s.find(words[1], words[2])
	field, value := words[3], parsed([]byte(words[4]))
	if at == "" && s.judge != nil { // the run has just deleted it
		return
	} else if at == "" || value == nil {
		s.fatalf("usage: add KIND ADDRESS FIELD JSON")
	}
	before := s.remote(at, s.drive.State(at))[field]
	method, body := http.MethodPatch, object{}
	switch {
	case typeOf(at) == "billing_finance_record":
		had, _ := before.(object)
		body[field] = merged(had, value.(object))
	case field == "items":
		had, _ := before.([]any)
		method, path, body[field] = http.MethodPut, path+"/items", append(wanted(had), value)
	default:
		had, _ := before.([]any)
		body[field] = append(slices.Clone(had), value)
	}
	status, response := s.service.Call(method, path, body)
	if s.succeeded(status, response) && s.judge != nil {
		s.judge.added(at, field, value, s.called)
	}
}

// fields returns the object that FIELD=TEXT and FIELD:=JSON describe.
func (s *scenario) fields(parse func([]string) (map[string]any, error), words []string) object {
	s.t.Helper()
	all, err := parse(words)
	if err != nil {
		s.fatalf("%v", err)
	}
	return all
}

// mark records what another system has set in a free-form object, except the keys that are also in the
// configuration; see foreignKept.
func (s *scenario) mark(at string, body object) {
	keys, below := any(body), ""
	if typeOf(at) != "billing_finance_record" {
		keys, below = body["custom_metadata"], "custom_metadata"
	}
	if keys == nil {
		return
	}
	if s.marks[at] == nil {
		s.marks[at] = object{}
	}
	for _, d := range differences(absent{}, keys, below) {
		s.marks[at][d.path] = d.after
	}
}

// neverFits matches rejections of requests that no state of the service accepts.
var neverFits = regexp.MustCompile("route_not_found|is not a field of this request")

// succeeded checks that a request of another system was accepted. In a judged scenario, the service may reject it
// because of its state.
func (s *scenario) succeeded(status int, response object) bool {
	s.t.Helper()
	if text := show(response); status/100 != 2 && (s.judge == nil || neverFits.MatchString(text)) {
		s.fatalf("status %d: %s", status, text)
	}
	s.called, _ = response["data"].(object)
	return status/100 == 2
}

func (s *scenario) call(words []string) {
	s.t.Helper()
	s.needs(words, 3, 4)
	var body any
	if len(words) == 4 {
		if body = parsed([]byte(words[3])); body == nil {
			s.fatalf("%q is not JSON", words[3])
		}
	}
	status, response := s.service.Call(words[1], words[2], body)
	if s.succeeded(status, response) && s.judge != nil && words[1] != http.MethodGet {
		sent, _ := body.(object)
		s.judge.noticed(s.holder(words[2]), words[2], sent, s.called)
	}
}

// holder returns the address of the object to which a path leads; "" if the state has none.
func (s *scenario) holder(path string) string {
	for _, address := range s.drive.Addresses() {
		if evidence.KindOf(typeOf(address)).Type == "" {
			continue // of Terraform itself
		}
		if at := pathOf(address, s.drive.State(address)); path == at || strings.HasPrefix(path, at+"/") {
			return address
		}
	}
	return ""
}

// value returns the value of a reference such as billing_customer.c.id.
func (s *scenario) value(ref string) string {
	s.t.Helper()
	if who, isAge := strings.CutPrefix(ref, "age."); isAge {
		who, key := strings.CutSuffix(who, ".key")
		if s.ages[who] == nil {
			s.ages[who] = acctest.NewIdentity(s.t)
		}
		if key {
			return s.ages[who].PrivateKey()
		}
		return s.ages[who].Recipient()
	}
	if ref == "called" {
		return show(s.called)
	}
	var v any
	if field, called := strings.CutPrefix(ref, "called."); called {
		v = within(s.called, field)
	} else {
		address, path := s.attribute(ref)
		v = within(s.drive.State(address), path)
	}
	if v == any(absent{}) || v == nil {
		s.fatalf("%s does not exist", ref)
	}
	return fmt.Sprint(v)
}

var attributePattern = regexp.MustCompile(`^((?:billing_\w+|terraform_data)\.[\w-]+(?:\["[^"]*"\])?)(?:\.(.+))?$`)

// attribute splits billing_customer.c.name into the address and the path.
func (s *scenario) attribute(word string) (address, path string) {
	s.t.Helper()
	parts := attributePattern.FindStringSubmatch(word)
	if parts == nil {
		s.fatalf("%q is neither an address nor an attribute", word)
	}
	return parts[1], parts[2]
}

// within returns the value at a path of names and indexes, or absent.
func within(v any, path string) any {
	for name := range strings.SplitSeq(path, ".") {
		switch inner := v.(type) {
		case object:
			below, there := inner[name]
			if !there {
				return absent{}
			}
			v = below
		case []any:
			n, err := strconv.Atoi(name)
			if err != nil || n < 0 || n >= len(inner) {
				return absent{}
			}
			v = inner[n]
		case string: // an object in JSON text
			var decoded any
			if json.Unmarshal([]byte(inner), &decoded) != nil {
				return absent{}
			}
			return within(parsed([]byte(inner)), path[strings.Index(path, name):])
		default:
			return absent{}
		}
	}
	return v
}

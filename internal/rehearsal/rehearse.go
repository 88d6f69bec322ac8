package rehearsal

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/copier"
	"github.com/recurring-billing/terraform-provider-billing/internal/orgcopy"
	"github.com/recurring-billing/terraform-provider-billing/internal/rehearsal/hello"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// Options configure a rehearsal.
type Options struct {
	Folder  string // of the configuration
	Program string // terraform, or a compatible program
	// Arguments are those of a plan that the plans are made with, such as -var-file=production.tfvars.
	Arguments []string
	Days      int // how far the clock is moved
	// All carries out the changes of other providers and runs provisioners, for real. Otherwise only resources that exist
	// in the state alone are changed, and those of the types in Allow.
	All   bool
	Allow []string
	// Partial leaves out the billing changes that depend on what is not carried out.
	Partial bool
	// Copy is the copy that is used; nil reads the organization that the environment names, into memory.
	Copy      []byte
	Environ   []string
	Temporary string            // folder for the temporary one; empty: that of the system
	Progress  func(text string) // nil: none
}

// Run rehearses the configuration of a folder. An error says that it could not be rehearsed.
func Run(ctx context.Context, o Options) (report *Report, err error) {
	r := &rehearsal{Options: o, partial: map[string]bool{}}
	if err := r.userArguments(); err != nil {
		return nil, err
	}
	w, err := prepare(o.Folder, r.getenv("TF_DATA_DIR"), o.Temporary)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, w.remove()) }() // an interrupt gets here too
	r.workspace = w
	kept := w.variables()
	for _, name := range []string{"TF_DATA_DIR", "TF_WORKSPACE"} {
		if value := r.getenv(name); value != "" {
			kept[name] = value
		}
	}
	r.user = terraform{o.Program, o.Folder, environment(o.Environ, kept)}
	if err := r.read(ctx); err != nil {
		return nil, err
	}
	if len(w.invalid) > 0 {
		r.report.Result, r.report.Refused = Refused, w.invalid
		return &r.report, nil
	}
	return r.play(ctx)
}

// rehearsal is one under way.
type rehearsal struct {
	Options
	arguments arguments
	user      terraform
	workspace *workspace
	name      string // of the workspace
	state     []byte // empty before the first apply
	resources []stateResource
	copied    []byte
	services  map[string]string // addresses of the copied ones
	objects   []orgcopy.Object
	notCopied []orgcopy.LeftOut
	greetings *greetings
	// initErr is the error of init in a folder where it has installed nothing: providers under development need none.
	initErr error
	writes  writeLog
	report  Report
	partial map[string]bool // addresses of the billing changes that are left out
	leftOut []string        // sentences for the report
	notes   []string        // of what is not known
}

// writeLog is a log of the requests that change something. That of the sandbox keeps the newest requests alone, and the
// responses of even fewer.
type writeLog struct {
	mu       sync.Mutex
	requests []sandbox.Request
}

func (l *writeLog) add(q sandbox.Request) {
	if q.Method == http.MethodGet {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.requests = append(l.requests, q)
}

// all are the requests so far.
func (l *writeLog) all() []sandbox.Request {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.requests)
}

func (r *rehearsal) progress(text string) {
	if r.Progress != nil {
		r.Progress(text)
	}
}

// stateResource contains the used parts of a resource in a state.
type stateResource struct {
	Module    string `json:"module"`
	Mode      string `json:"mode"`
	Type      string `json:"type"`
	Name      string `json:"name"`
	Instances []struct {
		Attributes map[string]any `json:"attributes"`
	} `json:"instances"`
}

// read reads the state and the organization.
func (r *rehearsal) read(ctx context.Context) error {
	r.progress("read the state")
	out, err := r.user.run(ctx, "workspace", "show")
	if err != nil {
		return err
	}
	r.name = strings.TrimSpace(string(out))
	if r.state, err = r.user.run(ctx, "state", "pull"); err != nil && (len(r.workspace.invalid) == 0 || ctx.Err() != nil) {
		return fmt.Errorf("the state cannot be read: %w", err)
	}
	r.state = bytes.TrimSpace(r.state)
	if len(r.state) > 0 {
		var state struct {
			Resources []stateResource `json:"resources"`
		}
		if err := decode(r.state, &state); err != nil {
			return fmt.Errorf("the state cannot be read: %w", err)
		}
		r.resources = state.Resources
	}
	if r.copied = r.Copy; r.copied == nil {
		if r.copied, err = r.fetch(ctx); err != nil {
			return err
		}
	}
	if err := r.open(); err != nil {
		return err
	}
	return r.belongs()
}

// fetch copies the organization into memory, with the collections that the state uses.
func (r *rehearsal) fetch(ctx context.Context) ([]byte, error) {
	source, err := copier.FromEnvironment(r.getenv)
	if err != nil {
		return nil, err
	}
	r.progress("copy the organization, with GET alone")
	var out bytes.Buffer
	_, err = copier.Copy(ctx, source, copier.Options{Collections: r.collections()}, &out)
	return out.Bytes(), err
}

func (r *rehearsal) getenv(name string) string {
	for _, one := range slices.Backward(r.Environ) {
		if value, found := strings.CutPrefix(one, name+"="); found {
			return value
		}
	}
	return ""
}

// collections returns the collections of financial management with records in the state.
func (r *rehearsal) collections() (names []string) {
	for _, one := range r.resources {
		for _, instance := range one.Instances {
			if name, ok := instance.Attributes["collection"].(string); ok && one.Type == "billing_finance_record" {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// open reads the copy.
func (r *rehearsal) open() error {
	reader, err := orgcopy.NewReader(bytes.NewReader(r.copied))
	if err != nil {
		return fmt.Errorf("the copy cannot be used: %w", err)
	}
	for object, err := range reader.Objects() {
		if err != nil {
			return fmt.Errorf("the copy cannot be used: %w", err)
		}
		r.objects = append(r.objects, object)
	}
	r.notCopied, r.services = reader.LeftOut, reader.Header.Service
	var of struct {
		Name string `json:"name"`
	}
	r.report.From = reader.Header.Time
	r.report.Until = reader.Header.Time.AddDate(0, 0, r.Days)
	_ = json.Unmarshal(reader.Header.Organization, &of) // the sandbox reports errors in it
	r.report.Organization = of.Name
	return nil
}

// belongs rejects the state of another organization, of which this one has no object, and a copy that leaves out
// objects of the state: the plan would create them again.
func (r *rehearsal) belongs() error {
	for _, left := range r.notCopied {
		if slices.ContainsFunc(r.resources, func(one stateResource) bool {
			return one.Mode == "managed" && one.Type == typeOfLeft(left)
		}) {
			return fmt.Errorf("the state has objects of the type %s, and the copy leaves out %s: use a token that may read "+
				"them", typeOfLeft(left), left)
		}
	}
	known := map[string]bool{}
	for _, o := range r.objects {
		known[idOf(o.Object)] = true
	}
	in, of := 0, 0
	for _, one := range r.resources {
		for _, instance := range one.Instances {
			if id, _ := instance.Attributes["id"].(string); one.Mode == "managed" && isOurs(one.Type) && id != "" {
				if of++; known[id] {
					in++
				}
			}
		}
	}
	if of > 0 && in == 0 {
		return fmt.Errorf("the state has %d objects of the provider, and organization %q has none of them: the state is "+
			"that of another organization (check BILLING_BASE_URL, BILLING_TOKEN and the workspace), or the copy leaves them out",
			of, r.report.Organization)
	}
	return nil
}

func idOf(object json.RawMessage) string {
	var of struct {
		ID string `json:"id"`
	}
	_ = json.Unmarshal(object, &of) // "" has no object
	return of.ID
}

// serve starts a sandbox with the copy.
func (r *rehearsal) serve(ctx context.Context, o sandbox.Options) (*sandbox.Server, error) {
	o.Copy = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(r.copied)), nil }
	return sandbox.Start(ctx, o)
}

// play applies the configuration to the copy.
func (r *rehearsal) play(ctx context.Context) (*Report, error) {
	r.greetings = newGreetings(r.services, r.getenv, r.Copy == nil)
	caFile := filepath.Join(r.workspace.temporary, "rehearsal.ca.pem")
	with, err := r.serve(ctx, sandbox.Options{CAFile: caFile, OnRequest: r.writes.add, Rehearsals: r.greetings})
	if err != nil {
		return nil, err
	}
	defer func() { _ = with.Close() }() // it has no state
	file, err := r.greetings.tell(r.workspace, with, caFile)
	if err != nil {
		return nil, err
	}
	variables := r.workspace.variables()
	variables[hello.Variable] = file
	if r.workspace.data != ".terraform" {
		variables["TF_DATA_DIR"] = r.workspace.data
	}
	tf := terraform{r.Program, r.workspace.folder, environment(r.Environ, variables)}
	r.progress("terraform init")
	if r.initErr = r.workspace.initialize(ctx, tf); r.initErr != nil && (!r.workspace.fresh || ctx.Err() != nil) {
		return nil, r.initErr
	}
	if err := r.workspace.put(r.state, r.name); err != nil {
		return nil, err
	}
	variables["TF_WORKSPACE"] = r.name
	tf.env = environment(r.Environ, variables)
	first, err := r.planned(ctx, tf, with)
	if err != nil {
		return nil, err
	}
	if r.report.Result != Refused {
		if err := r.applied(ctx, tf, first); err != nil {
			return nil, err
		}
	}
	without, err := r.serve(ctx, sandbox.Options{CAFile: filepath.Join(r.workspace.temporary, "without.ca.pem")})
	if err != nil {
		return nil, err
	}
	defer func() { _ = without.Close() }()
	return &r.report, r.compare(ctx, with, without, first)
}

// planFile is the name of the first plan, which is whole.
const planFile = "rehearsal.tfplan"

// planned plans, and records the result.
func (r *rehearsal) planned(ctx context.Context, tf terraform, with *sandbox.Server) (plan, error) {
	r.progress("terraform plan")
	heard, _ := r.greetings.heard()
	result, err := tf.logged(ctx, append([]string{"plan", "-json", "-input=false", "-out=" + planFile},
		r.arguments.plan...)...)
	if err == nil && r.initErr != nil && result.code == 1 && len(with.Requests()) == 0 {
		err = r.initErr
	}
	if err != nil {
		return plan{}, err
	}
	r.report.Warnings = withoutOwn(result.warnings)
	if len(result.errors) > 0 || result.code == 1 {
		if err := r.refusal(ctx, tf, heard, result.errors); err != nil {
			return plan{}, err
		}
		r.report.Result, r.report.Refused = Refused, result.errors
		r.report.Sent = sent(r.writes.all(), r.names())
		return plan{}, nil
	}
	p, err := tf.planOf(ctx, planFile)
	if err != nil {
		return p, err
	}
	r.report.Plan = p.counts()
	return p, r.greeted(heard, p.usesBilling(), "plan")
}

// withoutOwn returns the warnings without those about the rehearsal itself and about Terraform's set-up.
func withoutOwn(warnings []Diagnostic) []Diagnostic {
	return slices.DeleteFunc(warnings, func(d Diagnostic) bool {
		return d.Summary == hello.Warning || d.Summary == "Provider development overrides are in effect"
	})
}

// greeted checks that the provider has said, since a number of greetings, that it talks to the copy.
func (r *rehearsal) greeted(since int, uses bool, command string) error {
	count, refused := r.greetings.heard()
	if refused != "" {
		return errors.New(refused)
	}
	if uses && count == since {
		return fmt.Errorf("the provider has not said in the %s that it talks to the copy: %s removes the variable %s, "+
			"or the "+
			"installed provider is of a version that knows no rehearsals", command, r.Program, hello.Variable)
	}
	return nil
}

// refusal tells a plan that the configuration or the copy refuses, which is nil, from one that was not made on the
// copy.
func (r *rehearsal) refusal(ctx context.Context, tf terraform, since int, errs []Diagnostic) error {
	if err := r.greeted(since, false, "plan"); err != nil {
		return err
	}
	if count, _ := r.greetings.heard(); count > since {
		return nil
	}
	if _, err := tf.run(ctx, "validate", "-no-color"); err != nil {
		return ctx.Err() // an invalid configuration is refused before a provider is configured
	}
	return fmt.Errorf("the plan failed before the provider was configured: %s", first(errs))
}

// applied carries out the plan, and plans once more.
func (r *rehearsal) applied(ctx context.Context, tf terraform, whole plan) error {
	r.report.Result = Applied
	file, err := r.narrow(ctx, tf, whole)
	if err != nil || file == "" {
		return err
	}
	r.progress("terraform apply")
	heard, _ := r.greetings.heard()
	result, err := tf.logged(ctx, append(append([]string{"apply", "-json", "-input=false", "-auto-approve"},
		r.arguments.apply...), file)...)
	if err != nil {
		return err
	}
	if err := r.greeted(heard, len(whole.billing()) > 0, "apply"); err != nil {
		return err
	}
	r.report.Sent = sent(r.writes.all(), r.names())
	if len(result.errors) > 0 || result.code != 0 {
		r.report.Result, r.report.Refused = Refused, result.errors
		return nil
	}
	r.progress("terraform plan, again")
	heard, _ = r.greetings.heard()
	again := append([]string{"plan", "-json", "-input=false", "-out=second.tfplan"}, r.arguments.plan...)
	if result, err = tf.logged(ctx, again...); err != nil {
		return err
	}
	if len(result.errors) > 0 {
		r.report.Result, r.report.Refused = Refused, result.errors
		return nil
	}
	second, err := tf.planOf(ctx, "second.tfplan")
	if err != nil {
		return err
	}
	if err := r.greeted(heard, second.usesBilling(), "second plan"); err != nil {
		return err
	}
	r.report.SecondPlan = slices.DeleteFunc(second.changes(), func(c Change) bool {
		return !isOurs(c.Type) && !r.All || r.partial[c.Address]
	})
	if len(r.report.SecondPlan) > 0 {
		r.report.Result = NotEmpty
	}
	return nil
}

// compare moves both copies on, and notes what differs.
func (r *rehearsal) compare(ctx context.Context, with, without *sandbox.Server, first plan) error {
	r.progress(fmt.Sprintf("move both clocks by %d days", r.Days))
	var seen [2]outcome
	for i, server := range []*sandbox.Server{without, with} {
		now, err := observe(ctx, server, r.report.From)
		if err != nil {
			return err
		}
		for range r.Days {
			server.Clock().Advance(24 * time.Hour)
		}
		if seen[i], err = observe(ctx, server, r.report.From); err != nil {
			return err
		}
		seen[i].before = now.objects
	}
	r.report.Differences = compare(seen[0], seen[1], r.report.From, r.report.Until)
	r.report.NotKnown = append(append(unknownStatuses(r.objects), notKnown(r.report, first)...), r.notes...)
	r.report.LeftOut = append(r.report.LeftOut, r.leftOut...)
	for _, name := range r.workspace.notLinked {
		r.report.LeftOut = append(r.report.LeftOut, "Not in the temporary folder: "+name+".")
	}
	for _, left := range r.notCopied {
		r.report.LeftOut = append(r.report.LeftOut, "Not in the copy: "+left.String()+".")
	}
	return nil
}

// sent returns the requests for the report. names are the names of the copy's objects, by id.
func sent(requests []sandbox.Request, names map[string]string) (all []Sent) {
	for _, q := range requests {
		one := Sent{Operation: q.Operation, Status: q.Status, ID: q.Object}
		one.Object, one.Verb = objectOf(q.Operation)
		var body, response object
		_ = json.Unmarshal(q.Body, &body)         // a request without a body has no arguments
		_ = json.Unmarshal(q.Response, &response) // nor has a response without one an object
		result, _ := response["data"].(object)
		if q.Operation == "customers.create" {
			if inner, ok := body["customer"].(object); ok {
				body = inner
			}
			result, _ = result["customer"].(object)
		}
		if id := textOf(result["id"]); id != "" && names[id] == "" {
			names[id] = labelOf(result) // a later request may be about what this one has created
		}
		if name := firstText(body["external_id"], body["url"], names[q.Object], body["name"], q.Object); name != "" {
			one.Object += " \"" + name + "\""
		}
		for name := range body {
			if name != "custom_metadata_mode" {
				one.Arguments = append(one.Arguments, name)
			}
		}
		slices.Sort(one.Arguments)
		refusal, _ := response["error"].(object)
		one.Code = textOf(refusal["code"])
		all = append(all, one)
	}
	return all
}

// labelOf returns the name of an object; "" without one.
func labelOf(of object) string {
	customer, _ := of["customer"].(object) // of an account
	return firstText(of["external_id"], of["url"], of["name"], customer["name"])
}

func firstText(values ...any) string {
	for _, v := range values {
		if text, ok := v.(string); ok && text != "" {
			return text
		}
	}
	return ""
}

// objectOf is the noun and the verb of an operation.
func objectOf(operation string) (noun, verb string) {
	family, verb, _ := strings.Cut(strings.TrimPrefix(operation, "finance."), ".")
	noun = map[string]string{"customers": "customer", "billing_accounts": "billing account",
		"subscriptions": "subscription", "webhook_endpoints": "webhook endpoint", "api_keys": "API key",
		"records": "finance record"}[family]
	if verb == "items.sync" {
		return noun, "set the items of"
	}
	return noun, strings.ReplaceAll(verb, "_", " ")
}

// names are the names of the objects of the copy, by id.
func (r *rehearsal) names() map[string]string {
	names := map[string]string{}
	for _, o := range r.objects {
		var of object
		_ = json.Unmarshal(o.Object, &of) // the sandbox has read it
		names[idOf(o.Object)] = labelOf(of)
	}
	return names
}

// ReadFile reads a copy from a file.
func ReadFile(name string) ([]byte, error) {
	content, err := os.ReadFile(name)
	if err == nil && len(content) == 0 {
		err = errors.New(name + " is empty: write it with \"billing-sandbox copy\"")
	}
	return content, err
}

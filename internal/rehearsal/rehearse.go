package rehearsal

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/copier"
	"github.com/recurring-billing/terraform-provider-billing/internal/evidence"
	"github.com/recurring-billing/terraform-provider-billing/internal/orgcopy"
	"github.com/recurring-billing/terraform-provider-billing/internal/rehearsal/hello"
	"github.com/recurring-billing/terraform-provider-billing/internal/rehearsal/internal/tfjson"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/amounts"
)

// Options configure a rehearsal.
type Options struct {
	Folder  string // of the configuration
	Program string // terraform, or a compatible program
	// Arguments are those of a plan that the plans are made with, such as -var-file=production.tfvars.
	Arguments []string
	Days      int // how far the clock is moved
	// All carries out the changes of other providers and runs provisioners, for real. Otherwise only resources that exist
	// only in the state are changed, and those of the types in Allow.
	All   bool
	Allow []string
	// Partial leaves out the billing changes that depend on what is not carried out.
	Partial bool
	// Copy is the copy that is used; nil reads the organization that the environment names, into memory.
	Copy []byte
	// Prices are amounts of plans and prices that the service does not show.
	Prices []amounts.Entry
	// Operations are methods and paths of the service that differ, as in the provider's argument of that name. They are
	// used to copy the organization: the copy has paths of its own.
	Operations map[string]string
	Environ    []string
	Temporary  string            // folder for the temporary one; empty: that of the system
	Progress   func(text string) // nil: none
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
	arguments    arguments
	user         terraform
	workspace    *workspace
	name         string // of the workspace
	state        []byte // empty before the first apply
	resources    []stateResource
	copied       []byte
	organization string            // id
	services     map[string]string // addresses of the copied ones
	// collections are those of the copy, and reads those that a plan has read although the copy does not have them.
	collections orgcopy.Collections
	reads       []string
	objects     []orgcopy.Object
	notCopied   []orgcopy.LeftOut
	greetings   *greetings
	// initErr is the error of init in a folder where it has installed nothing: providers under development need none.
	initErr error
	log     requestLog
	sent    []sandbox.Request // by the apply
	report  Report
	partial map[string]bool // addresses of the billing changes that are left out
	leftOut []string        // sentences for the report
	notes   []string        // of what is not known
}

func (r *rehearsal) progress(text string) {
	if r.Progress != nil {
		r.Progress(text)
	}
}

// stateResource contains the used parts of a resource in a state.
type stateResource struct {
	Module    string          `json:"module"`
	Mode      string          `json:"mode"`
	Type      string          `json:"type"`
	Name      string          `json:"name"`
	Instances []stateInstance `json:"instances"`
}

type stateInstance struct {
	Attributes map[string]any `json:"attributes"`
	Private    []byte         `json:"private"`
}

// organization returns the id of the organization that the provider has noted for an object; "" for none.
func (i stateInstance) organization() (id string) {
	var notes map[string][]byte
	if json.Unmarshal(i.Private, &notes) == nil {
		_ = json.Unmarshal(notes["organization"], &id) // without a note there is none
	}
	return id
}

// collection returns that of a finance record.
func (i stateInstance) collection() string { return tfjson.Text(i.Attributes["collection"]) }

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
		if err := tfjson.Decode(r.state, &state); err != nil {
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
	source, err := copier.FromEnvironment(r.getenv, r.progress, r.Operations)
	if err != nil {
		return nil, err
	}
	r.progress("copy the organization with GET requests only")
	var out bytes.Buffer
	_, err = copier.Copy(ctx, source, copier.Options{Collections: r.ofState(), Optional: r.reads}, &out)
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

// ofState returns the collections of financial management with records in the state.
func (r *rehearsal) ofState() (names []string) {
	for _, one := range r.resources {
		for _, instance := range one.Instances {
			if evidence.KindOf(one.Type).Name == evidence.Record {
				names = append(names, instance.collection())
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
	r.objects = nil
	for object, err := range reader.Objects() {
		if err != nil {
			return fmt.Errorf("the copy cannot be used: %w", err)
		}
		r.objects = append(r.objects, object)
	}
	r.notCopied, r.services, r.collections = reader.LeftOut, reader.Header.Service, reader.Collections
	r.report.Incomplete = len(r.notCopied) > 0
	var of struct {
		ID   string `json:"id"`
		Name string `json:"name"`
	}
	r.report.From = reader.Header.Time
	r.report.Until = reader.Header.Time.AddDate(0, 0, r.Days)
	_ = json.Unmarshal(reader.Header.Organization, &of) // the sandbox reports errors in it
	r.report.Organization, r.organization = of.Name, of.ID
	return nil
}

// belongs rejects the state of another organization, and a copy that leaves out objects of the state: the plan would
// create them again.
func (r *rehearsal) belongs() error {
	newest := r.report.From
	for _, one := range r.resources {
		for _, instance := range one.Instances {
			if one.Mode != tfjson.Managed || !tfjson.Ours(one.Type) {
				continue
			}
			for _, left := range r.notCopied {
				if left.All(evidence.KindOf(one.Type).Name, instance.collection()) {
					return fmt.Errorf("the state has objects of the type %s, and the copy leaves out %s: use a token that may read "+
						"them", one.Type, left)
				}
			}
			if id := instance.organization(); id != "" && !strings.EqualFold(id, r.organization) {
				return fmt.Errorf("the state is that of organization %s, and the copy is of %s (%s): check BILLING_BASE_URL, "+
					"BILLING_TOKEN and the workspace", id, r.organization, r.report.Organization)
			}
			if at := tfjson.Time(instance.Attributes["updated_at"]); at.After(newest) {
				newest = at
			}
		}
	}
	if newest.Sub(r.report.From) >= time.Second {
		r.report.Stale = "The state is newer than the copy (" + newest.UTC().Format(time.RFC3339) +
			"): what was applied since the copy appears as part of this change. Copy the organization again."
	}
	return nil
}

// serve starts a sandbox with the copy.
func (r *rehearsal) serve(ctx context.Context, o sandbox.Options) (*sandbox.Server, error) {
	o.Prices = r.Prices
	o.Copy = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(r.copied)), nil }
	return sandbox.Start(ctx, o)
}

// play applies the configuration to the copy.
func (r *rehearsal) play(ctx context.Context) (*Report, error) {
	variables := r.workspace.variables()
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
	with, first, err := r.planOnCopy(ctx, &tf, variables)
	if err != nil {
		return nil, err
	}
	defer func() { _ = with.Close() }() // it has no state
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

// planOnCopy plans on a copy that has everything that the plan reads: collections that it lacks are copied, and the
// plan is made again.
func (r *rehearsal) planOnCopy(ctx context.Context, tf *terraform, variables map[string]string) (with *sandbox.Server,
	first tfjson.Plan, err error) {
	caFile := filepath.Join(r.workspace.temporary, "rehearsal.ca.pem")
	for {
		r.greetings = newGreetings(r.services, r.getenv, r.Copy == nil)
		r.log.requests, r.log.reads = nil, nil
		with, err = r.serve(ctx, sandbox.Options{CAFile: caFile, OnRequest: r.log.add, Rehearsals: r.greetings})
		if err != nil {
			return nil, first, err
		}
		if variables[hello.Variable], err = r.greetings.tell(r.workspace, with, caFile); err == nil {
			tf.env = environment(r.Environ, variables)
			r.report.Result = ""
			if first, err = r.planned(ctx, *tf); err == nil {
				lacks := r.log.lacks(r.collections)
				if len(lacks) == 0 {
					return with, first, nil
				}
				err = r.copyMore(ctx, lacks)
			}
		}
		if err = errors.Join(err, with.Close()); err != nil {
			return nil, first, err
		}
	}
}

// copyMore copies the organization again, with the collections that it lacks.
func (r *rehearsal) copyMore(ctx context.Context, lacks []string) error {
	switch {
	case slices.Contains(lacks, deliveries):
		return errors.New("the configuration reads deliveries of webhooks, which a copy does not have: it cannot be " +
			"rehearsed with the data source billing_webhook_deliveries")
	case r.Copy != nil:
		names := strings.Join(lacks, ",")
		return fmt.Errorf("the configuration reads %s, which the copy does not have: write it again with --collections %s",
			names, names)
	case slices.ContainsFunc(lacks, func(name string) bool { return slices.Contains(r.reads, name) }):
		return fmt.Errorf("%s cannot be copied, and the configuration reads it", strings.Join(lacks, ", "))
	}
	r.reads = append(r.reads, lacks...)
	var err error
	if r.copied, err = r.fetch(ctx); err != nil {
		return err
	}
	return r.open()
}

// planFile is the name of the first plan, which is whole.
const planFile = "rehearsal.tfplan"

// planned plans, and records the result.
func (r *rehearsal) planned(ctx context.Context, tf terraform) (tfjson.Plan, error) {
	r.progress("terraform plan")
	heard, _ := r.greetings.heard()
	result, err := tf.logged(ctx, append([]string{"plan", "-json", "-input=false", "-out=" + planFile},
		r.arguments.plan...)...)
	if err != nil {
		return tfjson.Plan{}, err
	}
	r.report.Warnings = withoutOwn(result.warnings)
	if len(result.errors) > 0 || result.code == 1 {
		if err := r.refusal(ctx, tf, heard, result.errors); err != nil {
			return tfjson.Plan{}, err
		}
		r.report.Result, r.report.Refused = Refused, result.errors
		return tfjson.Plan{}, nil
	}
	p, err := tf.planOf(ctx, planFile)
	if err != nil {
		return p, err
	}
	r.report.Plan = countsOf(p)
	return p, r.greeted(heard, p.UsesBilling(), "plan")
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
			"or the installed provider is of a version that knows no rehearsals", command, r.Program, hello.Variable)
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
	if _, err := tf.run(ctx, "validate", "-no-color"); err != nil && ctx.Err() == nil {
		if r.initErr != nil {
			if _, err := tf.run(ctx, "providers", "schema", "-json"); err != nil {
				return r.initErr // the providers are not installed
			}
		}
		return nil // an invalid configuration is refused before a provider is configured
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return fmt.Errorf("the plan failed before the provider was configured: %s", first(errs))
}

// applied carries out the plan, and plans once more.
func (r *rehearsal) applied(ctx context.Context, tf terraform, whole tfjson.Plan) error {
	r.report.Result = Applied
	file, err := r.narrow(ctx, tf, whole)
	if err != nil || file == "" {
		return err
	}
	r.progress("terraform apply")
	heard, _ := r.greetings.heard()
	before := r.log.count()
	result, err := tf.logged(ctx, append(append([]string{"apply", "-json", "-input=false", "-auto-approve"},
		r.arguments.apply...), file)...)
	if err != nil {
		return err
	}
	if err := r.greeted(heard, len(whole.Billing()) > 0, "apply"); err != nil {
		return err
	}
	r.sent = r.log.since(before)
	r.report.Sent = sent(r.sent, r.names())
	r.annotate(whole)
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
	if err := r.greeted(heard, second.UsesBilling(), "second plan"); err != nil {
		return err
	}
	r.annotate(whole, second)
	r.report.SecondPlan = slices.DeleteFunc(planned(second), func(c Change) bool {
		return !tfjson.Ours(c.Type) && !r.All || r.partial[c.Address]
	})
	if len(r.report.SecondPlan) > 0 {
		r.report.Result = NotEmpty
	}
	return nil
}

// compare moves both copies on, and notes what differs.
func (r *rehearsal) compare(ctx context.Context, with, without *sandbox.Server, first tfjson.Plan) error {
	r.progress(fmt.Sprintf("move both clocks by %d days", r.Days))
	// What was created outside of the apply are ephemeral keys of a plan.
	foreign, applied := created(r.log.since(0)), created(r.sent)
	maps.DeleteFunc(foreign, func(id string, _ bool) bool { return applied[id] })
	var seen [2]outcome
	for i, server := range []*sandbox.Server{without, with} {
		var err error
		if seen[i], err = moved(ctx, server, r.report.From, r.Days); err != nil {
			return err
		}
		seen[i].without(foreign)
	}
	r.conclude(seen, first)
	return nil
}

// conclude notes what differs between the copy without the apply and the one with it, and what that does not say.
func (r *rehearsal) conclude(seen [2]outcome, first tfjson.Plan) {
	r.report.Differences = compare(seen[0], seen[1], r.report.From, r.report.Until)
	for _, one := range seen {
		varying(r.report.Differences.Events, one.before, r.report.Sent)
	}
	endpoints := endpointOccurrences(seen[0], seen[1], r.report.Sent, r.report.From)
	r.report.Differences.Occurrences = append(endpoints, r.report.Differences.Occurrences...)
	if len(endpoints) > 0 {
		r.notes = append(r.notes, "How many events of billing the webhook endpoints get: a copy has only those of API keys.")
	}
	r.report.Assumed = assumed(seen[0], seen[1], r.report.From, openCycles(first, r.report.Sent),
		r.report.Differences.Subscriptions)
	r.report.NotKnown = append(append(unknownStatuses(r.objects), notKnown(r.report, first)...), r.notes...)
	r.report.NotKnown = append(r.report.NotKnown, r.references()...)
	if len(r.report.Sent) > 0 {
		r.report.NotKnown = append(r.report.NotKnown,
			"Whether the token of the real apply may do this: scopes are not rehearsed.")
	}
	if slices.ContainsFunc(r.notCopied, func(left orgcopy.LeftOut) bool { return left.All(evidence.Subscription, "") }) {
		r.report.Differences.Months = nil
		r.report.NotKnown = append(r.report.NotKnown, "What the organization bills: the copy has no subscriptions.")
	}
	r.report.LeftOut = append(r.report.LeftOut, r.leftOut...)
	for _, name := range r.workspace.notLinked {
		r.report.LeftOut = append(r.report.LeftOut, "Not in the temporary folder: "+name+".")
	}
	for _, left := range r.notCopied {
		r.report.LeftOut = append(r.report.LeftOut, "Not in the copy: "+left.String()+".")
	}
}

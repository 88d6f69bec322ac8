package rehearsal

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	tf "github.com/hashicorp/terraform-json"

	"github.com/recurring-billing/terraform-provider-billing/internal/copier"
	"github.com/recurring-billing/terraform-provider-billing/internal/evidence"
	"github.com/recurring-billing/terraform-provider-billing/internal/orgcopy"
	"github.com/recurring-billing/terraform-provider-billing/internal/rehearsal/internal/plain"
	"github.com/recurring-billing/terraform-provider-billing/internal/rehearsal/internal/render"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/amounts"
)

// Options configure a rehearsal.
type Options struct {
	Plan []byte // a saved plan, or its JSON
	File string // the name of the saved plan; empty: it is not in a file
	// Folder is where the program can read the plan: its providers are installed there.
	Folder  string
	Program string // terraform, or a compatible program
	// Provider is the rehearsed configuration of the provider, such as billing.other; empty: the default one.
	Provider string
	Source   string // address of the provider, if it does not end in that of this one
	Version  string // of the provider in this program; empty: it is not a release
	Days     int    // how far the clock is moved
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

// Run rehearses a plan. An error says that it could not be rehearsed.
func Run(ctx context.Context, o Options) (report *Report, err error) {
	r := &rehearsal{Options: o}
	if r.folder, err = reserve(o.Temporary); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, r.folder.remove()) }() // an interrupt gets here too
	if r.given, err = r.readPlan(ctx); err != nil {
		return nil, err
	}
	r.report.Plan, r.report.secrets = r.given.counts(), r.given.secrets()
	if r.report.NotRehearsed = r.given.others; len(r.given.changes) == 0 {
		r.report.Result = Nothing
		return &r.report, nil
	}
	if err := r.read(ctx); err != nil {
		return nil, err
	}
	return r.play(ctx)
}

// rehearsal is one under way.
type rehearsal struct {
	Options
	folder       *folder
	given        *given
	copied       []byte
	organization string // id
	objects      []orgcopy.Object
	notCopied    []orgcopy.LeftOut
	log          requestLog
	sent         []sandbox.Request // by the apply
	report       Report
	leftOut      []string // sentences for the report
	notes        []string // of what is not known
}

func (r *rehearsal) progress(text string) {
	if r.Progress != nil {
		r.Progress(text)
	}
}

// read reads the organization.
func (r *rehearsal) read(ctx context.Context) (err error) {
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

// fetch copies the organization into memory, with the collections of the records that the plan changes.
func (r *rehearsal) fetch(ctx context.Context) ([]byte, error) {
	source, err := copier.FromEnvironment(r.getenv, r.progress, r.Operations)
	if err != nil {
		return nil, err
	}
	r.progress("copy the organization with GET requests only")
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

// collections returns the collections of financial management with records that the plan changes.
func (r *rehearsal) collections() (names []string) {
	for _, c := range r.given.changes {
		for _, of := range []fields{c.before, c.after} {
			if name := plain.Text(of["collection"]); name != "" && evidence.KindOf(c.Type).Name == evidence.Record {
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
	r.notCopied = reader.LeftOut
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

// belongs rejects the plan of another organization, and a copy that leaves out objects of the plan: they would be
// created again.
func (r *rehearsal) belongs() error {
	newest := r.report.From
	for _, c := range r.given.changes {
		for _, left := range r.notCopied {
			if left.All(evidence.KindOf(c.Type).Name, plain.Text(c.before["collection"])) {
				return fmt.Errorf("the plan changes objects of the type %s, and the copy leaves out %s: use a token that may read "+
					"them", c.Type, left)
			}
		}
		if at := plain.Time(c.before["updated_at"]); at.After(newest) {
			newest = at
		}
	}
	for _, row := range r.given.state {
		for _, instance := range row.Instances {
			if id := organizationOf(instance); id != "" && strings.Contains(row.Provider, r.given.source) &&
				!strings.EqualFold(id, r.organization) {
				return fmt.Errorf("the plan is of organization %s, and the copy is of %s (%s): check BILLING_BASE_URL and "+
					"BILLING_TOKEN", id, r.organization, r.report.Organization)
			}
		}
	}
	if newest.Sub(r.report.From) >= time.Second {
		r.report.Stale = "The plan is newer than the copy (" + newest.UTC().Format(time.RFC3339) +
			"): what was applied since the copy appears as part of this change. Copy the organization again."
	}
	return nil
}

// organizationOf returns the id of the organization that the provider has noted for an object; "" for none.
func organizationOf(instance map[string]json.RawMessage) (id string) {
	var private []byte
	var notes map[string][]byte
	if json.Unmarshal(instance["private"], &private) == nil && json.Unmarshal(private, &notes) == nil {
		_ = json.Unmarshal(notes["organization"], &id) // without a note there is none
	}
	return id
}

// start starts a sandbox with the copy.
func (r *rehearsal) start(ctx context.Context, o sandbox.Options) (*sandbox.Server, error) {
	o.Prices = r.Prices
	o.Copy = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(r.copied)), nil }
	return sandbox.Start(ctx, o)
}

// play carries out the changes of the plan on the copy.
func (r *rehearsal) play(ctx context.Context) (*Report, error) {
	w := newWriter(r.given)
	if err := w.put(r.folder, r.Provider); err != nil {
		return nil, err
	}
	r.note(w)
	with, err := r.start(ctx, sandbox.Options{CAFile: r.folder.path("with.ca.pem"), OnRequest: r.log.add})
	if err != nil {
		return nil, err
	}
	defer func() { _ = with.Close() }() // it has no state
	if err := r.carryOut(ctx, with); err != nil {
		return nil, err
	}
	without, err := r.start(ctx, sandbox.Options{CAFile: r.folder.path("without.ca.pem")})
	if err != nil {
		return nil, err
	}
	defer func() { _ = without.Close() }()
	return &r.report, r.compare(ctx, with, without)
}

// note notes what is not carried out, and what stands for unknown values.
func (r *rehearsal) note(w *writer) {
	r.leftOut = append(r.leftOut, w.left...)
	if made := r.given.lockedVersion(); made != "" && r.Version != "" && made != r.Version {
		r.leftOut = append(r.leftOut, fmt.Sprintf("The plan was made with version %s of the provider, and rehearsed with %s.",
			made, r.Version))
	}
	if r.given.Complete == nil && r.given.sources == nil {
		r.leftOut = append(r.leftOut, "Not in this JSON: whether the plan was made with -target.")
	}
	for _, c := range r.given.notRehearsed() {
		r.leftOut = append(r.leftOut, "Not rehearsed: "+c.Address+", because "+c.why+".")
		r.report.NotRehearsed++
	}
	if r.given.others > 0 {
		r.leftOut = append(r.leftOut, fmt.Sprintf("Not rehearsed: %s of other configurations of the provider. Choose one "+
			"with --provider.", render.Counted(r.given.others, "change")))
	}
	for _, place := range slices.Sorted(maps.Values(w.places)) {
		r.leftOut = append(r.leftOut, "Known only after apply: "+place+".")
	}
	r.report.unknown = slices.Collect(maps.Keys(w.places))
	for _, action := range r.given.raw.Actions {
		if action.Type == "billing_subscription_invoice" {
			r.notes = append(r.notes, "The invoice that "+action.Address+" creates.")
		} else if plain.Ours(action.Type) {
			r.leftOut = append(r.leftOut, "Not invoked: "+action.Address+".")
		}
	}
	if r.given.sources == nil {
		r.leftOut = append(r.leftOut, "Not in the JSON of a plan: which keys of custom_metadata are owned, how the service "+
			"words what was sent, and the organization.")
	}
	if len(r.given.Checks) > 0 {
		r.leftOut = append(r.leftOut, "Not checked: check blocks, preconditions and postconditions.")
	}
}

// carryOut plans, applies, and plans once more, with the provider in this process.
func (r *rehearsal) carryOut(ctx context.Context, copied *sandbox.Server) error {
	env := copied.Env()
	getenv := func(name string) string { return env[name] }
	provider, err := serve(ctx, r.given.source, getenv)
	if err != nil {
		return err
	}
	defer provider.stop()
	if err := r.folder.write("cli.tfrc", fields{}); err != nil {
		return err
	}
	t := terraform{r.Program, r.folder.temporary, append(without(r.Environ, "TF_", "BILLING_"), "TF_IN_AUTOMATION=1",
		"TF_INPUT=0", "CHECKPOINT_DISABLE=1", "TF_REATTACH_PROVIDERS="+provider.reattach,
		"TF_CLI_CONFIG_FILE="+r.folder.path("cli.tfrc"))}
	r.progress("plan on the copy")
	first, ok, err := r.plan(ctx, t, "first.tfplan", r.asked()...)
	if err != nil || !ok {
		return err
	}
	r.report.Differs = r.differs(first)
	if ok, err := r.apply(ctx, t, first); err != nil || !ok {
		return err
	}
	r.progress("plan on the copy, again")
	second, ok, err := r.plan(ctx, t, "second.tfplan")
	if err != nil || !ok {
		return err
	}
	r.annotate(first, second)
	r.report.SecondPlan = planned(second)
	for i, c := range r.report.SecondPlan {
		r.report.SecondPlan[i].Address = r.addressIn(c.Address)
	}
	switch r.report.Result = Applied; {
	case len(r.report.SecondPlan) > 0:
		r.report.Result = NotEmpty
	case len(r.report.Differs) > 0:
		r.report.Result = Other
	}
	return nil
}

// asked are the flags for the replacements that were asked for. A taint is another thing: the plans of other objects do
// not know of it.
func (r *rehearsal) asked() (flags []string) {
	for _, c := range r.given.changes {
		if c.why == "" && (c.ActionReason == tf.ActionReasonReplaceByRequest ||
			c.ActionReason == tf.ActionReasonReplaceByTriggers) {
			flags = append(flags, "-replace="+c.inFolder())
		}
	}
	return flags
}

// apply applies the first plan; ok is false for an apply that fails, which is the result.
func (r *rehearsal) apply(ctx context.Context, t terraform, first *tf.Plan) (ok bool, err error) {
	r.progress("apply on the copy")
	before := r.log.count()
	result, err := t.logged(ctx, "apply", "-json", "-input=false", "-auto-approve", r.folder.path("first.tfplan"))
	if err != nil {
		return false, err
	}
	r.sent = r.log.since(before)
	r.report.Sent = sent(r.sent, r.names(), r.labels())
	r.annotate(first)
	r.report.Warnings = append(r.report.Warnings, r.renamed(result.warnings)...)
	if len(result.errors) > 0 || result.code != 0 {
		r.report.Result, r.report.Refused = Refused, r.renamed(result.errors)
		return false, nil
	}
	return true, nil
}

// plan plans in the folder; ok is false for a plan that fails, which is the result.
func (r *rehearsal) plan(ctx context.Context, t terraform, file string, flags ...string) (p *tf.Plan, ok bool,
	err error) {
	arguments := append([]string{"plan", "-json", "-input=false", "-out=" + r.folder.path(file)}, flags...)
	result, err := t.logged(ctx, arguments...)
	if err != nil {
		return nil, false, err
	}
	for _, warning := range r.renamed(result.warnings) {
		if !slices.Contains(r.report.Warnings, warning) {
			r.report.Warnings = append(r.report.Warnings, warning)
		}
	}
	if len(result.errors) > 0 || result.code == 1 {
		r.report.Result, r.report.Refused = Refused, r.renamed(result.errors)
		return nil, false, nil
	}
	p, err = t.planOf(ctx, r.folder.path(file))
	return p, err == nil, err
}

// differs are the changes of the plan on the copy that the given plan does not have, or has otherwise.
func (r *rehearsal) differs(first *tf.Plan) (all []string) {
	key := func(address, deposed string) string { return address + " " + deposed }
	now := map[string]string{}
	for _, c := range first.ResourceChanges {
		now[key(c.Address, c.DeposedKey)] = plain.Action(c.Change.Actions)
	}
	for _, c := range r.given.changes {
		if c.why != "" || slices.Contains(c.Change.Actions, tf.ActionForget) && !c.exists() {
			continue
		}
		does, planned := strings.TrimPrefix(now[key(c.inFolder(), c.DeposedKey)], "forget "), c.does()
		planned = strings.TrimSuffix(strings.TrimPrefix(planned, "forget "), " forget")
		if does != planned {
			all = append(all, fmt.Sprintf("%s: the plan has %q, and on the copy it is %q.", c.Address, orNothing(planned),
				orNothing(does)))
		}
	}
	return all
}

func orNothing(does string) string {
	if does == "" {
		return "no change"
	}
	return does
}

// addresses are those of the subscriptions that the apply has created, by id.
func (r *rehearsal) addresses() map[string]string {
	all := map[string]string{}
	for _, s := range r.report.Sent {
		all[s.ID] = s.Address
	}
	return all
}

// addressIn is the address of the given plan for one of the folder.
func (r *rehearsal) addressIn(address string) string {
	key := keyOf(indices.FindString(address))
	if c := r.given.byKey[plain.Text(key)]; c != nil && c.inFolder() == address {
		return c.Address
	}
	return address
}

// renamed replaces the addresses of the folder in messages.
func (r *rehearsal) renamed(all []Diagnostic) []Diagnostic {
	var pairs []string
	for _, c := range r.given.changes {
		pairs = append(pairs, c.inFolder(), c.Address)
	}
	names := strings.NewReplacer(pairs...)
	for i, d := range all {
		all[i] = Diagnostic{Address: r.addressIn(d.Address), Summary: names.Replace(d.Summary),
			Detail: names.Replace(d.Detail)}
	}
	return all
}

// compare moves both copies on, and notes what differs.
func (r *rehearsal) compare(ctx context.Context, with, without *sandbox.Server) error {
	r.progress(fmt.Sprintf("move both clocks by %d days", r.Days))
	var seen [2]outcome
	for i, server := range []*sandbox.Server{without, with} {
		var err error
		if seen[i], err = moved(ctx, server, r.report.From, r.Days); err != nil {
			return err
		}
	}
	r.conclude(seen)
	return nil
}

// conclude notes what differs between the copy without the apply and the one with it, and what that does not say.
func (r *rehearsal) conclude(seen [2]outcome) {
	r.report.Differences = compare(seen[0], seen[1], r.report.From, r.report.Until)
	r.report.Rows = rowsOfChange(seen[0], seen[1], r.addresses())
	r.report.Later = laterOnes(seen[0], seen[1], r.report.Until)
	endpoints := endpointOccurrences(seen[0], seen[1], r.report.Sent, r.report.From)
	r.report.Differences.Occurrences = append(endpoints, r.report.Differences.Occurrences...)
	if len(endpoints) > 0 {
		r.notes = append(r.notes, "How many events of billing the webhook endpoints get: a copy has only those of API keys.")
	}
	r.report.Assumed = assumed(seen[0], seen[1], r.report.From, openCycles(r.given.changes, r.report.Sent),
		r.report.Differences.Subscriptions)
	slices.SortStableFunc(r.report.Warnings, func(a, b Diagnostic) int {
		return cmp.Or(cmp.Compare(a.Address, b.Address), cmp.Compare(a.Summary, b.Summary))
	})
	r.report.NotKnown = append(append(unknownStatuses(r.objects), notKnown(r.report, r.given.changes)...), r.notes...)
	r.report.NotKnown = append(r.report.NotKnown, r.references()...)
	others := unknownIn(seen[:], r.report.Differences.Subscriptions)
	if len(others) > 0 && r.report.Differences.Months != nil {
		r.report.NotKnown = append(r.report.NotKnown, "In the sums, without a difference: "+firstOf(others)+".")
	}
	if odd := seen[0].irregular(); len(odd) > 0 && r.report.Differences.Months != nil {
		var names []string
		for _, id := range odd {
			names = append(names, cmp.Or(labelOf(seen[0].before[evidence.Subscription][id]), id))
		}
		r.report.NotKnown = append(r.report.NotKnown, "Further invoices of "+firstOf(names)+
			", as in the past: more than one a period.")
	}
	if len(r.report.Sent) > 0 {
		r.report.NotKnown = append(r.report.NotKnown,
			"Whether the token of the real apply may do this: scopes are not rehearsed.")
	}
	if slices.ContainsFunc(r.notCopied, func(left orgcopy.LeftOut) bool { return left.All(evidence.Subscription, "") }) {
		r.report.Differences.Months = nil
		r.report.NotKnown = append(r.report.NotKnown, "What the organization bills: the copy has no subscriptions.")
	}
	r.report.LeftOut = append(r.report.LeftOut, r.leftOut...)
	for _, left := range r.notCopied {
		r.report.LeftOut = append(r.report.LeftOut, "Not in the copy: "+left.String()+".")
	}
}

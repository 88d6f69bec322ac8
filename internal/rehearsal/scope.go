package rehearsal

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/recurring-billing/terraform-provider-billing/internal/rehearsal/internal/render"
	"github.com/recurring-billing/terraform-provider-billing/internal/rehearsal/internal/tfjson"
)

// stateAlone are the providers whose resources exist only in the state, by the end of their address. The second value
// is a note for the report.
var stateAlone = map[string]string{
	"terraform.io/builtin/terraform": "", "/hashicorp/null": "",
	"/hashicorp/random": "the real apply draws other values", "/hashicorp/tls": "the real apply creates other keys",
	"/hashicorp/time": "the real apply has other times, and waits anew",
}

// isChange reports whether a change creates, changes or destroys an object.
func isChange(c tfjson.ResourceChange) bool {
	return c.Action() != "" && !slices.Equal(c.Change.Actions, []string{"forget"})
}

// Counts are the changes of a plan as Terraform counts them. A replacement is one to add and one to destroy.
type Counts struct {
	Add     int `json:"add"`
	Change  int `json:"change"`
	Destroy int `json:"destroy"`
	Import  int `json:"import"`
	Forget  int `json:"forget"`
	Billing int `json:"billing"` // resources of this provider among them
}

func countsOf(p tfjson.Plan) (n Counts) {
	for _, c := range p.ResourceChanges {
		if c.Mode != tfjson.Managed {
			continue
		}
		if c.Change.Importing != nil {
			n.Import++
		}
		for _, does := range c.Change.Actions {
			switch does {
			case "create":
				n.Add++
			case "update":
				n.Change++
			case "delete":
				n.Destroy++
			case "forget":
				n.Forget++
			}
		}
		if tfjson.Ours(c.Type) && (c.Action() != "" || c.Change.Importing != nil) {
			n.Billing++
		}
	}
	return n
}

// String is the counts in Terraform's words.
func (n Counts) String() string {
	text := fmt.Sprintf("%d to add, %d to change, %d to destroy", n.Add, n.Change, n.Destroy)
	if n.Import > 0 {
		text = fmt.Sprintf("%d to import, ", n.Import) + text
	}
	if n.Forget > 0 {
		text += fmt.Sprintf(", %d to forget", n.Forget)
	}
	if all := n.Add + n.Change + n.Destroy + n.Forget + n.Import; n.Billing > 0 && n.Billing < all {
		text += fmt.Sprintf("; %d of billing", n.Billing)
	}
	return text
}

// configurationOf returns the address of the resource block of an instance: without keys.
func configurationOf(address string) string {
	var out strings.Builder
	inKey, quoted := false, false
	for i := 0; i < len(address); i++ {
		c := address[i]
		switch {
		case quoted && c == '\\':
			i++
		case c == '"' && inKey:
			quoted = !quoted
		case c == '[' && !inKey:
			inKey = true
		case c == ']' && inKey && !quoted:
			inKey = false
		case !inKey:
			out.WriteByte(c)
		}
	}
	return out.String()
}

// runsProvisioner reports whether a change runs the provisioners of its block: an update runs none.
func runsProvisioner(c tfjson.ResourceChange, provisioned map[string]bool) bool {
	runs := slices.Contains(c.Change.Actions, "create") || slices.Contains(c.Change.Actions, "delete")
	return runs && provisioned[configurationOf(c.Address)]
}

// barred are the changes of a plan that a rehearsal must not carry out: those of other providers, unless they stay in
// the state or are allowed, and those that run provisioners. billing are those of this provider among them.
func (r *rehearsal) barred(p tfjson.Plan) (others, billing []tfjson.ResourceChange) {
	if r.All {
		return nil, nil
	}
	provisioned := p.Configuration.RootModule.Provisioned("")
	for _, c := range p.ResourceChanges {
		runs := runsProvisioner(c, provisioned)
		switch {
		case c.Mode != tfjson.Managed || !isChange(c):
		case tfjson.Ours(c.Type) && runs:
			billing = append(billing, c)
		case tfjson.Ours(c.Type):
		case runs, !inStateAlone(c) && !slices.Contains(r.Allow, c.Type):
			others = append(others, c)
		}
	}
	return others, billing
}

// inStateAlone reports whether an object exists only in the state.
func inStateAlone(c tfjson.ResourceChange) bool {
	for provider := range stateAlone {
		if c.Provider == provider || strings.HasPrefix(provider, "/") && strings.HasSuffix(c.Provider, provider) {
			return true
		}
	}
	return false
}

// addresses are those of changes, for a message.
func addresses(changes []tfjson.ResourceChange) string {
	var all []string
	for _, c := range changes {
		all = append(all, c.Address)
	}
	slices.Sort(all)
	all = slices.Compact(all)
	return render.Some(all)
}

// narrow returns the file with the part of the whole plan that a rehearsal carries out: all of it, or the billing
// changes only with what they depend on. A change that must not be carried out, and on which a billing change depends,
// is an error, or with Partial leaves that billing change out.
func (r *rehearsal) narrow(ctx context.Context, tf terraform, whole tfjson.Plan) (file string, err error) {
	if err := r.onlyPlanned(whole); err != nil {
		return "", err
	}
	others, billing := r.barred(whole)
	r.noteAllowed(whole, others)
	if len(others)+len(billing) == 0 {
		return planFile, nil
	}
	r.leftOut = append(r.leftOut, "Not carried out: "+addresses(append(others, billing...))+".")
	if len(billing) > 0 && !r.Partial {
		return "", fmt.Errorf("%s %s a provisioner, which would run outside of the copy: use --all to run it, or "+
			"--partial to leave out these changes", addresses(billing), has(billing))
	}
	left := map[string]bool{}
	for _, c := range billing {
		left[c.Address] = true
	}
	var wanted []tfjson.ResourceChange
	for _, c := range whole.Billing() {
		if !left[c.Address] {
			wanted = append(wanted, c)
		}
	}
	found, barred, err := r.target(ctx, tf, whole, wanted)
	if err != nil {
		return "", err
	}
	if len(barred) > 0 && !r.Partial {
		return "", fmt.Errorf("billing changes depend on changes that would be carried out for real: %s. Allow them with "+
			"--allow TYPE or --all, or leave out the billing changes that depend on them with --partial", addresses(barred))
	}
	if len(barred) > 0 {
		if found, err = r.independent(ctx, tf, whole, wanted); err != nil {
			return "", err
		}
	}
	if file = targetedFile; len(found) == 0 {
		file = ""
	}
	return file, r.without(whole, found)
}

func has(changes []tfjson.ResourceChange) string {
	if len(changes) == 1 {
		return "has"
	}
	return "have"
}

// onlyPlanned rejects what a plan carries out and does not show as a change of a resource.
func (r *rehearsal) onlyPlanned(whole tfjson.Plan) error {
	if r.All {
		return nil
	}
	var actions []tfjson.ResourceChange
	for _, one := range whole.Actions {
		if !tfjson.Ours(one.Type) {
			actions = append(actions, one)
		}
	}
	if len(actions) > 0 {
		return fmt.Errorf("the plan invokes actions of other providers, which would run for real: %s. Use --all to run them",
			addresses(actions))
	}
	places, err := r.workspace.removedProvisioners()
	if err != nil {
		return err
	}
	if len(places) > 0 {
		return fmt.Errorf("a removed block has a provisioner, which would run outside of the copy (%s): use --all to run it",
			strings.Join(places, "; "))
	}
	return nil
}

// noteAllowed says in the report which changes of other providers are carried out.
func (r *rehearsal) noteAllowed(whole tfjson.Plan, barred []tfjson.ResourceChange) {
	out := map[string]bool{}
	for _, c := range barred {
		out[c.Address] = true
	}
	for _, c := range whole.ResourceChanges {
		if c.Mode != tfjson.Managed || tfjson.Ours(c.Type) || !isChange(c) || out[c.Address] || r.All {
			continue
		}
		for provider, note := range stateAlone {
			if note != "" && strings.HasSuffix(c.Provider, provider) {
				r.notes = append(r.notes, c.Address+": "+note+".")
			}
		}
	}
}

// targetedFile is the name of the plan that is carried out where it is not the whole one.
const targetedFile = "targeted.tfplan"

// target plans only the wanted changes, and returns the billing changes that the plan has, and what must not be
// carried out in it.
func (r *rehearsal) target(ctx context.Context, tf terraform, whole tfjson.Plan, wanted []tfjson.ResourceChange) (
	found map[string]string, barred []tfjson.ResourceChange, err error) {
	found = map[string]string{}
	if len(wanted) == 0 {
		return found, nil, nil
	}
	command := append([]string{"plan", "-json", "-input=false", "-out=" + targetedFile}, r.arguments.plan...)
	result, err := tf.logged(ctx, append(command, targets(whole, wanted)...)...)
	if err != nil {
		return nil, nil, err
	}
	if len(result.errors) > 0 || result.code == 1 {
		return nil, nil, fmt.Errorf("the plan of only the billing changes failed: %s", first(result.errors))
	}
	p, err := tf.planOf(ctx, targetedFile)
	if err != nil {
		return nil, nil, err
	}
	others, billing := r.barred(p)
	for _, c := range p.Billing() {
		found[c.Address] = c.Action()
	}
	return found, append(others, billing...), nil
}

// independent returns the largest part of the wanted changes that depends on nothing that must not be carried out, and
// plans it. It halves the changes until a half depends on nothing such.
func (r *rehearsal) independent(ctx context.Context, tf terraform, whole tfjson.Plan, wanted []tfjson.ResourceChange) (
	map[string]string, error) {
	var free []tfjson.ResourceChange
	var search func(some []tfjson.ResourceChange) error
	search = func(some []tfjson.ResourceChange) error {
		if len(some) == 0 {
			return nil
		}
		_, barred, err := r.target(ctx, tf, whole, some)
		switch {
		case err != nil:
			return err
		case len(barred) == 0:
			free = append(free, some...)
			return nil
		case len(some) == 1:
			return nil
		}
		if err := search(some[:len(some)/2]); err != nil {
			return err
		}
		return search(some[len(some)/2:])
	}
	if err := search(wanted); err != nil {
		return nil, err
	}
	found, barred, err := r.target(ctx, tf, whole, free)
	if err == nil && len(barred) > 0 {
		err = fmt.Errorf("the plan of only the billing changes would carry out %s for real", addresses(barred))
	}
	return found, err
}

// without notes the billing changes of the whole plan that are not in the targeted one. Without Partial there must be
// none: a rehearsal leaves nothing out silently.
func (r *rehearsal) without(whole tfjson.Plan, found map[string]string) error {
	var missing []tfjson.ResourceChange
	for _, c := range whole.Billing() {
		if does, ok := found[c.Address]; !ok || does != c.Action() {
			missing = append(missing, c)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	if !r.Partial {
		return fmt.Errorf("the plan of only the billing changes lacks some of the whole plan: %s. Use --all, or "+
			"--partial to leave them out", addresses(missing))
	}
	for _, c := range missing {
		r.partial[c.Address] = true
	}
	r.report.NotRehearsed = len(r.partial)
	r.leftOut = append(r.leftOut, "Billing changes that are not rehearsed: "+addresses(missing)+".")
	return nil
}

// manyTargets is from how many addresses on whole resources are targeted. Windows limits the length of a command line.
const manyTargets = 500

// targets returns the flags for exactly these changes. Terraform wants everything that moves to be among them.
func targets(whole tfjson.Plan, wanted []tfjson.ResourceChange) (flags []string) {
	want := map[string]bool{}
	for _, c := range wanted {
		want[c.Address] = true
	}
	for _, c := range whole.ResourceChanges {
		if c.PreviousAddress != "" {
			want[c.Address], want[c.PreviousAddress] = true, true
		}
	}
	if len(want) > manyTargets {
		want = wholeResources(whole, want)
	}
	for address := range want {
		flags = append(flags, "-target="+address)
	}
	slices.Sort(flags)
	return flags
}

// wholeResources replaces instances with their resource where all of its instances are wanted.
func wholeResources(whole tfjson.Plan, want map[string]bool) map[string]bool {
	resourceOf := func(address string) string {
		key := "["
		if strings.HasSuffix(address, `"]`) {
			key = `["` // a bracket inside of the key is followed by an escaped quotation mark
		}
		if i := strings.LastIndex(address, key); i > 0 && strings.HasSuffix(address, "]") {
			return address[:i]
		}
		return address
	}
	unwanted := map[string]bool{}
	for _, c := range whole.ResourceChanges {
		if !want[c.Address] {
			unwanted[resourceOf(c.Address)] = true
		}
	}
	fewer := map[string]bool{}
	for address := range want {
		if of := resourceOf(address); !unwanted[of] {
			address = of
		}
		fewer[address] = true
	}
	return fewer
}

func first(errors []Diagnostic) string {
	if len(errors) == 0 {
		return "Terraform gives no reason"
	}
	return strings.Join(strings.Fields(errors[0].Summary+": "+errors[0].Detail), " ")
}

package object

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/recurring-billing/terraform-provider-billing/internal/api/same"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/apidiag"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/check"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/conn"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/private"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/run"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/value"
)

// Plan is a plan of one object in progress. M is the model of its resource.
type Plan[M any] struct {
	// Config, State and Planned are the configuration, the state, and the plan so far. State is zero when an object is
	// created; the other two are zero when it is removed.
	Config, State, Planned M
	// Private is the private state, with the data stored by the refresh and the data that the plan passes to its apply.
	Private private.State
	// Run records what this run has refreshed and planned; nil while the provider is not configured.
	Run *run.Run
	// Replaces reports that the creation replaces an existing object, see Run.PlanCreate.
	Replaces bool
	// Applying reports that this is the second plan, inside the apply, see Run.Applying.
	Applying bool
	Diags    *diag.Diagnostics
	// AfterAbandon describes what continues at the service after the object is abandoned; optional, instead of
	// Policy.AfterAbandon.
	AfterAbandon string
	// Ended reports that the object has ended, so that another one can have its external_id.
	Ended bool

	typeName, id string
	invalid      bool // an argument is invalid: the plan only collects further errors
	req          resource.ModifyPlanRequest
	resp         *resource.ModifyPlanResponse
}

// Plan checks the arguments (see check.Plan), reads the request, calls destroy (optional), create or update, and writes
// the result. It reports all errors of the object: those of its arguments come first, and after one there are no
// warnings about a plan that cannot be applied.
func (r *Resource[S, T, M]) Plan(ctx context.Context, req resource.ModifyPlanRequest,
	resp *resource.ModifyPlanResponse, destroy, create, update func(context.Context, *Plan[M])) {
	checked := check.Plan(ctx, req.Config, req.State)
	applying := r.plan(ctx, req, resp, checked.HasError(), destroy, create, update)
	resp.Diagnostics = append(checked, resp.Diagnostics...)
	if checked.HasError() || applying {
		// Terraform shows the warnings of both plans of an apply, and the first one has reported them.
		resp.Diagnostics = resp.Diagnostics.Errors()
	}
}

// plan is Plan without the checks; applying is true for the second plan, inside the apply.
func (r *Resource[S, T, M]) plan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse,
	invalid bool, destroy, create, update func(context.Context, *Plan[M])) (applying bool) {
	if r.Conn != nil && !r.Scheme.Service(r.Conn).Planned(r.Scheme.TypeName, &resp.Diagnostics) {
		return false
	}
	p := &Plan[M]{Private: resp.Private, Run: r.Run(), Diags: &resp.Diagnostics, typeName: r.Scheme.TypeName,
		invalid: invalid, req: req, resp: resp}
	if !req.State.Raw.IsNull() {
		p.Diags.Append(value.Get(ctx, req.State, &p.State)...)
		p.id = r.Scheme.name(p.State)
	}
	if req.Plan.Raw.IsNull() {
		private.Remove(ctx, p.Private, keyRequirements, p.Diags) // of a replacement whose deletion failed
		of := policyOf(p.State)
		p.Run.PlanDestroy(p.typeName, p.id)
		if !of.Abandons() && r.foreignUnseen(ctx, p, p.id, of.Object) {
			return false
		}
		of.check("destroy", "", p.Diags)
		if destroy != nil {
			destroy(ctx, p)
		}
		p.warnAbandoned()
		return false
	}
	p.Diags.Append(value.Get(ctx, req.Config, &p.Config)...)
	p.Diags.Append(value.Get(ctx, req.Plan, &p.Planned)...)
	if p.Diags.HasError() {
		return false
	}
	if req.State.Raw.IsNull() {
		if r.foreignUnseen(ctx, p, run.Replaced(ctx, p.Private, p.Diags), policyOf(p.Planned).Object) {
			return false
		}
		p.Replaces = p.Run.PlanCreate(ctx, p.typeName, p.Private, p.Diags)
		p.replacing(ctx)
		p.Applying = p.InApply()
		create(ctx, p)
		r.planRequirements(ctx, p)
	} else {
		if r.bound() && r.Conn.Foreign() && !p.InApply() { // the refresh has reported it, and shows nothing of the object
			return false
		}
		r.keepCreated(p) // before the wording, which an unknown value does not have
		private.Get[wording](ctx, p.Private, keyWording, p.Diags).satisfied(textsOf(p.typeName, req.Plan.Schema),
			&p.State, p.Planned)
		p.notePrevented(ctx, policyOf(p.State))
		p.Applying = p.Run.Applying(p.typeName, p.id, p.deferralAllowed())
		update(ctx, p)
		r.warnCreated(ctx, p)
		r.planOwn(ctx, p)
	}
	p.Diags.Append(value.Set(ctx, &resp.Plan, p.Planned)...)
	r.claimExternalID(ctx, p)
	return p.Applying
}

// claimExternalID reports another object of the plan with the same external_id: the service would reject one of the two
// in the apply. It accepts what the service has accepted, two objects that both have it already.
func (r *Resource[S, T, M]) claimExternalID(ctx context.Context, p *Plan[M]) {
	if r.Scheme.Key != keyExternalID || p.Ended || len(p.resp.RequiresReplace) > 0 || p.InApply() {
		return
	}
	var had, has types.String
	p.Diags.Append(p.resp.Plan.GetAttribute(ctx, path.Root(keyExternalID), &has)...)
	if !p.req.State.Raw.IsNull() {
		p.Diags.Append(p.req.State.GetAttribute(ctx, path.Root(keyExternalID), &had)...)
	}
	if has.ValueString() == "" {
		return
	}
	own := run.Claim{ID: p.id, Name: policyOf(p.Planned).Object, Takes: !has.Equal(had),
		Replaces: run.Replaced(ctx, p.Private, p.Diags)}
	for _, other := range p.Run.Claim(p.typeName, has.ValueString(), own) {
		if !own.Takes && !other.Takes || other.ID != "" && (other.ID == own.ID || other.ID == own.Replaces) {
			continue
		}
		which := other.Name
		if other.ID == "" {
			which = "a new " + other.Name
		}
		p.Diags.AddAttributeError(path.Root(keyExternalID), fmt.Sprintf("Two %ss have the external_id %s", r.Scheme.Noun,
			check.Quoted(has.ValueString())), fmt.Sprintf("The service accepts an external_id only once, so it would reject "+
			"one of the two in the apply. The other one is %s. Change the external_id of one of them, or remove one of the "+
			"two resources. With count or for_each, derive it from count.index or each.key.", which))
		return
	}
}

// foreignUnseen reports, when an object is removed or replaced without a refresh in this run, that it belongs to
// another organization than the token.
func (r *Resource[S, T, M]) foreignUnseen(ctx context.Context, p *Plan[M], id, object string) bool {
	if id == "" || r.Run().WasRefreshed(r.Scheme.TypeName, id) {
		return false
	}
	_, foreign := r.foreign(ctx, p.Private, object, conn.DoubtPasses, p.Diags)
	return foreign
}

// InApply reports whether this is the second plan of a creation. Terraform runs it inside the apply.
func (p *Plan[M]) InApply() bool { return p.deferralAllowed() || p.Run.Applied() }

// deferralAllowed distinguishes the plan inside an apply from the one that was shown, see Run.Applying.
func (p *Plan[M]) deferralAllowed() bool { return p.req.ClientCapabilities.DeferralAllowed }

// keyPrevented is the key under which the plan of an object with deletion_policy = "prevent" stores that fact. If
// Terraform replaces the object, the plan of the new one has no state and reads it there.
const keyPrevented = "prevented"

type prevented struct{ Object, Own string }

func (p *Plan[M]) notePrevented(ctx context.Context, of Policy) {
	var now prevented
	if of.Value.ValueString() == policyPrevent {
		now = prevented{of.Object, of.Own}
	}
	if now != private.Get[prevented](ctx, p.Private, keyPrevented, p.Diags) {
		private.Set(ctx, p.Private, keyPrevented, now, p.Diags)
	}
}

// replacing enforces the deletion_policy of the old object in the plan of the new one, whatever causes the replacement.
// It reports only errors: Terraform drops the warnings of that plan.
func (p *Plan[M]) replacing(ctx context.Context) {
	if old := private.Get[prevented](ctx, p.Private, keyPrevented, p.Diags); old.Object != "" && !p.InApply() {
		Policy{Value: types.StringValue(policyPrevent), Object: old.Object, Own: old.Own}.check("replace", "", p.Diags)
	}
}

// policyOf is the deletion_policy of a model.
func policyOf(m any) Policy {
	if managed, ok := m.(hasPolicy); ok {
		return managed.Policy()
	}
	return Policy{}
}

// Update records that the object is kept, or replaced if at names changed arguments that force replacement. It reports
// whether the object is replaced: the plan inside an apply never requests that, see Run.PlanUpdate.
func (p *Plan[M]) Update(ctx context.Context, at ...path.Path) bool {
	replaced := p.Run.PlanUpdate(ctx, p.typeName, p.id, len(at) > 0, p.deferralAllowed(), p.Private, p.Diags)
	if replaced {
		p.resp.RequiresReplace = append(p.resp.RequiresReplace, at...)
		p.warnAbandoned()
	}
	return replaced
}

// warnAbandoned warns about an object that its deletion_policy keeps at the service.
func (p *Plan[M]) warnAbandoned() {
	of := policyOf(p.State)
	of.AfterAbandon = cmp.Or(p.AfterAbandon, of.AfterAbandon)
	of.warn(p.Diags)
}

// ConfigKnown reports whether every value of the configuration is known.
func (p *Plan[M]) ConfigKnown() bool { return p.req.Config.Raw.IsFullyKnown() }

// Changes reports whether planned differs from the state.
func (p *Plan[M]) Changes(ctx context.Context, planned M) bool {
	p.Diags.Append(value.Set(ctx, &p.resp.Plan, planned)...)
	return !p.resp.Plan.Raw.Equal(p.req.State.Raw)
}

// NoTrigger is the trigger of a secret without a configured trigger. An empty map and null mean the same.
var NoTrigger = types.MapValueMust(types.StringType, map[string]attr.Value{})

// Triggered reports whether a trigger requests a rotation: it had values, and they change. Values that are set for the
// first time, as after an import, are only stored for comparison. Removing them does not rotate.
func Triggered(had, has types.Map) bool {
	return len(had.Elements()) > 0 && (has.IsUnknown() || len(has.Elements()) > 0) && !has.Equal(had)
}

// Duplicates describes which existing objects the plan of a creation may duplicate.
type Duplicates[T any] struct {
	// At is the argument with the same value, and What describes such an object: `API key with the name "erp"`.
	At   path.Path
	What string
	// List lists all objects of the type. It is called once per plan.
	List func(context.Context) iter.Seq2[T, error]
	// Filtered lists fewer objects, among them each duplicate, for the first creations of a plan; optional.
	Filtered func(context.Context) iter.Seq2[T, error]
	// Same reports whether an object is a duplicate of the new one.
	Same func(T) bool
	// Rather reports whether a duplicate is more likely the new object than others, which are then not named; optional.
	Rather func(T) bool
	// Summary describes an object after its id.
	Summary func(T) string
	// More adds sentences to the warning, with a space after each; optional.
	More string
}

// WarnDuplicates warns in the plan of a creation about existing duplicates of the new object. It cannot know whether
// one of them is in the state: Terraform shows a provider one resource at a time. If they cannot be listed, there is no
// warning.
func (r *Resource[S, T, M]) WarnDuplicates(ctx context.Context, p *Plan[M], d Duplicates[T]) {
	if p.InApply() {
		return
	}
	var ids, lines []string
	for _, object := range r.FindDuplicates(ctx, p, d) {
		ids, lines = append(ids, r.Scheme.ID(&object)), append(lines, "  "+r.Scheme.ID(&object)+" "+d.Summary(object))
	}
	if len(ids) == 0 {
		return
	}
	p.Diags.AddAttributeWarning(d.At, fmt.Sprintf("%s already exists (id %s)", apidiag.Capitalize(d.What),
		strings.Join(ids, ", ")), fmt.Sprintf("This plan creates another one. The service has:\n\n%s\n\nIf this resource "+
		"was renamed or moved, add a moved block from its old address: without one, the old object is destroyed and a new "+
		"one is created. %sIf it is the one you mean and is not in this state, import it instead. If it is in this state, "+
		"importing it here would destroy it. Import block (put this resource's name after the "+
		"type):\n\n%s", strings.Join(lines, "\n"), d.More, apidiag.ImportBlocks(p.typeName, ids...)))
}

// FindDuplicates returns the duplicates of the new object, except the one that it replaces. It returns nil if they
// cannot be listed.
func (r *Resource[S, T, M]) FindDuplicates(ctx context.Context, p *Plan[M], d Duplicates[T]) (found []T) {
	if p.Run == nil || p.invalid {
		return nil
	}
	all, err := run.Listed(ctx, p.Run, p.typeName, d.Filtered, d.List)
	if err != nil {
		tflog.Debug(ctx, "Existing objects cannot be listed, so duplicates are not detected",
			map[string]any{"type": p.typeName, "error": err.Error()})
		return nil
	}
	replaced := run.Replaced(ctx, p.Private, p.Diags)
	for _, object := range all {
		if d.Same(object) && !same.ID(r.Scheme.ID(&object), replaced) {
			found = append(found, object)
		}
	}
	if d.Rather != nil && slices.ContainsFunc(found, d.Rather) {
		found = slices.DeleteFunc(found, func(object T) bool { return !d.Rather(object) })
	}
	return found
}

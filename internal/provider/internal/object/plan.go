package object

import (
	"context"
	"fmt"
	"iter"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/recurring-billing/terraform-provider-billing/internal/api/same"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/apidiag"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/conn"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/private"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/run"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/value"
)

// Plan is the plan of one object in the making. M is the model of its resource.
type Plan[M any] struct {
	// Config, State and Planned are the configuration, the state, and what is planned so far. State is zero in the plan
	// of a creation; the other two are zero in that of a removal.
	Config, State, Planned M
	// Private is the private state: what the refresh has left, and what the plan hands to its apply.
	Private private.State
	// Run is what the same run has refreshed and planned; nil while the provider is not configured.
	Run *run.Run
	// Replaces reports that a creation replaces an object that exists, see Run.PlanCreate.
	Replaces bool
	// DeferralAllowed tells the plan of an apply from the one that was shown, see Run.Applying.
	DeferralAllowed bool
	Diags           *diag.Diagnostics

	typeName string
	applying bool // this is the second plan, inside the apply
	req      resource.ModifyPlanRequest
	resp     *resource.ModifyPlanResponse
}

// Plan reads what a plan begins with, lets destroy (which is optional), create or update decide, and writes what they
// have planned.
func (r *Resource[S, T, M]) Plan(ctx context.Context, req resource.ModifyPlanRequest,
	resp *resource.ModifyPlanResponse, destroy, create, update func(context.Context, *Plan[M])) {
	if r.Conn != nil && !r.Scheme.Service(r.Conn).Planned(r.Scheme.TypeName, &resp.Diagnostics) {
		return
	}
	p := &Plan[M]{Private: resp.Private, Run: r.Run(), DeferralAllowed: req.ClientCapabilities.DeferralAllowed,
		Diags: &resp.Diagnostics, typeName: r.Scheme.TypeName, req: req, resp: resp}
	if !req.State.Raw.IsNull() {
		p.Diags.Append(value.Get(ctx, req.State, &p.State)...)
	}
	if req.Plan.Raw.IsNull() {
		private.Remove(ctx, p.Private, keyNeeds, p.Diags) // of a replacement whose deletion failed
		of := policyOf(p.State)
		var id types.String
		p.Diags.Append(req.State.GetAttribute(ctx, path.Root("id"), &id)...)
		p.Run.PlanDestroy(p.typeName, id.ValueString())
		if !of.Abandons() && r.foreignUnseen(ctx, p, id.ValueString(), of.Object) {
			return
		}
		of.refusePlan("destroy", p.Diags)
		of.Warn(p.Diags)
		if destroy != nil {
			destroy(ctx, p)
		}
		return
	}
	p.Diags.Append(value.Get(ctx, req.Config, &p.Config)...)
	p.Diags.Append(value.Get(ctx, req.Plan, &p.Planned)...)
	if p.Diags.HasError() {
		return
	}
	if req.State.Raw.IsNull() {
		if r.foreignUnseen(ctx, p, run.Replaced(ctx, p.Private, p.Diags), policyOf(p.Planned).Object) {
			return
		}
		p.Replaces = p.Run.PlanCreate(ctx, p.typeName, p.Private, p.Diags)
		p.replacing(ctx)
		p.applying = p.InApply()
		create(ctx, p)
		r.planNeeds(ctx, p)
	} else {
		if r.bound() && r.Conn.Foreign() && !p.InApply() { // the refresh has reported it, and shows nothing of the object
			return
		}
		p.handOn(ctx, policyOf(p.State))
		applying := p.Run.Applying(p.typeName, textOf(p.State, keyID).ValueString(), p.DeferralAllowed)
		update(ctx, p)
		r.planOwn(ctx, p, applying)
	}
	p.Diags.Append(value.Set(ctx, &resp.Plan, p.Planned)...)
	if p.applying {
		// Terraform shows the warnings of both plans, and the first one has them already.
		resp.Diagnostics = resp.Diagnostics.Errors()
	}
}

// foreignUnseen reports in the plan of a removal or a replacement that the object belongs to another organization than
// the token, where no refresh of this run has found it.
func (r *Resource[S, T, M]) foreignUnseen(ctx context.Context, p *Plan[M], id, object string) bool {
	if id == "" || r.Run().WasRefreshed(r.Scheme.TypeName, id) {
		return false
	}
	_, foreign := r.foreign(ctx, p.Private, object, conn.DoubtPasses, p.Diags)
	return foreign
}

// InApply reports whether this is the second plan of a creation, which Terraform makes inside the apply.
func (p *Plan[M]) InApply() bool { return p.DeferralAllowed || p.Run.Applied() }

// keyPrevented is where the plan of an object that must not be replaced leaves that, for the plan of the new object in
// case of a replacement: that plan has no state. For all other objects nothing is left.
const keyPrevented = "prevented"

type prevented struct{ Object, Own string }

func (p *Plan[M]) handOn(ctx context.Context, of Policy) {
	var now prevented
	if of.Value.ValueString() == policyPrevent {
		now = prevented{of.Object, of.Own}
	}
	if now != private.Get[prevented](ctx, p.Private, keyPrevented, p.Diags) {
		private.Set(ctx, p.Private, keyPrevented, now, p.Diags)
	}
}

// replacing holds the deletion_policy of the old object in the plan of the new one, whatever asks for the replacement.
// Only errors of that plan are shown: Terraform drops its warnings.
func (p *Plan[M]) replacing(ctx context.Context) {
	if old := private.Get[prevented](ctx, p.Private, keyPrevented, p.Diags); old.Object != "" && !p.InApply() {
		Policy{Value: types.StringValue(policyPrevent), Object: old.Object, Own: old.Own}.refusePlan("replace", p.Diags)
	}
}

// policyOf is the deletion_policy of a model.
func policyOf(m any) Policy {
	if managed, ok := m.(HasPolicy); ok {
		return managed.Policy()
	}
	return Policy{}
}

// Update notes that the object with the id stays, or is replaced where at names arguments that only a new object can
// have. It reports whether it is replaced: the plan inside an apply never asks for that, see Run.PlanUpdate.
func (p *Plan[M]) Update(ctx context.Context, id string, at ...path.Path) bool {
	p.applying = p.Run.Applying(p.typeName, id, p.DeferralAllowed)
	replaced := p.Run.PlanUpdate(ctx, p.typeName, id, len(at) > 0, p.DeferralAllowed, p.Private, p.Diags)
	if replaced {
		p.resp.RequiresReplace = append(p.resp.RequiresReplace, at...)
		policyOf(p.State).Warn(p.Diags)
	}
	return replaced
}

// ConfigKnown reports whether every value of the configuration is known.
func (p *Plan[M]) ConfigKnown() bool { return p.req.Config.Raw.IsFullyKnown() }

// Changes reports whether planned differs from the state in anything.
func (p *Plan[M]) Changes(ctx context.Context, planned M) bool {
	p.Diags.Append(value.Set(ctx, &p.resp.Plan, planned)...)
	return !p.resp.Plan.Raw.Equal(p.req.State.Raw)
}

// CreateOnly holds an argument that only a creation uses to what the state has, so that another value plans nothing.
// Terraform lets a configured value take the place of a null in the state only.
func CreateOnly[V attr.Value](planned *V, config, state V) {
	if config.IsNull() || !state.IsNull() {
		*planned = state
	}
}

// NoTrigger is the trigger of a secret that no trigger rotates. An empty map and no map are the same.
var NoTrigger = types.MapValueMust(types.StringType, map[string]attr.Value{})

// Triggered reports whether a trigger asks for a rotation: it had values, and they change. Values that appear for the
// first time, as after an import, only give something to compare with, and removing them does not rotate.
func Triggered(had, has types.Map) bool {
	return len(had.Elements()) > 0 && (has.IsUnknown() || len(has.Elements()) > 0) && !has.Equal(had)
}

// Duplicates says what the plan of a creation may duplicate.
type Duplicates[T any] struct {
	// At is the argument that such objects share, and What names it: `API key with the name "erp"`.
	At   path.Path
	What string
	// List lists all objects of the type. It is read once in a plan.
	List func(context.Context) iter.Seq2[T, error]
	// Same reports whether an object is like the new one.
	Same func(T) bool
	// Line describes an object after its id.
	Line func(T) string
	// More is what else a reader has to know, as sentences; optional.
	More string
}

// WarnDuplicates warns in the plan of a creation about objects that exist and are like the new one. Whether one of them
// is in the state cannot be known: Terraform shows a provider one resource at a time. Without a list it warns of
// nothing.
func (r *Resource[S, T, M]) WarnDuplicates(ctx context.Context, p *Plan[M], d Duplicates[T]) {
	if p.InApply() {
		return
	}
	var ids, lines []string
	for _, object := range r.FindDuplicates(ctx, p, d) {
		ids, lines = append(ids, r.Scheme.ID(&object)), append(lines, "  "+r.Scheme.ID(&object)+" "+d.Line(object))
	}
	if len(ids) == 0 {
		return
	}
	p.Diags.AddAttributeWarning(d.At, fmt.Sprintf("%s exists already (id %s)", apidiag.Capitalize(d.What),
		strings.Join(ids, ", ")), fmt.Sprintf("This plan creates another one. The service has:\n\n%s\n\nIf this resource "+
		"was renamed or moved, add a moved block from its old address: without one, the old object is destroyed and a new "+
		"one is created. %sIf no address of this state has that object and it is the one you mean, import it instead; if an "+
		"address has it, importing it here would destroy it. The block (put this resource's name after the type):"+
		"\n\n%s", strings.Join(lines, "\n"), spaced(d.More), apidiag.ImportBlocks(p.typeName, ids...)))
}

// FindDuplicates returns the objects that are like the new one, but for one that it replaces; none where they cannot be
// listed.
func (r *Resource[S, T, M]) FindDuplicates(ctx context.Context, p *Plan[M], d Duplicates[T]) (found []T) {
	if p.Run == nil {
		return nil
	}
	all, err := run.Listed(ctx, p.Run, p.typeName, d.List)
	if err != nil {
		tflog.Debug(ctx, "Existing objects cannot be listed, so none is looked for",
			map[string]any{"type": p.typeName, "error": err.Error()})
		return nil
	}
	replaced := run.Replaced(ctx, p.Private, p.Diags)
	for _, object := range all {
		if d.Same(object) && !same.ID(r.Scheme.ID(&object), replaced) {
			found = append(found, object)
		}
	}
	return found
}

func spaced(text string) string {
	if text == "" {
		return ""
	}
	return text + " "
}

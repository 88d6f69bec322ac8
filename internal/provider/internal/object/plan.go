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

// InApply reports whether this is the second plan of a creation. Terraform runs it inside the apply.
func (p *Plan[M]) InApply() bool { return p.deferralAllowed() || p.Run.Applied() }

// deferralAllowed distinguishes the plan inside an apply from the one that was shown, see Run.Applying.
func (p *Plan[M]) deferralAllowed() bool { return p.req.ClientCapabilities.DeferralAllowed }

// keyPrevented is the key under which the plan of an object with deletion_policy = "prevent" stores that fact. If
// Terraform replaces the object, the plan of the new one has no state and reads it there.
var keyPrevented = private.Key("prevented")

type prevented struct{ Object, Own string }

func (p *Plan[M]) notePrevented(ctx context.Context, of Policy) {
	var now prevented
	if of.prevents() {
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
		"was renamed or moved, add a moved block from its old address: without one, the old object is destroyed. %sIf you "+
		"mean this one, import it instead, unless it is in this state: then importing it here would destroy it. Import "+
		"block (put this resource's name after the type):\n\n%s", strings.Join(lines, "\n"), d.More,
		apidiag.ImportBlocks(p.typeName, ids...)))
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

// Ending returns the client for a plan that ends an object at the service and is shown to the user; false for others.
func (r *Resource[S, T, M]) Ending(p *Plan[M]) (client S, ends bool) {
	client, ready := r.Client()
	return client, ready && !r.Conn.Foreign() && !policyOf(p.State).Abandons() && !p.InApply()
}

package object

import (
	"context"
	"fmt"
	"net/http"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/same"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/apidiag"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/private"
)

// A replacement ends the old object before it creates the new one. So the provider checks the requirements of the new
// one first: in the plan, and again before the deletion, because a plan may be old. With create_before_destroy, the
// creation comes first and needs no check.

// Need is a value that may cause the service to reject the creation of an object. An empty value is ignored.
type Need struct {
	// Argument is the argument of the value; Field is the service's name of the value if it differs.
	Argument string `json:"argument"`
	Field    string `json:"field,omitempty"`
	Value    string `json:"value"`
}

// keyNeeds is the key under which the plan of a creation stores the needs of the new object. Terraform passes the
// private state of that plan to the deletion of the replaced object, not to the creation.
const keyNeeds = "needs"

// planNeeds stores the needs of a new object for the deletion of the old one, and rejects a replacement whose needs are
// not met. Only the apply checks whether another object has the external_id, because this plan may remove that object.
func (r *Resource[S, T, M]) planNeeds(ctx context.Context, p *Plan[M]) {
	var needs []Need
	if r.Needs != nil {
		needs = r.Needs(p.Planned)
	}
	none := func(need Need) bool { return need.Value == "" }
	needs = slices.DeleteFunc(append(needs, Need{Argument: keyExternalID,
		Value: textOf(p.Planned, keyExternalID).ValueString()}), none)
	if len(needs) > 0 {
		private.Set(ctx, p.Private, keyNeeds, needs, p.Diags)
	}
	client, ready := r.Client()
	if ready && p.Replaces && !p.InApply() && !p.invalid && !p.Diags.HasError() && !r.Conn.Foreign() {
		r.checkNeeds(ctx, client, needs, policyOf(p.Planned).Object, p.Diags)
	}
}

// keyExternalID is the argument that identifies an object of recurring billing in other systems.
const keyExternalID = "external_id"

// checkReplacement rejects the deletion of an object if its replacement could not be created.
func (r *Resource[S, T, M]) checkReplacement(ctx context.Context, w *Write[S, T, M]) bool {
	needs := private.Get[[]Need](ctx, w.Private, keyNeeds, w.Diags)
	return !w.Diags.HasError() && r.checkNeeds(ctx, w.Client, needs, policyOf(w.State).Object, w.Diags) &&
		r.checkUnique(ctx, w, needs)
}

// Replaces reports whether the deletion is the first half of a replacement.
func (w *Write[S, T, M]) Replaces(ctx context.Context) bool {
	return len(private.Get[[]Need](ctx, w.Private, keyNeeds, w.Diags)) > 0
}

// checkNeeds reports the first need that is not met. If the token may not read the needed object, the check passes: the
// token may still create the new one.
func (r *Resource[S, T, M]) checkNeeds(ctx context.Context, client S, needs []Need, object string,
	diags *diag.Diagnostics) bool {
	for _, need := range needs {
		if need.Argument == keyExternalID {
			continue
		}
		why, err := r.Lacks(ctx, client, need)
		if e, responded := api.AsError(err); responded && e.Status == http.StatusForbidden {
			continue
		}
		if err != nil || why != "" {
			addNeedError(need, why, err, object, diags)
			return false
		}
	}
	return true
}

// checkUnique reports another live object with the external_id of the new one.
func (r *Resource[S, T, M]) checkUnique(ctx context.Context, w *Write[S, T, M], needs []Need) bool {
	i := slices.IndexFunc(needs, func(need Need) bool { return need.Argument == keyExternalID })
	if i < 0 || needs[i].Value == textOf(w.State, keyExternalID).ValueString() {
		return true
	}
	by := Selector{Field: keyExternalID, Value: needs[i].Value}
	found, err := r.Scheme.Find(ctx, w.Client, by)
	other := slices.IndexFunc(found, func(one T) bool {
		var ended diag.Diagnostics
		if r.Scheme.CheckFound != nil {
			r.Scheme.CheckFound(ctx, w.Client, &one, by, &ended)
		}
		return !ended.HasError() && !same.ID(r.Scheme.ID(&one), textOf(w.State, keyID).ValueString())
	})
	why := ""
	if other >= 0 {
		why, err = fmt.Sprintf("It is used by the %s %s. Use another one, or remove it there first.",
			r.Scheme.Noun, r.Scheme.ID(&found[other])), nil
	}
	if err != nil || why != "" {
		addNeedError(needs[i], why, err, policyOf(w.State).Object, w.Diags)
		return false
	}
	return true
}

// addNeedError reports why the new object of a replacement could not be created, or the error of the check's request.
func addNeedError(need Need, why string, err error, object string, diags *diag.Diagnostics) {
	name := need.Argument
	if need.Field != "" {
		name = need.Field
	}
	if err != nil {
		apidiag.Add(diags, err, apidiag.Operation{Verb: fmt.Sprintf("check %s = %q for the replacement of", name, need.Value),
			Object: object})
		return
	}
	diags.AddAttributeError(path.Root(need.Argument), apidiag.Capitalize(object)+" is not replaced because the new one "+
		"could not be created", fmt.Sprintf("The new one would have %s = %q. %s The replacement would end the old one "+
		"first, so nothing was sent.", name, need.Value, why))
}

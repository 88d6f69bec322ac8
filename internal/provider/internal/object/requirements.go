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

// keyRequirements is the key under which the plan of a creation stores the requirements of the new object. Terraform
// passes the private state of that plan to the deletion of the replaced object, not to the creation.
var keyRequirements = private.Key("needs")

// planRequirements stores the requirements of a new object for the deletion of the old one, and rejects a replacement
// whose requirements are not met. Only the apply checks whether another object has the external_id, because this plan
// may remove that object.
func (r *Resource[S, T, M]) planRequirements(ctx context.Context, p *Plan[M]) {
	var requirements []Requirement
	if r.Requirements != nil {
		requirements = r.Requirements(p.Planned)
	}
	none := func(requirement Requirement) bool { return requirement.Value == "" }
	requirements = slices.DeleteFunc(append(requirements, Requirement{Argument: keyExternalID,
		Value: textOf(p.Planned, keyExternalID).ValueString()}), none)
	if len(requirements) > 0 {
		private.Set(ctx, p.Private, keyRequirements, requirements, p.Diags)
	}
	client, ready := r.Client()
	if ready && p.Replaces && !p.InApply() && !p.invalid && !p.Diags.HasError() && !r.Conn.Foreign() {
		r.checkRequirements(ctx, client, requirements, policyOf(p.Planned).Object, p.Diags)
	}
}

// checkReplacement rejects the deletion of an object if its replacement could not be created.
func (r *Resource[S, T, M]) checkReplacement(ctx context.Context, o *Op[S, T, M]) bool {
	requirements := private.Get[[]Requirement](ctx, o.Private, keyRequirements, o.Diags)
	return !o.Diags.HasError() && r.checkRequirements(ctx, o.Client, requirements, policyOf(o.State).Object, o.Diags) &&
		r.checkUnique(ctx, o, requirements)
}

// Replaces reports whether the deletion is the first half of a replacement.
func (o *Op[S, T, M]) Replaces(ctx context.Context) bool {
	return len(private.Get[[]Requirement](ctx, o.Private, keyRequirements, o.Diags)) > 0
}

// checkRequirements reports the first requirement that is not met. If the token may not read the needed object, the
// check passes: the token may still create the new one.
func (r *Resource[S, T, M]) checkRequirements(ctx context.Context, client S, requirements []Requirement, object string,
	diags *diag.Diagnostics) bool {
	for _, requirement := range requirements {
		if requirement.Argument == keyExternalID {
			continue
		}
		why, err := r.Unmet(ctx, client, requirement)
		if e, responded := api.AsError(err); responded && e.Status == http.StatusForbidden {
			continue
		}
		if err != nil || why != "" {
			addRequirementError(requirement, why, err, object, diags)
			return false
		}
	}
	return true
}

// checkUnique reports another live object with the external_id of the new one.
func (r *Resource[S, T, M]) checkUnique(ctx context.Context, o *Op[S, T, M], requirements []Requirement) bool {
	i := slices.IndexFunc(requirements, func(other Requirement) bool { return other.Argument == keyExternalID })
	if i < 0 || requirements[i].Value == textOf(o.State, keyExternalID).ValueString() {
		return true
	}
	by := Selector{Field: keyExternalID, Value: requirements[i].Value}
	found, err := r.Scheme.Find(ctx, o.Client, by)
	other := slices.IndexFunc(found, func(one T) bool {
		var ended diag.Diagnostics
		if r.Scheme.CheckFound != nil {
			r.Scheme.CheckFound(ctx, o.Client, &one, by, &ended)
		}
		return !ended.HasError() && !same.ID(r.Scheme.ID(&one), textOf(o.State, keyID).ValueString())
	})
	why := ""
	if other >= 0 {
		why, err = fmt.Sprintf("It is used by the %s %s. Use another one, or remove it there first.",
			r.Scheme.Noun, r.Scheme.ID(&found[other])), nil
	}
	if err != nil || why != "" {
		addRequirementError(requirements[i], why, err, policyOf(o.State).Object, o.Diags)
		return false
	}
	return true
}

// addRequirementError reports why the new object of a replacement could not be created, or the error of the check's
// request.
func addRequirementError(requirement Requirement, why string, err error, object string, diags *diag.Diagnostics) {
	name := requirement.Argument
	if requirement.Field != "" {
		name = requirement.Field
	}
	if err != nil {
		verb := fmt.Sprintf("check %s for the replacement of", name)
		apidiag.Add(diags, err, apidiag.Operation{Verb: verb, Object: object})
		return
	}
	diags.AddAttributeError(path.Root(requirement.Argument), apidiag.Capitalize(object)+" is not replaced because the "+
		"new one could not be created", fmt.Sprintf("The cause is its %s. %s The replacement would end the old one first, so nothing "+
		"was sent.", name, why))
}

package object

import (
	"context"
	"fmt"
	"reflect"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/apidiag"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/check"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/private"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/value"
)

// CreationOnly marks, at the end of its description, an argument that only a creation uses. Each such argument has a
// row in Resource.OnCreation.
const CreationOnly = "Used on creation only."

// keepCreated keeps the values in state of arguments that only a creation uses, so that changing them causes no diff. A
// null in state takes the configured value, because Terraform allows no other result.
func (r *Resource[S, T, M]) keepCreated(p *Plan[M]) {
	for _, a := range r.OnCreation {
		state := value.Field(p.State, a.Argument)
		if value.Field(p.Config, a.Argument).IsNull() || !state.IsNull() {
			value.At(&p.Planned, a.Argument).Set(reflect.ValueOf(state))
		}
	}
}

// keyCreated is the key of the private state under which a creation notes itself: after an import, nobody knows which
// values the creation has used.
var keyCreated = private.Key("created")

// warnCreated warns about configured values that differ from those used on creation: a plan shows nothing of them, or
// only once, when the state takes a configured value for a null. It looks only at the state, because the value may
// belong to another object. The summary is the same for all objects, so that Terraform consolidates the warnings.
func (r *Resource[S, T, M]) warnCreated(ctx context.Context, p *Plan[M]) {
	if len(p.resp.RequiresReplace) > 0 { // the new object uses them
		return
	}
	created := private.Get[bool](ctx, p.Private, keyCreated, p.Diags)
	for _, a := range r.OnCreation {
		config, state := value.Field(p.Config, a.Argument), value.Field(p.State, a.Argument)
		instead, known, has := a.Instead(p.State), created, "was created with"
		if a.Has != nil {
			state, known, has = a.Has(p.State), true, "has"
		}
		if instead == "" || !known || config.IsNull() || config.IsUnknown() || means(ctx, config, state) ||
			strings.EqualFold(config.String(), state.String()) { // an idempotency key in another case
			continue
		}
		had, or := "another "+a.Argument, ""
		switch shown := check.Shown(a.Argument, state); {
		case state.IsNull() && a.Has != nil:
			had = "no " + a.Argument
		case state.IsNull():
			has, had = "was created without", a.Argument
		case shown != "":
			had, or = a.Argument+" = "+shown, ", or write "+shown
		}
		p.Diags.AddAttributeWarning(path.Root(a.Argument), a.Argument+" is used on creation only",
			fmt.Sprintf("%s %s %s, so the configured value has no effect on it. %s To end this warning, remove %s%s.",
				apidiag.Capitalize(policyOf(p.State).Object), has, had, instead, a.Argument, or))
	}
}

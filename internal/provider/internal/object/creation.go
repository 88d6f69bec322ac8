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

// OnCreation is an argument that only a creation uses.
type OnCreation[M any] struct {
	Argument string
	// Shown is set if the service returns the value; otherwise the state has the value used then.
	Shown bool
	// Instead says where the value is changed afterwards, as sentences; "" to say nothing of this object.
	Instead func(state M) string
}

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
const keyCreated = "created"

// warnCreated warns about configured values that differ from those used on creation: the plan shows nothing of them. It
// looks only at the state, because the value may belong to another object. If the creation has used none, the state
// takes the configured value, so only the plan that shows this warns.
func (r *Resource[S, T, M]) warnCreated(ctx context.Context, p *Plan[M]) {
	if len(p.resp.RequiresReplace) > 0 { // the new object uses them
		return
	}
	created := private.Get[bool](ctx, p.Private, keyCreated, p.Diags)
	for _, a := range r.OnCreation {
		config, state := value.Field(p.Config, a.Argument), value.Field(p.State, a.Argument)
		instead, known := a.Instead(p.State), created || a.Shown && !state.IsNull()
		if instead == "" || !known || config.IsNull() || config.IsUnknown() || means(ctx, config, state) ||
			strings.EqualFold(config.String(), state.String()) { // an idempotency key in another case
			continue
		}
		had, or := "another "+a.Argument, ""
		if shown := check.Shown(a.Argument, state); shown != "" {
			had = a.Argument + " = " + shown
			if !state.IsNull() {
				or = ", or write " + shown
			}
		}
		has := "was created with"
		if a.Shown {
			has = "has"
		}
		p.Diags.AddAttributeWarning(path.Root(a.Argument), a.Argument+" is used on creation only",
			fmt.Sprintf("%s %s %s, so the configured value has no effect on it. %s To end this warning, remove %s%s.",
				apidiag.Capitalize(policyOf(p.State).Object), has, had, instead, a.Argument, or))
	}
}

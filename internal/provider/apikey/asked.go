package apikey

import (
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api/same"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/private"
)

// described are the arguments that a key cannot change, by name.
func (m *model) described() map[string]attr.Value {
	return map[string]attr.Value{"name": m.Name, "description": m.Description, "scopes": m.Scopes}
}

// remember records what the creation of a key sends. What the key before has too may be the service's wording of what
// was sent for that one, which stays recorded.
func (k memory) remember(m, before model) memory {
	asked, had := map[string]string{}, before.described()
	if k.Salt == "" {
		k.Salt = private.NewSalt()
	}
	for name, value := range m.described() {
		if before.ID.IsNull() || !value.Equal(had[name]) {
			asked[name] = k.Salt.Hash(name, value)
		} else if earlier, recorded := k.Asked[name]; recorded {
			asked[name] = earlier
		}
	}
	k.Asked = asked
	return k
}

// accepts reports whether a value that differs from the key's needs no new key: its creation has sent that value, and
// another one would get the same. What an imported key was created with is unknown; there, the wording of a text
// differs.
func (k memory) accepts(name string, wanted, is attr.Value) bool {
	if !isKnown(wanted) || wanted.Equal(is) {
		return false
	}
	if asked, recorded := k.Asked[name]; recorded {
		return asked == k.Salt.Hash(name, wanted)
	}
	one, isText := wanted.(types.String)
	other, _ := is.(types.String)
	return isText && !one.IsNull() && same.Text(one.ValueString(), other.ValueString())
}

// accepting returns the plan with the key's values where these need no new key. An omitted description stays null.
func (m model) accepting(state model, k memory) model {
	if k.accepts("name", m.Name, state.Name) {
		m.Name = state.Name
	}
	if !m.Description.IsNull() && k.accepts("description", m.Description, state.Description) {
		m.Description = state.Description
	}
	if k.accepts("scopes", m.Scopes, state.Scopes) {
		m.Scopes = state.Scopes
	}
	return m
}

// warnOther warns about what the service gives a key instead of what was asked for, other than the wording of a text.
func (k memory) warnOther(config, state model, diags *diag.Diagnostics) {
	has := state.described()
	for _, name := range []string{"name", "description", "scopes"} {
		wanted := config.described()[name]
		text, _ := wanted.(types.String)
		shown, isText := has[name].(types.String)
		if !k.accepts(name, wanted, has[name]) || isText && same.Wording(text.ValueString(), shown.ValueString()) {
			continue
		}
		other := "another " + name
		if name == "scopes" {
			other = "other scopes"
		}
		diags.AddAttributeWarning(path.Root(name), fmt.Sprintf("%s has %s than configured", state.displayName(), other),
			"A new key would get the same, so none is created. Write what the service gives, which data \"billing_api_key\" "+
				"shows, or another value: changing it creates a new key.")
	}
}

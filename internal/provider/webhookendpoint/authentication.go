package webhookendpoint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api/collections"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/value"
)

// Kinds of authentication toward the consumer (service description, Collections §5).
const (
	authNone   = "none"
	authBasic  = "basic"
	authBearer = "bearer"
	authHeader = "header"
)

var authTypes = []string{authNone, authBasic, authBearer, authHeader}

// firstVersion is the default version of credentials: without a configured version, and after an import.
const firstVersion = 1

var authType = types.ObjectType{AttrTypes: map[string]attr.Type{
	"type": types.StringType, "username": types.StringType, "password_wo": types.StringType,
	"token_wo": types.StringType, "name": value.HeaderNameType{}, "value_wo": types.StringType,
	"credentials_wo_version": value.Whole,
}}

// authentication is the known argument authentication. It has credentials only if it comes from the configuration.
type authentication struct {
	kind, username, password, token, value types.String
	name                                   value.HeaderName
	version                                types.Int64
}

func authOf(object types.Object) authentication {
	fields := object.Attributes()
	text := func(name string) types.String {
		s, _ := fields[name].(types.String)
		return s
	}
	a := authentication{kind: text("type"), username: text("username"), password: text("password_wo"),
		token: text("token_wo"), value: text("value_wo")}
	a.name, _ = fields["name"].(value.HeaderName)
	a.version, _ = fields["credentials_wo_version"].(types.Int64)
	return a
}

func (a authentication) object() types.Object {
	return types.ObjectValueMust(authType.AttrTypes, map[string]attr.Value{"type": a.kind, "username": a.username,
		"name":                   a.name,
		"credentials_wo_version": a.version, "password_wo": a.password, "token_wo": a.token, "value_wo": a.value})
}

// withCredentials returns the plan with the credentials of the configuration, because plans do not contain them. It
// uses no other values of the configuration: in an apply it does not respect ignore_changes, so its type, username and
// name may differ from the plan.
func (m model) withCredentials(config model) model {
	if m.Authentication.IsNull() || m.Authentication.IsUnknown() {
		return m
	}
	a, given := authOf(m.Authentication), authOf(config.Authentication)
	switch a.kind.ValueString() {
	case authBasic:
		a.password = given.password
	case authBearer:
		a.token = given.token
	case authHeader:
		a.value = given.value
	}
	m.Authentication = a.object()
	return m
}

func (a authentication) toWire() collections.Authentication {
	return collections.Authentication{Type: a.kind.ValueString(), Username: a.username.ValueStringPointer(),
		Password: a.password.ValueStringPointer(),
		Token:    a.token.ValueStringPointer(), Name: a.name.ValueStringPointer(), Value: a.value.ValueStringPointer()}
}

// authFromAPI converts the service's authentication; none is null.
func authFromAPI(a *collections.Authentication) types.Object {
	if a == nil || a.Type == authNone || a.Type == "" {
		return types.ObjectNull(authType.AttrTypes)
	}
	return authentication{kind: types.StringValue(a.Type), username: types.StringPointerValue(a.Username),
		name: value.HeaderNamePointer(a.Name), version: types.Int64Value(firstVersion)}.object()
}

// sameAuth compares two authentications without the credentials and their version, which the service never returns.
// Unknown values equal null.
func sameAuth(a, b types.Object) bool {
	if a.IsUnknown() || b.IsUnknown() {
		return false
	}
	one, two := authOf(a), authOf(b)
	if one.isNone() || two.isNone() {
		return one.isNone() && two.isNone()
	}
	return one.kind.Equal(two.kind) && one.username.Equal(two.username) && one.name.Means(two.name)
}

func (m model) sendsAuth(state model) bool {
	if !sameAuth(m.Authentication, state.Authentication) {
		return true
	}
	wanted, had := authOf(m.Authentication), authOf(state.Authentication)
	return !wanted.isNone() && !wanted.version.Equal(had.version)
}

func (a authentication) isNone() bool { return a.kind.IsNull() || a.kind.ValueString() == authNone }

func (a authentication) orNone() authentication {
	if a.kind.IsNull() {
		a.kind = types.StringValue(authNone)
	}
	return a
}

// part is an argument of authentication, and the only type that uses it.
type part struct {
	name, kind string
	value      types.String
	// credential is true if the service never returns the argument.
	credential bool
}

func (a authentication) parts() []part {
	return []part{
		{"username", authBasic, a.username, false},
		{"password_wo", authBasic, a.password, true},
		{"token_wo", authBearer, a.token, true},
		{"name", authHeader, a.name.StringValue, false},
		{"value_wo", authHeader, a.value, true},
	}
}

// misnamed explains a credential that seems to be configured but is missing: Terraform drops unknown arguments of an
// object.
func (p part) misnamed() string {
	bare, isWriteOnly := strings.CutSuffix(p.name, "_wo")
	if !isWriteOnly {
		return " If you have set it, check the name: Terraform silently drops names that do not exist."
	}
	return fmt.Sprintf(" Terraform silently drops authentication.%s: there is no such argument.", bare)
}

var authPath = path.Root("authentication")

// rejectOtherTypes reports arguments of another type of authentication. The arguments of a type that is not documented
// are unknown.
func (m model) rejectOtherTypes(a authentication, diags *diag.Diagnostics) {
	if !slices.Contains(authTypes, a.kind.ValueString()) {
		return
	}
	for _, p := range a.parts() {
		if p.kind != a.kind.ValueString() && !p.value.IsNull() {
			diags.AddAttributeError(authPath, "Conflicting authentication of "+m.displayName(),
				fmt.Sprintf("authentication.%s belongs to another type. Remove it, or set type = %q.", p.name, p.kind))
		}
	}
}

// Modes of requireParts: arguments in state and plan, or credentials, which only the configuration contains.
const (
	openParts   = false
	credentials = true
)

// requireParts reports missing arguments of the type of authentication.
func (m model) requireParts(a authentication, credentials bool, diags *diag.Diagnostics) {
	for _, p := range a.parts() {
		if p.credential == credentials && p.kind == a.kind.ValueString() && p.value.IsNull() {
			diags.AddAttributeError(authPath, "Incomplete authentication of "+m.displayName(),
				fmt.Sprintf("authentication of type %q needs authentication.%s. Set it, or use another type.%s", p.kind,
					p.name, p.misnamed()))
		}
	}
}

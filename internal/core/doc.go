// Package core stands in for Terraform's core in tests of a provider: it plans and applies a configuration over the
// provider's protocol, in this process and in milliseconds. In a testing/synctest bubble no wait takes time. The
// example is its documentation: it applies a configuration, changes it, loses a response, and kills an apply. The
// package knows no provider, and imports nothing of this module.
//
// Like Terraform, it starts a new provider for each plan and each apply, refreshes before it plans, applies
// ignore_changes only to the plan, plans again inside the apply with the values known by then, and keeps what the
// provider returns, also with an error. What Terraform would report as a bug of the provider is an error:
//
//   - a plan with another value than the configured or the prior one, at any depth, or with a value for an attribute
//     that is neither configured nor computed;
//   - a second plan, or an object after the apply, in which a known planned value differs;
//   - another action in the apply than in the plan, except none instead of an update;
//   - an unknown value, or no object, after an apply without an error;
//   - a value of a write-only argument in a plan or an object;
//   - an imported object that does not exist.
//
// It supports resources and data sources with references, variables, locals, for_each with known keys, import, moved
// and removed blocks, depends_on, ignore_changes, create_before_destroy with deposed objects, prevent_destroy,
// terraform_data, tainted objects, -replace, -target, -refresh=false and -destroy. Objects are planned and changed one
// after another, or concurrently, see [Workspace.Turn]. A run may be killed or interrupted.
//
// It does not do: modules, count, nested blocks and maps of nested attributes, provisioners, conditions and checks,
// outputs, aliases of providers, upgrades of a state, deferred changes, and functions other than those of Parse.
package core

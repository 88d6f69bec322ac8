package object

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/apidiag"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/conn"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/private"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/value"
)

// Reading is a refresh of an object in progress, the counterpart of Write. S is the service's client, T its type of the
// object, M the model of the resource.
type Reading[S, T, M any] struct {
	Client S
	// Prior is the object in the state; after an import, only its identity.
	Prior M
	// Importing is true in the first refresh after an import.
	Importing bool
	// After builds the object from a response. It takes values that the service does not return from prior. It sends no
	// request: a refresh may call it twice. It is Resource.After, unless the resource sets another one.
	After func(response *T, prior M) M
	// Last is the object that the service returned, or nil if it does not exist. State is the result of After.
	Last  *T
	State M
	// Private is the private state.
	Private private.State
	Diags   *diag.Diagnostics

	resource *Resource[S, T, M]
	resp     *resource.ReadResponse
	wording  wording
}

// BeginRead begins the refresh of an object; it returns false after an error. It also writes the identity of an object
// that turns out to be gone: the framework requires one from every refresh, and a state written by an older Terraform
// has none.
func (r *Resource[S, T, M]) BeginRead(ctx context.Context, req resource.ReadRequest,
	resp *resource.ReadResponse) (*Reading[S, T, M], bool) {
	g := &Reading[S, T, M]{After: r.After, Private: resp.Private, Diags: &resp.Diagnostics, resource: r, resp: resp}
	g.Diags.Append(value.Get(ctx, req.State, &g.Prior)...)
	g.Importing = private.Get[importing](ctx, g.Private, keyImport, g.Diags) == importFound
	g.wording = private.Get[wording](ctx, g.Private, keyWording, g.Diags)
	r.Scheme.Identify(ctx, g.Prior, resp.Identity, g.Diags)
	client, ready := r.Scheme.Service(r.Conn).ForRefresh(r.Scheme.TypeName, g.Diags)
	if ready && r.Conn.Foreign() {
		if _, foreign := r.foreign(ctx, g.Private, "", conn.DoubtStops, g.Diags); foreign {
			return g, false
		}
	}
	if !ready || g.Diags.HasError() {
		return g, false
	}
	r.Scheme.wrote(client, g.Prior)
	g.Client = client
	return g, true
}

// Get reads the object, and sets Last and State. It returns false, with a diagnostic, if the object does not exist or
// the request fails. Only the service's own not-found error removes an object from the state: a bare 404 from a wrong
// address is an error.
func (g *Reading[S, T, M]) Get(ctx context.Context) bool {
	found := g.Find(ctx)
	if found && g.Last == nil {
		g.Gone(ctx, "was deleted", "")
		return false
	}
	return found
}

// Find is Get, but leaves a missing object to the caller: then Last is nil.
//
// If an object from a list differs from the state, but its last change is not newer, it is read again by its id: a list
// may omit fields.
func (g *Reading[S, T, M]) Find(ctx context.Context) bool {
	scheme, name := g.resource.Scheme, g.resource.Scheme.name(g.Prior)
	if scheme.Refresh == nil || g.Importing {
		return g.show(scheme.Get(g.Client, ctx, name))
	}
	reported := len(*g.Diags)
	response, unchanged, err := scheme.Refresh(g.Client, ctx, name)
	ok := g.show(response, err)
	if unchanged && (!ok || !value.Same(g.State, g.Prior)) {
		*g.Diags = (*g.Diags)[:reported]
		return g.show(scheme.Get(g.Client, ctx, name))
	}
	return ok
}

// show stores a response.
func (g *Reading[S, T, M]) show(response *T, err error) bool {
	switch {
	case api.IsNotFound(err):
		g.Last = nil
		return true
	case err != nil:
		apidiag.AddRead(g.Diags, err, g.resource.Operation("read", g.Prior), !g.Importing)
		return false
	}
	g.Last, g.State = response, g.After(response, g.Prior)
	if !g.Importing {
		g.wording.restored(g.resource.Scheme.Texts, &g.State, g.Prior)
	}
	return !g.Diags.HasError()
}

// Gone removes an object that no longer exists from the state, so that the plan creates it again. how is what happened
// to it ("was deleted"), and more is added to the sentence about the plan. An object of another organization stays in
// the state.
func (g *Reading[S, T, M]) Gone(ctx context.Context, how, more string) {
	r, object := g.resource, policyOf(g.Prior).Object
	if _, foreign := r.foreign(ctx, g.Private, object, conn.DoubtStops, g.Diags); foreign {
		return
	}
	r.Run().Gone(r.Scheme.TypeName, r.Scheme.name(g.Prior))
	g.Diags.AddWarning(fmt.Sprintf("%s %s outside of Terraform", apidiag.Capitalize(object), how),
		fmt.Sprintf("It is removed from the state. If it is still configured, the plan %s%s.", r.Scheme.Recreation, more))
	g.resp.State.RemoveResource(ctx)
}

// Save writes the state.
func (g *Reading[S, T, M]) Save(ctx context.Context) {
	r := g.resource
	r.Run().Refreshed(r.Scheme.TypeName, r.Scheme.name(g.Prior))
	g.Diags.Append(value.Set(ctx, &g.resp.State, g.State)...)
	r.bind(ctx, g.Private, g.Diags)
	if !g.Importing {
		private.Remove(ctx, g.Private, keyImport, g.Diags)
		return
	}
	private.Set(ctx, g.Private, keyImport, importRead, g.Diags)
}

// keyImport is the key of the progress of an import. The run that imports an object ends with the next refresh or the
// next update.
const keyImport = "import"

type importing string

const (
	// importFound is set before the first refresh.
	importFound importing = "found"
	// importRead is set after it.
	importRead importing = "read"
)

// MarkImport records that the object was found and its first refresh follows.
func MarkImport(ctx context.Context, store private.State, diags *diag.Diagnostics) {
	private.Set(ctx, store, keyImport, importFound, diags)
}

// Imports reports whether this run imports the object.
func Imports(ctx context.Context, store private.State, diags *diag.Diagnostics) bool {
	return private.Get[importing](ctx, store, keyImport, diags) != ""
}

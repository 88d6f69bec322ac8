package object

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/apidiag"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/conn"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/private"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/value"
)

// Op is a creation, a refresh, an update or a deletion in progress. S is the service's client, T its type of the
// object, M the model of the resource.
//
// A creation or an update sends its requests one after the other. It calls Failed with the error of each, Save with the
// state after each response that is not the last one, and Finish at the end. So after any failure the state is correct,
// and the next plan shows exactly the remaining changes.
type Op[S, T, M any] struct {
	Client S
	// Config and Plan are the configuration and the plan of an apply; the plan of a deletion is the state. A creation
	// sends the configuration, so that the service's defaults apply to what is unset. The configuration of an update does
	// not respect ignore_changes, so only write-only values may be taken from it.
	Config, Plan M
	// State is the object as known so far: what Terraform has (in a creation the plan, after an import the identity), and
	// then what Save has written.
	State M
	// Importing is true in the first refresh after an import.
	Importing bool
	// Private is the private state, with the data stored by the plan and the data that the apply stores.
	Private private.State
	Diags   *diag.Diagnostics

	// SentAll is set if the last request carried every argument, as that of a creation does.
	SentAll bool
	// AlsoSent are arguments that a request carried although they do not change.
	AlsoSent []string
	// MayPredate is set if the object may have existed before its creation, so that other values need not be those of the
	// service's wording.
	MayPredate bool

	wording  wording
	resource *Resource[S, T, M]
	is       kind
	before   M    // what Terraform has of the object; zero in a creation
	created  bool // the creation has saved the object
	failed   bool // a request has failed, so the outcome differs from the plan
	state    *tfsdk.State
	identity *tfsdk.ResourceIdentity
}

// kind distinguishes the operations.
type kind int

const (
	creation kind = iota
	refresh
	update
	deletion
)

// Get reads the object in a refresh, and returns it with the state that convert builds from it. It returns false, with
// a diagnostic, if the object does not exist or the request fails. Only the service's own not-found error removes an
// object from the state: a bare 404 from a wrong address is an error. convert sends no request: it may be called twice.
func (o *Op[S, T, M]) Get(ctx context.Context, convert func(*T) M) (response *T, state M, ok bool) {
	response, state, ok = o.Find(ctx, convert)
	if ok && response == nil {
		o.Gone(ctx, "was deleted", "")
		return nil, state, false
	}
	return response, state, ok
}

// Find is Get, but leaves a missing object to the caller: then the response is nil.
//
// If an object from a list differs from the state, but its last change is not newer, it is read again by its id: a list
// may omit fields.
func (o *Op[S, T, M]) Find(ctx context.Context, convert func(*T) M) (response *T, state M, ok bool) {
	scheme, name := o.resource.Scheme, o.resource.Scheme.name(o.State)
	read := func() (*T, M, bool) {
		response, err := scheme.Get(o.Client, ctx, name)
		return o.converted(response, err, convert)
	}
	if scheme.Refresh == nil || o.Importing {
		return read()
	}
	reported := len(*o.Diags)
	listed, unchanged, err := scheme.Refresh(o.Client, ctx, name)
	response, state, ok = o.converted(listed, err, convert)
	if unchanged && (!ok || !value.Same(state, o.State)) {
		*o.Diags = (*o.Diags)[:reported]
		return read()
	}
	return response, state, ok
}

// converted returns a response and its state; nil if the object does not exist.
func (o *Op[S, T, M]) converted(response *T, err error, convert func(*T) M) (_ *T, state M, ok bool) {
	switch {
	case api.IsNotFound(err):
		return nil, state, true
	case err != nil:
		apidiag.AddRead(o.Diags, err, o.resource.Operation("read", o.State), !o.Importing)
		return nil, state, false
	}
	scheme := o.resource.Scheme
	state = convert(response)
	if !o.Importing {
		o.wording.restored(textsOf(scheme.TypeName, o.state.Schema), &state, o.State)
	}
	return response, state, !o.Diags.HasError()
}

// Gone removes an object that no longer exists from the state, so that the plan creates it again. how is what happened
// to it ("was deleted"), and more is added to the sentence about the plan. An object of another organization stays in
// the state.
func (o *Op[S, T, M]) Gone(ctx context.Context, how, more string) {
	r, object := o.resource, policyOf(o.State).Object
	if _, foreign := r.foreign(ctx, o.Private, object, conn.DoubtStops, o.Diags); foreign {
		return
	}
	r.Run().Gone(r.Scheme.TypeName, r.Scheme.name(o.State))
	o.Diags.AddWarning(fmt.Sprintf("%s %s outside of Terraform", apidiag.Capitalize(object), how),
		fmt.Sprintf("It is removed from the state. If it is still configured, the plan %s%s.", r.Scheme.Recreation, more))
	o.state.RemoveResource(ctx)
	private.Clear(ctx, o.Private, o.Diags)
}

// Save writes the state of the object as known so far. An apply calls it after each response, before the next request.
func (o *Op[S, T, M]) Save(ctx context.Context, state M) {
	r, name := o.resource, o.resource.Scheme.name(o.State)
	o.State = state
	o.Diags.Append(value.Set(ctx, o.state, state)...)
	if o.is == refresh {
		r.Run().Refreshed(r.Scheme.TypeName, name)
		r.bind(ctx, o.Private, o.Diags)
		if o.Importing {
			private.Set(ctx, o.Private, keyImport, importRead, o.Diags)
		} else {
			private.Remove(ctx, o.Private, keyImport, o.Diags)
		}
		return
	}
	r.Scheme.Identify(ctx, state, o.identity, o.Diags)
	if o.is == creation {
		o.created = true
		r.bind(ctx, o.Private, o.Diags)
		r.Run().Creates(r.Scheme.TypeName, textOf(state, keyID).ValueString(), policyOf(state).Object)
	}
}

// Failed reports the error of a request; false if there is none. verb is what the request does to the object: create,
// update, pause.
//
// Terraform taints a new object if its creation ends with an error. If the object exists and is billed, replacing it
// would do more harm than the missing request. So once the object is saved, its creation reports errors as warnings.
func (o *Op[S, T, M]) Failed(ctx context.Context, verb string, err error) bool {
	if err == nil {
		return false
	}
	o.failed = true
	operation := o.resource.Operation(verb, o.State).Of(o.Plan)
	switch {
	case o.created:
		var failed diag.Diagnostics
		apidiag.Add(&failed, err, operation)
		postpone(failed, o.Diags)
	case o.is == update && api.IsNotFound(err) &&
		// If the object does not exist, the token may belong to another organization.
		o.resource.foreignEach(ctx, o.Private, verb, operation.Object, conn.DoubtPasses, o.Diags):
	default:
		apidiag.Add(o.Diags, err, operation)
	}
	return true
}

// postpone turns the errors of a request that follows a creation into warnings.
func postpone(failed diag.Diagnostics, diags *diag.Diagnostics) {
	for _, d := range failed {
		detail := d.Detail() + "\n\nThe object itself exists and is in the state. The next plan shows what is missing, and " +
			"the next apply completes it."
		diags.AddWarning("Created, but not finished: "+d.Summary(), detail)
	}
}

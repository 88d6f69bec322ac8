package object

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/apidiag"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/conn"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/run"
)

// Refresh reads the object with the id for the refresh of its resource. Only the service's own not-found drops it from
// the state: a bare 404 of a wrong address is an error. In both cases Refresh has reported it and returns nil. again ends
// the sentence that says what the plan does with an object that is gone, "the plan …".
func (s Scheme[S, T]) Refresh(ctx context.Context, client S, record *run.Record, id types.String, doing apidiag.Doing,
	again string, resp *resource.ReadResponse) *T {
	found, err := s.Get(client, ctx, id.ValueString())
	switch {
	case api.IsNotFound(err):
		record.Gone(s.TypeName, id.ValueString())
		resp.Diagnostics.AddWarning("A "+s.Noun+" was deleted outside of Terraform",
			fmt.Sprintf("%s does not exist any more at the service. If it is still configured, the plan %s.",
				apidiag.Capitalize(doing.Object), again))
		resp.State.RemoveResource(ctx)
		return nil
	case err != nil:
		apidiag.Add(&resp.Diagnostics, err, doing)
		return nil
	}
	record.Refreshed(s.TypeName, id.ValueString())
	return found
}

// Delete begins the deletion of a resource: it reads the state, and connects unless stays has reported that nothing is to be
// sent. stays is optional. false means that the deletion ends here.
func Delete[S, M any](ctx context.Context, typeName string, service conn.Service[S], record *run.Record,
	req resource.DeleteRequest, resp *resource.DeleteResponse,
	stays func(M, *diag.Diagnostics) bool) (client S, state M, ok bool) {
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() || stays != nil && stays(state, &resp.Diagnostics) {
		return client, state, false
	}
	if client, ok = service.For(typeName, &resp.Diagnostics); ok {
		record.Applies()
	}
	return client, state, ok
}

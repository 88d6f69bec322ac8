package finance

import (
	"context"
	"fmt"
	"net/http"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/finance"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/metadata"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/object"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/private"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/run"
)

// readOwnership reads what the configuration owns of a record; of one that was imported, and not applied since, it owns
// no key.
func readOwnership(ctx context.Context, store private.Store, diags *diag.Diagnostics) metadata.Ownership {
	owned := private.Owned[metadata.Owned](ctx, store, diags).Object
	return metadata.Ownership{Mode: metadata.ModeMerge, Owned: owned}
}

// ModifyPlan fixes the key of a creation, and decides for an existing record whether it must change.
func (r *Resource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	r.Plan(ctx, req, resp, r.planDestroy, r.planCreate, r.planUpdate)
}

func (r *Resource) planDestroy(ctx context.Context, p *object.Plan[model]) {
	r.claim(p.State, finance.Claim{ID: p.State.ID.ValueString(), Destroyed: true}, p.Diags)
	r.planRemoval(ctx, p.State, p.Private, p.Diags)
}

func (r *Resource) planCreate(ctx context.Context, p *object.Plan[model]) {
	p.Planned = p.Planned.plannedCreate(p.Config)
	replaced := run.Replaced(ctx, p.Private, p.Diags)
	r.claim(p.Planned, finance.Claim{Given: !p.Config.IdempotencyKey.IsNull(), About: p.Planned.excerpt(),
		Replaces: replaced}, p.Diags)
}

func (r *Resource) planUpdate(ctx context.Context, p *object.Plan[model]) {
	own := readOwnership(ctx, p.Private, p.Diags)
	if p.Diags.HasError() {
		return
	}
	r.claim(p.State, finance.Claim{ID: p.State.ID.ValueString()}, p.Diags)
	var next metadata.Owned
	p.Planned, next = p.Planned.plannedUpdate(p.Config, p.State, own, p.Diags)
	private.Plan(ctx, p.Private, next, p.Diags)
	var at path.Paths
	if !p.Planned.Collection.IsUnknown() && !p.Planned.Collection.Equal(p.State.Collection) {
		at = path.Paths{path.Root(attrCollection)}
	}
	if p.Update(ctx, p.State.place(), at...) {
		r.checkCollection(ctx, p.Planned, p.State, p.Diags)
		// Terraform hands this private state on to the deletion that is a part of the replacement.
		r.planRemoval(ctx, p.State, p.Private, p.Diags)
	} else {
		r.planKept(ctx, p.State, p.Private, p.Diags)
	}
}

// plannedCreate fixes the key of a creation.
//
// Terraform asks for the plan of a creation once more when it applies it, perhaps days later on another machine,
// rejects one that differs, and hands over nothing from the first time. So the key cannot be random: it follows from
// what is created.
func (m model) plannedCreate(config model) model {
	body, err := m.Body.Object()
	if config.IdempotencyKey.IsNull() && !m.Collection.IsUnknown() && err == nil {
		m.IdempotencyKey = types.StringValue(finance.KeyFor(m.Collection.ValueString(), metadata.Payload(body)))
	}
	return m
}

// plannedUpdate makes response unknown where the record must change, see planBody, and keeps the key of the creation
// where the configuration means the same. The second result is what the configuration owns once the plan is applied.
func (m model) plannedUpdate(config, state model, own metadata.Ownership, diags *diag.Diagnostics) (model,
	metadata.Owned) {
	if config.IdempotencyKey.IsNull() ||
		finance.SameKey(config.IdempotencyKey.ValueString(), state.IdempotencyKey.ValueString()) {
		m.IdempotencyKey = state.IdempotencyKey
	}
	next := m.planBody(config, state, own, diags)
	return m, next
}

// planBody compares the configuration with the record as the state has it. Where nothing must change, the state's value
// stays, also where the configuration is written differently or names fewer keys. It returns what the configuration
// owns once the plan is applied; that is empty while a part of it is unknown.
func (m *model) planBody(config, state model, own metadata.Ownership, diags *diag.Diagnostics) metadata.Owned {
	desired, err := config.Body.Object()
	if err != nil {
		desired = nil // unknown in part, or refused below
	}
	stored, ok := state.stored(desired, diags)
	if !ok {
		return metadata.Owned{}
	}
	change, err := own.Plan(config.Body, state.Body, overlook(desired, stored))
	if err != nil {
		diags.AddAttributeError(path.Root(attrBody), "Invalid body", fmt.Sprintf("The body cannot be sent: %s.", err))
		return metadata.Owned{}
	}
	m.Body, m.Response = change.Planned, state.Response
	switch {
	case change.Differs:
		m.Response = types.StringUnknown()
	case !state.Body.IsAbsent() || config.Body.IsAbsent():
		m.Body = state.Body // also where the configuration names more keys: a record has one writer as a rule
	}
	change.WarnForeign(path.Root(attrBody), "the "+state.displayName(), "", diags)
	return metadata.Owned{Object: change.Desired}
}

// checkCollection refuses a replacement in a collection that the service does not have: the record would be deleted,
// and no other one made.
func (r *Resource) checkCollection(ctx context.Context, plan, state model, diags *diag.Diagnostics) {
	client, ready := r.Client()
	if !ready {
		return
	}
	collection := plan.Collection.ValueString()
	for _, err := range client.ListRecords(ctx, collection, finance.Query{Limit: 1}) {
		if e, ok := api.AsError(err); ok && e.Status == http.StatusNotFound {
			diags.AddAttributeError(path.Root(attrCollection), "No such collection",
				fmt.Sprintf("This plan replaces the %s with a record of the collection %q, and the service has no "+
					"such collection: the record would be deleted, and none created. Nothing was changed. Correct "+
					"the name; the data source billing_finance_openapi shows what collections there are.",
					state.displayName(), collection))
		}
	}
}

// refuseMove rejects an update that only a new record can fulfill. The plan has shown no replacement, so nothing is
// sent.
func refuseMove(plan, state model, diags *diag.Diagnostics) {
	if plan.Collection.Equal(state.Collection) {
		return
	}
	diags.AddAttributeError(path.Root(attrCollection), "The plan has not shown this replacement",
		fmt.Sprintf("collection was not known when the plan was made, and turned out to be %q, while the %s exists. "+
			"Only a new record can be in another collection, and the plan has shown none, so nothing was sent. Plan "+
			"again: the new plan shows the replacement.", plan.Collection.ValueString(), state.displayName()))
}

// claim reports what else this run does with the record of the same key: the service makes one record for one key.
func (r *Resource) claim(m model, c finance.Claim, diags *diag.Diagnostics) {
	key := m.IdempotencyKey
	client, ready := r.Client()
	if key.IsNull() || key.IsUnknown() || m.Collection.IsUnknown() || !ready {
		return
	}
	for _, other := range client.ClaimKey(m.Collection.ValueString(), key.ValueString(), c) {
		m.reportClaims(c, other, diags)
	}
}

const aboutOwnKey = "Set idempotency_key on one of them to another UUID of version 4, for example from a " +
	"random_uuid resource."

// reportClaims reports two claims on one key, in whatever order they came.
func (m model) reportClaims(a, b finance.Claim, diags *diag.Diagnostics) {
	at, collection := path.Root(attrIdempotencyKey), m.Collection.ValueString()
	creates, destroys := a.ID == "" || b.ID == "", a.Destroyed || b.Destroyed
	switch {
	case a.ID == "" && b.ID == "":
		because := "its body is the same"
		if a.Given || b.Given {
			because = "its idempotency_key is the same; keys compare without case"
		}
		diags.AddAttributeError(at, "Two records with the same key",
			fmt.Sprintf("Another record of %s in this plan has the key %s too, because %s. The other one has "+
				"the body %s. The service creates one record for one key. %s",
				collection, m.IdempotencyKey.ValueString(), because, b.About, aboutOwnKey))
	case creates && destroys:
		diags.AddAttributeWarning(at, "A record is deleted and created with the same key",
			fmt.Sprintf("This plan deletes the record %s of %s and creates one with the same key: probably the "+
				"resource was renamed. One record is left in any case: this one, if the creation comes first, or a "+
				"new one with another id. To keep the record and its id for certain, add a moved block.", a.ID+b.ID,
				collection))
	case creates && a.Replaces+b.Replaces != place(collection, a.ID+b.ID):
		diags.AddAttributeError(at, "A record with the same key exists",
			fmt.Sprintf("The record %s of %s, which another resource manages, was created with the same key as the "+
				"one that this plan creates. The service stores one record per key, so both resources would "+
				"manage that record, and each apply of one would overwrite what the other has written. %s", a.ID+b.ID,
				collection, aboutOwnKey))
	}
}

// excerpt is the beginning of the body, by which a user finds the record in the configuration.
func (m model) excerpt() string {
	const longest = 120
	body, err := m.Body.Object()
	if err != nil {
		return "that is not known yet"
	}
	text := []rune(metadata.Text(body))
	if len(text) > longest {
		return string(text[:longest]) + "…"
	}
	return string(text)
}

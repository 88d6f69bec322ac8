package subscription

import (
	"context"
	"fmt"
	"iter"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/list/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api/billing"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/apidiag"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/conn"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/fields"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/fwtype"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/object"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/private"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/validate"
)

// scheme is how subscriptions are named and found.
var scheme = object.Scheme[*billing.Service, billing.Subscription]{
	TypeName: typeName, Noun: "subscription", Key: "external_id",
	Service: conn.Billing,
	ID:      func(s *billing.Subscription) string { return s.ID },
	Get:     (*billing.Service).GetSubscription,
	Listed:  (*billing.Service).RefreshSubscription,
	Find: func(ctx context.Context, client *billing.Service, by object.Selector) ([]billing.Subscription, error) {
		return client.FindSubscriptions(ctx, billing.SubscriptionQuery{ExternalID: by.Value})
	},
	Line: func(s *billing.Subscription) string {
		return fmt.Sprintf("%s  %s (created %s)", s.ID, s.Status, s.CreatedAt)
	},
	Refuse: func(_ context.Context, _ *billing.Service, s *billing.Subscription, by object.Selector,
		diags *diag.Diagnostics) {
		if by.ID == "" && s.Status == statusCanceled {
			diags.AddError(fmt.Sprintf("The subscription with %s (id %s) is canceled", by, s.ID),
				"Canceled subscriptions are not found by external_id for an import, because a new subscription may use the "+
					"same one. To import it in spite of that, use its id.")
		}
	},
}

// Read refreshes the state. Only the service's own not-found drops the subscription; a canceled one stays.
func (r *Resource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	own := private.Owned[ownership](ctx, req.Private, &resp.Diagnostics)
	importing := object.Importing(ctx, req.Private, &resp.Diagnostics)
	prior, client, ok := r.BeginRead(ctx, req, resp)
	scheme.Identify(ctx, prior.ID, resp.Identity, &resp.Diagnostics)
	if !ok {
		return
	}
	client.Wrote(prior.ID.ValueString(), prior.CreatedAt.ValueString(), prior.UpdatedAt.ValueString())
	remote := r.Refresh(ctx, client, prior.ID, operation("read", prior), "creates another subscription",
		resp)
	if remote == nil {
		return
	}
	state, err := fromAPI(remote)
	if err == nil && !importing {
		state = state.preserve(prior, remote, own)
	}
	if err == nil && (importing || own.readsItems(prior.Items) && remote.Status != statusCanceled) {
		state.Items, err = readItems(ctx, client, prior.ID.ValueString(), prior.Items)
		if forbidsItems(err) {
			warnForbidden(err, "the items of "+prior.displayName(), &resp.Diagnostics)
			err = nil
		}
	}
	if err != nil {
		apidiag.Add(&resp.Diagnostics, err, operation("read", prior))
		return
	}
	if importing {
		state.emptyCollections()
	}
	if !prior.Pause.IsNull() && state.Pause.IsNull() {
		if now, ok := client.Now(ctx); ok {
			state.keepFulfilled(prior, now)
		}
	}
	warnEndedPause(prior, state, &resp.Diagnostics)
	// The import's own run ends with the next refresh.
	if recorded := text(remote.CancellationReason); recorded != own.Recorded || importing != own.Imported {
		own.Recorded, own.Imported = recorded, importing
		private.SetOwned(ctx, resp.Private, own, &resp.Diagnostics)
	}
	resp.Diagnostics.Append(fields.Set(ctx, &resp.State, state)...)
	object.MarkImport(ctx, resp.Private, false, &resp.Diagnostics)
}

// readItems reads the items, worded as prior words them; where the service does not list them, they stay as they are.
func readItems(ctx context.Context, client *billing.Service, id string, prior types.Set) (types.Set, error) {
	items, listed, err := client.SubscriptionItems(ctx, id)
	if err != nil || !listed {
		return prior, err
	}
	return seenItems(prior, items), nil
}

type lists = object.ListResource[*billing.Service, billing.Subscription, filters]

// ListResource lists subscriptions for `terraform query`.
type ListResource struct{ lists }

// NewListResource returns the list resource.
func NewListResource() list.ListResource {
	return &ListResource{lists{Scheme: scheme,
		About: "Lists the subscriptions of the organization that are not canceled, oldest first, so that " +
			"`terraform query` can write their configuration and import them." + object.Filtered +
			" With `include_resource` the items are part of it, with one more request each." +
			object.ListNeeds("billing_subscriptions"),
		Filters: map[string]schema.Attribute{
			"external_id":        object.ListFilter("Only the subscription with this `external_id`."),
			"billing_account_id": object.ListFilterByID("Only subscriptions of the billing account with this id."),
			"plan_id":            object.ListFilter("Only subscriptions with this active plan.", isIDOf("plan_id")...),
			"status": object.ListFilter("Only subscriptions with this status, such as "+
				"`active`.", validate.KnownStatus(statuses...)),
			"updated_at_gte": object.ListUpdatedSince("subscriptions"),
		},
		Query: func(ctx context.Context, client *billing.Service, m filters) iter.Seq2[billing.Subscription, error] {
			return client.ListSubscriptions(ctx, m.query())
		}}}
}

// List streams subscriptions, each with the whole resource. Canceled ones cannot be managed, so they are left out.
func (l *ListResource) List(ctx context.Context, req list.ListRequest, stream *list.ListResultsStream) {
	var items itemReader
	listing := l.lists
	listing.Describe = func(ctx context.Context, client *billing.Service, s *billing.Subscription) (object.Item, bool) {
		items.client = client
		var notes diag.Diagnostics
		items.diags = &notes
		item, managed := describe(s, func() ([]billing.SubscriptionItem, error) {
			if !req.IncludeResource {
				return nil, nil // takes a request, and nobody sees it
			}
			listed, _, err := items.read(ctx, s)
			return listed, err
		})
		item.Notes = notes
		return item, managed
	}
	listing.List(ctx, req, stream)
}

// describe is a subscription in a list. Generated configuration needs neither trial_end nor trial_period_days: both
// only matter to a creation. Nor does it need plan_change.
func describe(s *billing.Subscription, items func() ([]billing.SubscriptionItem, error)) (object.Item, bool) {
	if s.Status == statusCanceled {
		return object.Item{}, false
	}
	m, err := fromAPI(s)
	if err == nil {
		var listed []billing.SubscriptionItem
		listed, err = items()
		m.Items = seenItems(types.SetNull(itemType), listed)
	}
	m.TrialEnd, m.TrialPeriodDays = fwtype.DateTimePointer(nil), types.Int64Null()
	m.PlanChange = types.ObjectNull(planType.AttrTypes)
	name := s.Status + " on " + s.BillingAccountID
	if s.ExternalID != nil {
		name = *s.ExternalID + " (" + s.Status + ")"
	}
	return object.Item{Name: name, Resource: m, Err: err}, true
}

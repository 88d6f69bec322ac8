package webhookendpoint

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api/collections"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/same"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/apidiag"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/check"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/encrypt"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/object"
)

// ModifyPlan plans every computed attribute, and keeps the value in state if the configuration is semantically equal.
func (r *Resource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	r.Plan(ctx, req, resp, planDestroy, r.planCreate, r.planUpdate)
}

// waiting says what the service does with deliveries of an endpoint that ends or is inactive (Collections §3).
const waiting = "Deliveries that wait for another attempt are lost: the service does not repeat those of an endpoint " +
	"that is inactive or removed."

func (m model) inactive() bool { return m.Active.Equal(types.BoolValue(false)) }

func planDestroy(_ context.Context, p *object.Plan[model]) {
	if !p.State.Policy().Abandons() && !p.State.inactive() {
		p.Diags.AddWarning("Destroying "+p.State.displayName()+" loses its waiting deliveries", waiting)
	}
}

func (r *Resource) planCreate(ctx context.Context, p *object.Plan[model]) {
	p.Planned.requireParts(authOf(p.Planned.withCredentials(p.Config).Authentication), credentials, p.Diags)
	p.Planned.setSecret(encrypt.Secret{}.Planned(p.Planned.AgeRecipients, true))
	if !p.Diags.HasError() {
		warnEvents(p)
		r.warnDuplicate(ctx, p)
	}
}

// planUpdate plans a change, which is always made in place. It marks only those values unknown that this change may
// affect; the schema keeps the other computed values:
//
//	any change at the service   updated_at
//	a rotation                  the secret; also where the outcome of the last one is unknown
func (r *Resource) planUpdate(ctx context.Context, p *object.Plan[model]) {
	p.Update(ctx)
	m, state := &p.Planned, p.State
	if sameAuth(m.Authentication, state.Authentication) && !m.Authentication.IsNull() {
		a := authOf(m.Authentication)
		a.name = a.name.Or(authOf(state.Authentication).name)
		m.Authentication = a.object()
	}
	if m.sendsAuth(state) {
		// Credentials are required only if they are sent, so that an imported endpoint can be planned without them. The other
		// checks are repeated: with ignore_changes on one part, the planned authentication differs from the validated one.
		sent := authOf(m.withCredentials(p.Config).Authentication)
		if !sent.kind.IsUnknown() {
			m.rejectOtherTypes(sent, p.Diags)
		}
		m.requireParts(sent, openParts, p.Diags)
		m.requireParts(sent, credentials, p.Diags)
	}
	if !m.body(state).IsEmpty() {
		m.UpdatedAt = types.StringUnknown()
	}
	lost := secretLost(ctx, p.Private, p.Diags)
	m.setSecret(state.secret().Planned(m.AgeRecipients, lost || m.rotates(state)))
	if m.inactive() && !state.inactive() {
		p.Diags.AddAttributeWarning(path.Root("active"), "Deactivating "+state.displayName()+" loses its waiting deliveries",
			waiting)
	}
	warnSecret(p, lost)
	warnEvents(p)
}

func (m model) rotates(state model) bool {
	return object.Triggered(state.RotateSecretWhenChanged, m.RotateSecretWhenChanged)
}

// warnSecret warns about a rotation of the secret that the consumer uses. An unknown trigger may turn out to be
// unchanged.
func warnSecret(p *object.Plan[model], lost bool) {
	m, state := p.Planned, p.State
	what := "the service signs deliveries with the new secret only, and the consumer rejects them until it has that " +
		"secret. "
	if m.inactive() {
		what += waiting
	} else {
		what += "The service repeats rejected ones, signed with the new secret. Pass it to the consumer in the same apply."
	}
	trigger, name := path.Root("rotate_secret_when_changed"), state.displayName()
	switch {
	case lost:
		p.Diags.AddAttributeWarning(path.Root("secret"), "The secret of "+name+" is unknown and will be rotated",
			"The outcome of the last rotation is unknown, so the consumer's secret may already be invalid. After the apply, "+
				""+what)
	case !m.rotates(state):
		state.secret().Warn(state.AgeRecipients, m.AgeRecipients, encrypt.Names{Object: name, Clear: "secret",
			Encrypted: "encrypted_secret", Trigger: "rotate_secret_when_changed"}, p.Diags)
	case m.triggerKnown():
		p.Diags.AddAttributeWarning(trigger, "The secret of "+name+" is rotated, and the old one is invalid immediately",
			"rotate_secret_when_changed changes. After the apply, "+what)
	default:
		p.Diags.AddAttributeWarning(trigger, "The secret of "+name+" may be rotated", "The values of "+
			"rotate_secret_when_changed are known only after apply. If they differ from those in the state, the old secret "+
			"is invalid immediately: "+what)
	}
}

func (m model) triggerKnown() bool {
	return !m.RotateSecretWhenChanged.IsUnknown() && !slices.ContainsFunc(slices.Collect(maps.Values(
		m.RotateSecretWhenChanged.Elements())), attr.Value.IsUnknown)
}

// documented are the event names in the service's description (Collections §6). New ones are added without notice, so
// other names are accepted.
var documented = []string{"webhook.test", "charge.paid", "api_key.rotated", "api_key.status_changed", "api_key.revoked"}

// warnEvents warns about added names that resemble a documented one, and if a selection becomes all events.
func warnEvents(p *object.Plan[model]) {
	events, had := p.Planned.Events, p.State.Events.Elements()
	if len(had) > 0 && !events.IsUnknown() && len(events.Elements()) == 0 {
		p.Diags.AddAttributeWarning(path.Root("events"), apidiag.Capitalize(p.State.displayName())+" will receive all events",
			"The plan changes events to an empty set, which means all events, including future ones. To receive no events, "+
				"set active = false.")
	}
	for _, element := range events.Elements() {
		event, _ := element.(types.String)
		name := event.ValueString()
		meant := check.NearMiss(name, documented)
		switch {
		case slices.ContainsFunc(had, element.Equal):
		case wildcard(name):
			p.Diags.AddAttributeWarning(path.Root("events"), fmt.Sprintf("events of %s contains a pattern",
				p.Planned.displayName()), "No events match it: the service does not support patterns. "+
				"For all events, including future ones, write events = [].")
		case meant != "":
			p.Diags.AddAttributeWarning(path.Root("events"), fmt.Sprintf("events of %s: did you mean %q?",
				p.Planned.displayName(), meant), "The service documents this event, and one in the configuration is similar. "+
				"The service adds events without notice, so it may be correct. If it is a typo, no events match.")
		}
	}
}

// wildcard reports whether an event is a pattern, like those in scopes of API keys. Event names do not contain a star.
func wildcard(event string) bool { return strings.Contains(event, "*") }

func (r *Resource) warnDuplicate(ctx context.Context, p *object.Plan[model]) {
	plan := p.Planned
	client, ready := r.Client()
	if !ready || plan.URL.IsUnknown() {
		return
	}
	r.WarnDuplicates(ctx, p, object.Duplicates[collections.WebhookEndpoint]{
		At: path.Root("url"), What: "webhook endpoint with the url " + check.Shown("url", plan.URL),
		List: client.ListWebhookEndpoints,
		Same: func(e collections.WebhookEndpoint) bool { return same.URL(e.URL, plan.URL.ValueString()) },
		Summary: func(e collections.WebhookEndpoint) string {
			return fmt.Sprintf("(created %s, last changed %s)", e.CreatedAt, e.UpdatedAt)
		},
		More: "The consumer would receive every event twice. ",
	})
}

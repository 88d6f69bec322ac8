package subscription

import (
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api/billing"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/same"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/fwtype"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/metadata"
)

const keyOwned = "owned"

// owned is what the private state remembers of a subscription; the zero value is that of one that no configuration was applied to yet.
type owned struct {
	Metadata metadata.Owned `json:"custom_metadata"`
	// Arguments are those of clearable that the configuration named when it was last applied. Taken out, they are cleared; what was
	// never named is left as it is.
	Arguments []string `json:"arguments,omitempty"`
	// ItemsAsListed says that the items in the state are worded by the service, as an import found them, and no configuration has changed
	// them since: an amount that the configuration does not name may then be the price's own.
	ItemsAsListed bool `json:"items_as_listed,omitempty"`
	// Items are those that the configuration named when it was last applied, so that a plan can tell which ones others
	// have added.
	Items []string `json:"items,omitempty"`
	// PausedUntil is the resumes_at of the last pause that was carried out. Once it has passed, that pause is
	// fulfilled.
	PausedUntil string `json:"paused_until,omitempty"`
	// Reason is the cancellation_reason that the configuration named when it was last applied: the state has that of the
	// service, which another system may have given.
	Reason string `json:"reason,omitempty"`
	// Pending is a change of plan that waits for the end of the period at a service that does not show it.
	Pending pending `json:"pending,omitzero"`
}

// Names of the arguments that the service may have set by itself, and that are cleared when the configuration gives them up.
const (
	argItems              = "items"
	argCollectionMethod   = "collection_method"
	argNfeIssuancePolicy  = "nfe_issuance_policy"
	argCancelAtPeriodEnd  = "cancel_at_period_end"
	argCancellationReason = "cancellation_reason"
)

// ownedBy is what applying config establishes, without its custom_metadata.
func ownedBy(config model) owned {
	o := owned{Items: itemKeys(config.Items), Reason: config.CancellationReason.ValueString()}
	for name, given := range map[string]bool{
		argItems:              !config.Items.IsNull(),
		argCollectionMethod:   !config.CollectionMethod.IsNull(),
		argNfeIssuancePolicy:  !config.NfeIssuancePolicy.IsNull(),
		argCancelAtPeriodEnd:  !config.CancelAtPeriodEnd.IsNull(),
		argCancellationReason: !config.CancellationReason.IsNull(),
	} {
		if given {
			o.Arguments = append(o.Arguments, name)
		}
	}
	slices.Sort(o.Arguments)
	return o
}

// namedBy leaves out what o would own anew and raw does not name. raw is the configuration without ignore_changes: an
// argument that is ignored looks configured to a plan, and must not become owned by that.
func (o owned) namedBy(raw owned, before owned) owned {
	o.Arguments = slices.DeleteFunc(slices.Clone(o.Arguments), func(name string) bool { return !raw.had(name) && !before.had(name) })
	if !o.had(argCancellationReason) {
		o.Reason = ""
	}
	o.Items = slices.DeleteFunc(slices.Clone(o.Items), func(key string) bool {
		return !slices.Contains(raw.Items, key) && !slices.Contains(before.Items, key)
	})
	return o
}

// itemKeys names the items of a configuration; none while a part of it is unknown.
func itemKeys(set types.Set) (keys []string) {
	if !knownItems(set) {
		return nil
	}
	for _, i := range itemsOf(set) {
		keys = append(keys, i.key())
	}
	return keys
}

// addedItem reports whether the service has the item as the configuration has named it, with or without the amount.
func (o owned) addedItem(i item) bool {
	atPrice := i
	atPrice.unit = types.Int64Null()
	return slices.Contains(o.Items, i.key()) || slices.Contains(o.Items, atPrice.key())
}

// pausedUntil reports whether a pause until this date was carried out.
func (o owned) pausedUntil(resumesAt fwtype.DateTime) bool {
	return o.PausedUntil != "" && resumesAt.Means(fwtype.DateTimePointer(&o.PausedUntil))
}

// applied reports whether a configuration was applied to the subscription since it was imported.
func (o owned) applied() bool { return o.Metadata.Object != nil }

// itemsAsListed reports whether the state words the items as the service lists them.
func (o owned) itemsAsListed() bool { return !o.applied() || o.ItemsAsListed }

// reaching is what is owned after a step of the way from o to next: what the step carries is owned from then on.
func (o owned) reaching(next owned, verb string) owned {
	switch verb {
	case verbUpdate:
		o.Metadata, o.Reason = next.Metadata, next.Reason
		o.Arguments = union(o.Arguments, slices.DeleteFunc(slices.Clone(next.Arguments), func(name string) bool { return name == argItems }))
	case verbItems:
		o.ItemsAsListed = next.ItemsAsListed
		if next.had(argItems) {
			o.Arguments = union(o.Arguments, []string{argItems})
		}
		o.Items = next.Items
	case verbPause:
		o.PausedUntil = next.PausedUntil
	}
	return o
}

func union(a, b []string) []string {
	return slices.Compact(slices.Sorted(slices.Values(slices.Concat(a, b))))
}

// readsItems reports whether a refresh reads the items of a subscription that has these in the state. Where there are
// none and the configuration has not said so, nobody is interested in them; a plan that is reads them, see
// planning.planItems.
func (o owned) readsItems(state types.Set) bool {
	return len(state.Elements()) > 0 || !state.IsNull() && o.had(argItems)
}

// firstItems reports whether the configuration has named no items so far and the state has none: what the service has was not read.
func (o owned) firstItems(state types.Set) bool {
	return len(state.Elements()) == 0 && !o.had(argItems)
}

// had reports whether the configuration named the argument when it was last applied.
func (o owned) had(argument string) bool { return slices.Contains(o.Arguments, argument) }

// pending is a change of plan that was asked for the end of a period, and accepted by an answer that does not mention it. It is
// believed until the period has moved or the plan has changed.
type pending struct {
	// From is the plan that runs, "" for none.
	From      string `json:"from"`
	To        string `json:"to"`
	PeriodEnd string `json:"period_end"`
}

func (p pending) holds(s *billing.Subscription) bool {
	return p.To != "" && s.PendingPlanID() == "" && same.ID(p.From, runs(s)) && s.CurrentPeriodEnd == p.PeriodEnd
}

// noted is the pending change to remember after s has answered a change to the plan to.
func noted(s *billing.Subscription, to, timing string) pending {
	if timing != timingEndOfPeriod || same.ID(to, runs(s)) || s.PendingPlanID() != "" {
		return pending{}
	}
	return pending{From: runs(s), To: to, PeriodEnd: s.CurrentPeriodEnd}
}

// runs is the plan that runs now, "" for none.
func runs(s *billing.Subscription) string {
	if s.PlanID == nil {
		return ""
	}
	return *s.PlanID
}

package subscription

import (
	"slices"

	"github.com/recurring-billing/terraform-provider-billing/internal/api/billing"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/same"
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
	// Pending is a change of plan that waits for the end of the period at a service that does not show it.
	Pending pending `json:"pending,omitzero"`
}

// Names of the arguments that the service may have set by itself, and that are cleared when the configuration gives them up.
const (
	argItems             = "items"
	argCollectionMethod  = "collection_method"
	argNfeIssuancePolicy = "nfe_issuance_policy"
	argCancelAtPeriodEnd = "cancel_at_period_end"
)

func ownedBy(config model, desired metadata.Object) owned {
	o := owned{Metadata: metadata.OwnedBy(desired)}
	for name, given := range map[string]bool{
		argItems:             !config.Items.IsNull(),
		argCollectionMethod:  !config.CollectionMethod.IsNull(),
		argNfeIssuancePolicy: !config.NfeIssuancePolicy.IsNull(),
		argCancelAtPeriodEnd: !config.CancelAtPeriodEnd.IsNull(),
	} {
		if given {
			o.Arguments = append(o.Arguments, name)
		}
	}
	slices.Sort(o.Arguments)
	return o
}

func (o owned) of(mode interface{ ValueString() string }, defaults metadata.Object) metadata.Ownership {
	return metadata.Ownership{Mode: mode.ValueString(), Defaults: defaults, Owned: o.Metadata.Object}
}

// applied reports whether a configuration was applied to the subscription since it was imported.
func (o owned) applied() bool { return o.Metadata.Object != nil }

// itemsAsListed reports whether the state words the items as the service lists them.
func (o owned) itemsAsListed() bool { return !o.applied() || o.ItemsAsListed }

// reaching is what is owned after a step of the way from o to next: what the step carries is owned from then on.
func (o owned) reaching(next owned, verb string) owned {
	switch verb {
	case verbUpdate:
		o.Metadata = next.Metadata
		o.Arguments = union(o.Arguments, slices.DeleteFunc(slices.Clone(next.Arguments), func(name string) bool { return name == argItems }))
	case verbItems:
		o.ItemsAsListed = next.ItemsAsListed
		if next.had(argItems) {
			o.Arguments = union(o.Arguments, []string{argItems})
		}
	}
	return o
}

func union(a, b []string) []string {
	return slices.Compact(slices.Sorted(slices.Values(slices.Concat(a, b))))
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

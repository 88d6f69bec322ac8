package subscription

import (
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/fwtype"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/metadata"
)

// ownership is what the configuration owned of the subscription when it was last applied, see private.Owned, and what
// was carried out.
type ownership struct {
	Metadata metadata.Owned `json:"custom_metadata"`
	// Arguments are those of clearable that the configuration named when it was last applied. If removed, they are
	// cleared; what was never named is left as it is.
	Arguments []string `json:"arguments,omitempty"`
	// ItemsAsListed says that the items in the state are worded by the service, as an import found them, and no
	// configuration has changed them since: an amount that the configuration does not name may then be the price's own.
	ItemsAsListed bool `json:"items_as_listed,omitempty"`
	// Items are those that the configuration named when it was last applied, so that a plan can name which ones others
	// have added.
	Items []string `json:"items,omitempty"`
	// PausedUntil is the resumes_at of the last pause that was carried out. Once it has passed, that pause is
	// fulfilled.
	PausedUntil string `json:"paused_until,omitempty"`
	// Reason is the cancellation_reason that the configuration named when it was last applied, and Recorded the one that
	// the service has, which another system may have given.
	Reason   string `json:"reason,omitempty"`
	Recorded string `json:"recorded,omitempty"`
	// Imported says that the subscription was imported in this run: it begins with the refresh that belongs to the import
	// and ends with the next one, or with an apply that changes something.
	Imported bool `json:"imported,omitempty"`
	// Pending is a change of plan that waits for the end of the period at a service that does not show it.
	Pending pending `json:"pending,omitzero"`
}

// Names of the arguments that the service may have set by itself, and that are cleared when the configuration gives
// them up.
const (
	argItems              = "items"
	argCollectionMethod   = "collection_method"
	argNfeIssuancePolicy  = "nfe_issuance_policy"
	argCancelAtPeriodEnd  = "cancel_at_period_end"
	argCancellationReason = "cancellation_reason"
)

var clearable = []string{argCancelAtPeriodEnd, argCancellationReason, argCollectionMethod, argItems, argNfeIssuancePolicy}

// ownedBy is what applying config establishes, without its custom_metadata.
func ownedBy(config model) ownership {
	o := ownership{Items: itemKeys(config.Items), Reason: config.CancellationReason.ValueString()}
	for _, name := range clearable {
		if !config.get(name).IsNull() {
			o.Arguments = append(o.Arguments, name)
		}
	}
	return o
}

// namedBy leaves out what o would newly own and raw does not name. raw is the configuration without ignore_changes: an
// argument that is ignored looks configured to a plan, and must not become owned by that.
func (o ownership) namedBy(raw, before ownership) ownership {
	o.Arguments = slices.DeleteFunc(slices.Clone(o.Arguments), func(name string) bool {
		return !raw.had(name) &&
			!before.had(name)
	})
	if !o.had(argCancellationReason) {
		o.Reason = ""
	}
	o.Items = slices.DeleteFunc(slices.Clone(o.Items), func(key string) bool {
		return !slices.Contains(raw.Items, key) && !slices.Contains(before.Items, key)
	})
	return o
}

// addedItem reports whether the service has the item as the configuration has named it, with or without the amount.
func (o ownership) addedItem(i item) bool {
	atPrice := i
	atPrice.unit = types.Int64Null()
	return slices.Contains(o.Items, i.key()) || slices.Contains(o.Items, atPrice.key())
}

// pausedUntil reports whether a pause until this date was carried out.
func (o ownership) pausedUntil(resumesAt fwtype.DateTime) bool {
	return o.PausedUntil != "" && resumesAt.Means(fwtype.DateTimePointer(&o.PausedUntil))
}

// applied reports whether a configuration was applied to the subscription since it was imported.
func (o ownership) applied() bool { return o.Metadata.Object != nil }

// itemsAsListed reports whether the state writes the items as the service lists them.
func (o ownership) itemsAsListed() bool { return !o.applied() || o.ItemsAsListed }

func union(a, b []string) []string {
	return slices.Compact(slices.Sorted(slices.Values(slices.Concat(a, b))))
}

// readsItems reports whether a refresh reads the items of a subscription that has these in the state. Where there are
// none and the configuration has not said so, nobody is interested in them; a plan that is reads them, see
// planning.planItems.
func (o ownership) readsItems(state types.Set) bool {
	return len(state.Elements()) > 0 || !state.IsNull() && o.had(argItems)
}

// firstItems reports whether the configuration has named no items so far and the state has none: what the service has
// was not read.
func (o ownership) firstItems(state types.Set) bool {
	return len(state.Elements()) == 0 && !o.had(argItems)
}

// had reports whether the configuration named the argument when it was last applied.
func (o ownership) had(argument string) bool { return slices.Contains(o.Arguments, argument) }

package object

import (
	"context"
	"fmt"
	"reflect"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/metadata"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/private"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/value"
)

// learn records how the service has worded the texts of this apply, and returns the differences that are no wording. It
// learns only from the response to a request that carried the text: another one may show a change by another system.
func (w *Write[S, T, M]) learn(ctx context.Context, differences []difference) (left []difference) {
	texts := w.resource.Scheme.Texts
	if w.Last == nil {
		return differences
	}
	before := w.wording.clone()
	for _, name := range texts {
		if name != attributeCustom && w.sent(name) {
			delete(w.wording.Shown, name)
			delete(w.wording.Entries, name)
		}
	}
	var whole *difference
	own := false
	for _, d := range differences {
		own = own || d.Attribute == attributeCustom
		switch {
		case d.Attribute == attributeEffective:
			whole = &d
		case !slices.Contains(texts, d.Attribute) || !w.explained(d):
			left = append(left, d)
		}
	}
	if whole != nil && !w.learnWhole(*whole, own) {
		left = append(left, *whole)
	}
	w.storeWording(ctx, before)
	return left
}

func (w *Write[S, T, M]) storeWording(ctx context.Context, before wording) {
	switch {
	case w.wording.isEmpty() && !before.isEmpty():
		private.Remove(ctx, w.Private, keyWording, w.Diags)
	case !reflect.DeepEqual(before, w.wording) && !w.wording.isEmpty():
		private.Set(ctx, w.Private, keyWording, w.wording, w.Diags)
	}
}

// explained reports whether a difference is a wording: of a text that was sent, or a known one.
func (w *Write[S, T, M]) explained(d difference) bool {
	if w.sent(d.Attribute) {
		return w.learnOne(d) != less
	}
	return alike(w.wording.restore(d.Attribute, d.Planned, d.Responded), d.Planned)
}

// sent reports whether the apply has sent an argument.
func (w *Write[S, T, M]) sent(name string) bool {
	return w.is == creation || w.Whole || slices.Contains(w.Sent, name) ||
		!value.Field(w.Plan, name).Equal(value.Field(w.before, name))
}

// learnOne learns one attribute, and warns if it is kept although it is no wording.
func (w *Write[S, T, M]) learnOne(d difference) learned {
	had := value.Field(w.before, d.Attribute)
	if w.is == creation || w.Whole {
		had = nil
	}
	tried := w.wording.clone()
	result := tried.learn(d.Attribute, d.Planned, d.Responded, had)
	if result == said && w.Found {
		return less
	}
	w.wording = tried
	if result == said && !(w.is == creation && d.Planned.IsNull()) {
		w.warnSaid(d)
	}
	return result
}

// warnSaid warns about a value that is kept although it is no wording.
func (w *Write[S, T, M]) warnSaid(d difference) {
	w.Diags.AddAttributeWarning(path.Root(d.Attribute),
		fmt.Sprintf("The service stored a different value of %s for %s", d.Attribute, policyOf(w.State).Object),
		d.shown("The configuration has %s, and the service stored %s. ")+"Plans show no difference for as long as the "+
			"service shows this value. To use it, write it in the configuration.")
}

// learnDefaults learns the texts of default_custom_metadata, which are in the whole only. own is set if custom_metadata
// differs too, about which learnOne has warned.
func (w *Write[S, T, M]) learnDefaults(d difference, shown metadata.Object, own bool) {
	planned, _ := d.Planned.(types.String)
	had := metadata.Object{}
	if before, _ := value.Field(w.before, attributeEffective).(types.String); w.is != creation {
		had, _ = metadata.Parse([]byte(before.ValueString()))
	}
	wanted, err := metadata.Parse([]byte(planned.ValueString()))
	if err != nil || !w.sent(attributeEffective) {
		return
	}
	tried := w.wording.clone()
	result := tried.learnTree(attributeCustom, wanted, shown, had)
	if result == less || result == said && w.Found {
		return
	}
	if w.wording = tried; result == said && !own {
		w.warnSaid(d)
	}
}

// learnWhole learns the whole of custom_metadata. In replace mode, that includes what the service adds. It reports
// whether the difference is only a wording. own is as for learnDefaults.
func (w *Write[S, T, M]) learnWhole(d difference, own bool) bool {
	shown, _ := d.Responded.(types.String)
	mode, _ := value.Field(w.Plan, "custom_metadata_mode").(types.String)
	object, err := metadata.Parse([]byte(shown.ValueString()))
	custom, _ := value.Field(w.Plan, attributeCustom).(metadata.Value)
	wanted, unread := custom.Object()
	if err != nil || unread != nil {
		return false
	}
	if mode.ValueString() == metadata.ModeReplace && !metadata.Removes(wanted, object) {
		w.wording.note(attributeCustom+wholePath, types.StringValue(metadata.Text(object)))
	}
	w.learnDefaults(d, object, own)
	planned, _ := d.Planned.(types.String)
	return planned.Equal(w.wording.effective(planned, shown))
}

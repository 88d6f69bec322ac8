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

// Finish saves the outcome of an apply: the plan with the values of response, the last one that shows the object, which
// convert adds to it. If response is nil, the outcome is the plan. Values that are unknown in both are those of the
// state. It warns about values that the service stored differently.
func (o *Op[S, T, M]) Finish(ctx context.Context, response *T, convert func(*T) M) {
	outcome := o.Plan
	if response != nil {
		outcome = convert(response)
	}
	fill(ctx, &outcome, &o.State)
	differences := CopyKnown(ctx, &o.Plan, &outcome)
	if o.State = outcome; !o.failed {
		if response != nil {
			differences = o.learn(ctx, differences)
		}
		o.warn(ctx, differences)
	}
	o.Save(ctx, outcome)
	private.Remove(ctx, o.Private, keyImport, o.Diags)
}

// warn reports which arguments the service stored differently. It skips computed attributes, and unchanged arguments
// that are not configured or are under ignore_changes: these show the service's value. It also skips custom_metadata if
// effective_custom_metadata, the whole object, is as planned: the first apply after an import removes no key, even with
// custom_metadata_mode = "replace".
func (o *Op[S, T, M]) warn(ctx context.Context, differences []difference) {
	attributes := o.state.Schema.GetAttributes()
	for _, d := range differences {
		is := attributes[d.Attribute]
		if is == nil || !is.IsRequired() && !is.IsOptional() {
			continue
		}
		asked, before := value.Field(o.Config, d.Attribute), value.Field(o.before, d.Attribute)
		if d.Attribute == "custom_metadata" && !slices.ContainsFunc(differences, func(d difference) bool {
			return d.Attribute == "effective_custom_metadata"
		}) {
			continue
		}
		if d.Planned.Equal(before) && (is.IsComputed() && asked.IsNull() || !means(ctx, asked, d.Planned)) {
			continue
		}
		o.Diags.AddAttributeWarning(path.Root(d.Attribute),
			fmt.Sprintf("The service stored a different value of %s for %s", d.Attribute, policyOf(o.State).Object),
			d.shown("The plan has %s, and the service returned %s. ")+"The next plan shows the difference: it reverts a "+
				"change by another system. If the service itself changes the value, configure one that it accepts.")
	}
}

// learn records how the service has worded the texts of this apply, and returns the differences that are no wording. It
// learns only from the response to a request that carried the text: another one may show a change by another system.
func (o *Op[S, T, M]) learn(ctx context.Context, differences []difference) (left []difference) {
	texts := textsOf(o.resource.Scheme.TypeName, o.state.Schema)
	before := o.wording.clone()
	for _, name := range texts {
		if name != attributeCustom && o.sent(name) {
			delete(o.wording.Shown, name)
			delete(o.wording.Entries, name)
		}
	}
	var whole *difference
	own := false
	for _, d := range differences {
		own = own || d.Attribute == attributeCustom
		switch {
		case d.Attribute == attributeEffective:
			whole = &d
		case !slices.Contains(texts, d.Attribute) || !o.explained(d):
			left = append(left, d)
		}
	}
	if whole != nil && !o.learnWhole(*whole, own) {
		left = append(left, *whole)
	}
	o.storeWording(ctx, before)
	return left
}

func (o *Op[S, T, M]) storeWording(ctx context.Context, before wording) {
	switch {
	case o.wording.isEmpty() && !before.isEmpty():
		private.Remove(ctx, o.Private, keyWording, o.Diags)
	case !reflect.DeepEqual(before, o.wording) && !o.wording.isEmpty():
		private.Set(ctx, o.Private, keyWording, o.wording, o.Diags)
	}
}

// explained reports whether a difference is a wording: of a text that was sent, or a known one.
func (o *Op[S, T, M]) explained(d difference) bool {
	if o.sent(d.Attribute) {
		return o.learnOne(d) != lostText
	}
	return alike(o.wording.restore(d.Attribute, d.Planned, d.Responded), d.Planned)
}

// sent reports whether the apply has sent an argument.
func (o *Op[S, T, M]) sent(name string) bool {
	return o.is == creation || o.SentAll || slices.Contains(o.AlsoSent, name) ||
		!value.Field(o.Plan, name).Equal(value.Field(o.before, name))
}

// learnOne learns one attribute, and warns if it is kept although it is no wording.
func (o *Op[S, T, M]) learnOne(d difference) learned {
	had := value.Field(o.before, d.Attribute)
	if o.is == creation || o.SentAll {
		had = nil
	}
	tried := o.wording.clone()
	result := tried.learn(d.Attribute, d.Planned, d.Responded, had)
	if result == otherText && o.MayPredate {
		return lostText
	}
	o.wording = tried
	if result == otherText && !(o.is == creation && d.Planned.IsNull()) {
		o.warnOtherText(d)
	}
	return result
}

// warnOtherText warns about a value that is kept although it is no wording.
func (o *Op[S, T, M]) warnOtherText(d difference) {
	o.Diags.AddAttributeWarning(path.Root(d.Attribute),
		fmt.Sprintf("The service stored a different value of %s for %s", d.Attribute, policyOf(o.State).Object),
		d.shown("The configuration has %s, and the service stored %s. ")+"Plans show no difference for as long as the "+
			"service shows this value. To use it, write it in the configuration.")
}

// learnDefaults learns the texts of default_custom_metadata, which are in the whole only. own is set if custom_metadata
// differs too, about which learnOne has warned.
func (o *Op[S, T, M]) learnDefaults(d difference, shown metadata.Object, own bool) {
	planned, _ := d.Planned.(types.String)
	had := metadata.Object{}
	if before, _ := value.Field(o.before, attributeEffective).(types.String); o.is != creation {
		had, _ = metadata.Parse([]byte(before.ValueString()))
	}
	wanted, err := metadata.Parse([]byte(planned.ValueString()))
	if err != nil || !o.sent(attributeEffective) {
		return
	}
	tried := o.wording.clone()
	result := tried.learnTree(attributeCustom, wanted, shown, had)
	if result == lostText || result == otherText && o.MayPredate {
		return
	}
	if o.wording = tried; result == otherText && !own {
		o.warnOtherText(d)
	}
}

// learnWhole learns the whole of custom_metadata. In replace mode, that includes what the service adds to what was
// sent; if nothing was, another system has added it. It reports whether the difference is only a wording. own is as for
// learnDefaults.
func (o *Op[S, T, M]) learnWhole(d difference, own bool) bool {
	shown, _ := d.Responded.(types.String)
	mode, _ := value.Field(o.Plan, "custom_metadata_mode").(types.String)
	object, err := metadata.Parse([]byte(shown.ValueString()))
	custom, _ := value.Field(o.Plan, attributeCustom).(metadata.Value)
	wanted, unread := custom.Object()
	if err != nil || unread != nil {
		return false
	}
	if mode.ValueString() == metadata.ModeReplace && o.sent(attributeEffective) && !metadata.Removes(wanted, object) {
		o.wording.note(attributeCustom+wholePath, types.StringValue(metadata.Text(object)))
	}
	o.learnDefaults(d, object, own)
	planned, _ := d.Planned.(types.String)
	return planned.Equal(o.wording.effective(planned, shown))
}

package value

import (
	"encoding/json"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/metadata"
)

// Changed is one key of a body: absent when planned is what the state has, null when it is cleared, else its wire form.
// The state of a creation is the zero model, so that null is absent. An unknown value counts as changed, which is what
// a plan wants to know.
func Changed[V attr.Value, T any](planned, state V, to func(V) T) api.Field[T] {
	switch {
	case planned.Equal(state), planned.IsNull() && state.IsNull(): // a zero set equals no other
		return api.Field[T]{}
	case planned.IsNull():
		return api.Null[T]()
	default:
		return api.Set(to(planned))
	}
}

// ChangedText is Changed for a text.
func ChangedText(planned, state types.String) api.Field[string] {
	return Changed(planned, state, types.String.ValueString)
}

// ChangedNumber is Changed for a whole number.
func ChangedNumber(planned, state types.Int64) api.Field[int64] {
	return Changed(planned, state, types.Int64.ValueInt64)
}

// ChangedBool is Changed for a truth value.
func ChangedBool(planned, state types.Bool) api.Field[bool] {
	return Changed(planned, state, types.Bool.ValueBool)
}

// ChangedLabels is Changed for a set of texts where none and the empty set are the same.
func ChangedLabels(planned, state types.Set) api.Field[[]string] {
	none := len(planned.Elements())+len(state.Elements()) == 0
	if planned.Equal(state) || none && !planned.IsUnknown() {
		return api.Field[[]string]{}
	}
	return api.Set(Texts(planned))
}

// ChangedMetadata is custom_metadata in the body of a creation: absent where there is none.
func ChangedMetadata(desired metadata.Owned) api.Field[json.RawMessage] {
	payload := desired.Payload()
	if payload == nil {
		return api.Field[json.RawMessage]{}
	}
	return api.Set(payload)
}

// TextOrNull is null for a text that the service has left out.
func TextOrNull(s string) types.String {
	if s == "" {
		return types.StringNull()
	}
	return types.StringValue(s)
}

// FilledOrNull is null for a text that the service returns as null, leaves out, or returns empty. Generated
// configuration has null for an empty text too.
func FilledOrNull(s *string) types.String {
	if s == nil {
		return types.StringNull()
	}
	return TextOrNull(*s)
}

// Known is null for a text, number or truth value that is still unknown where a known one is needed.
func Known[V types.String | types.Int64 | types.Bool](v V) V {
	if any(v).(attr.Value).IsUnknown() {
		var null V
		return null
	}
	return v
}

// OrPlanned is what a response to a creation shows, or what was planned where the response leaves it out.
func OrPlanned[V types.String | types.Int64 | types.Bool](responded, planned V) V {
	if any(responded).(attr.Value).IsNull() {
		return Known(planned)
	}
	return responded
}

// JSONText is the normalized text of an object that is only read. Null stays null, and so does what is not an object.
func JSONText(raw json.RawMessage) types.String {
	object, err := metadata.Parse(raw)
	if err != nil || object == nil {
		return types.StringNull()
	}
	return types.StringValue(metadata.Text(object))
}

// AnyJSONText is the normalized text of a value of any kind that is only read; null stays null.
func AnyJSONText(raw json.RawMessage) types.String {
	if text := JSONText(raw); !text.IsNull() {
		return text
	}
	if len(raw) == 0 || string(raw) == "null" || !json.Valid(raw) {
		return types.StringNull()
	}
	return types.StringValue(string(raw))
}

// SetOf is the set of texts, sorted and each once; none is null.
func SetOf(texts []string) types.Set {
	if len(texts) == 0 {
		return types.SetNull(types.StringType)
	}
	texts = slices.Compact(slices.Sorted(slices.Values(texts)))
	elements := make([]attr.Value, len(texts))
	for i, text := range texts {
		elements[i] = types.StringValue(text)
	}
	return types.SetValueMust(types.StringType, elements)
}

// SetOrEmpty is Set for an attribute where none has a meaning: none is the empty set.
func SetOrEmpty(texts []string) types.Set {
	if len(texts) == 0 {
		return types.SetValueMust(types.StringType, nil)
	}
	return SetOf(texts)
}

// Texts is the wire form of a known set of texts.
func Texts(set types.Set) []string {
	texts := make([]string, 0, len(set.Elements()))
	for _, element := range set.Elements() {
		if text, ok := element.(types.String); ok {
			texts = append(texts, text.ValueString())
		}
	}
	return texts
}

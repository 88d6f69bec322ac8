package value

import (
	"encoding/json"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/metadata"
)

// Changed is one key of a body: absent if planned equals the state, null if it is cleared, else its wire form. The
// state of a creation is the zero model, so that null is absent. An unknown value counts as changed, as a plan needs
// it.
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

// ChangedText is Changed for a string.
func ChangedText(planned, state types.String) api.Field[string] {
	return Changed(planned, state, types.String.ValueString)
}

// ChangedSpelling is ChangedText for a text with several spellings: another spelling of the same value is no change.
func ChangedSpelling[N notation](planned, state Text[N]) api.Field[string] {
	if planned.Means(state) {
		return api.Field[string]{}
	}
	return ChangedText(planned.StringValue, state.StringValue)
}

// ChangedNumber is Changed for a whole number.
func ChangedNumber(planned, state types.Int64) api.Field[int64] {
	return Changed(planned, state, types.Int64.ValueInt64)
}

// ChangedBool is Changed for a bool.
func ChangedBool(planned, state types.Bool) api.Field[bool] {
	return Changed(planned, state, types.Bool.ValueBool)
}

// ChangedLabels is Changed for a set of strings; null and the empty set are equal.
func ChangedLabels(planned, state StringSet) api.Field[[]string] {
	none := len(planned.Elements())+len(state.Elements()) == 0
	if planned.Equal(state) || none && !planned.IsUnknown() {
		return api.Field[[]string]{}
	}
	return api.Set(Texts(planned))
}

// ChangedMetadata is custom_metadata in the body of a creation; absent if empty.
func ChangedMetadata(desired metadata.Owned) api.Field[json.RawMessage] {
	payload := desired.Payload()
	if payload == nil {
		return api.Field[json.RawMessage]{}
	}
	return api.Set(payload)
}

// TextOrNull converts a string that the service omits if it has no value; that is null.
func TextOrNull(s string) types.String {
	if s == "" {
		return types.StringNull()
	}
	return types.StringValue(s)
}

// FilledOrNull converts a string that the service returns as null or empty, or omits, if it has no value; that is null.
// Generated configuration has null for an empty string too.
func FilledOrNull(s *string) types.String {
	if s == nil {
		return types.StringNull()
	}
	return TextOrNull(*s)
}

// Known replaces an unknown value with null.
func Known[V types.String | types.Int64 | types.Bool](v V) V {
	if any(v).(attr.Value).IsUnknown() {
		var null V
		return null
	}
	return v
}

// OrPlanned returns the value in the response to a creation, or the planned one if the response omits it.
func OrPlanned[V types.String | types.Int64 | types.Bool](responded, planned V) V {
	if any(responded).(attr.Value).IsNull() {
		return Known(planned)
	}
	return responded
}

// JSONText normalizes a JSON object that is only read. Null, and anything but an object, is null.
func JSONText(raw json.RawMessage) types.String {
	object, err := metadata.Parse(raw)
	if err != nil || object == nil {
		return types.StringNull()
	}
	return types.StringValue(metadata.Text(object))
}

// AnyJSONText normalizes a JSON value of any kind that is only read; null stays null.
func AnyJSONText(raw json.RawMessage) types.String {
	if text := JSONText(raw); !text.IsNull() {
		return text
	}
	if len(raw) == 0 || string(raw) == "null" || !json.Valid(raw) {
		return types.StringNull()
	}
	return types.StringValue(string(raw))
}

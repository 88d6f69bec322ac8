package billing

import (
	"maps"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/server"
)

// object is a free-form JSON object whose numbers stay as they are written.
// A nil one is returned as null.
type object map[string]any

// UnmarshalJSON keeps numbers exact, beyond 2^53 too.
func (o *object) UnmarshalJSON(document []byte) error {
	value, err := server.Decode(document)
	if err != nil {
		return err
	}
	// null, the one other value the rules let this far, leaves a nil object.
	*o, _ = value.(map[string]any)
	return nil
}

// How an update treats the stored custom_metadata
// (service description, Recurring billing §4, custom_metadata_mode).
const (
	modeReplace = "replace"
	modeMerge   = "merge"
)

// merge deep-merges change into stored and returns a new object: nested
// objects merge, scalars and arrays replace the key, and a key sent as null is
// kept with null as its value. With nullsChangeNothing a null leaves the key
// unchanged (wire contract: Tolerance).
func merge(stored, change map[string]any, nullsChangeNothing bool) map[string]any {
	merged := maps.Clone(stored)
	if merged == nil {
		merged = map[string]any{}
	}
	for key, value := range change {
		if value == nil && nullsChangeNothing {
			continue
		}
		if nested, ok := value.(map[string]any); ok {
			before, _ := merged[key].(map[string]any)
			value = merge(before, nested, nullsChangeNothing)
		}
		merged[key] = value
	}
	return merged
}

// updatedMetadata returns the custom_metadata of an object after an update that sent
// this, in that mode. nil says that nothing was sent: the rules let no null pass.
func updatedMetadata(c *server.Call, stored, sent object, mode string) object {
	switch {
	case sent == nil:
		return stored
	case mode == modeMerge:
		return merge(stored, sent, c.Tolerance.NullsChangeNothing)
	default:
		return sent
	}
}

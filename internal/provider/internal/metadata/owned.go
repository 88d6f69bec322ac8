package metadata

import (
	"encoding/json"

	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"
)

// Owned is the object that a configuration owned when it was last applied, as the private state keeps it, numbers
// exact. Nil means that no configuration was applied yet.
type Owned struct{ Object Object }

// Under is the ownership under a custom_metadata_mode.
func (o Owned) Under(mode basetypes.StringValue) Ownership {
	return Ownership{Mode: mode.ValueString(), Owned: o.Object}
}

// Payload is what a creation sends: nothing for an empty object.
func (o Owned) Payload() json.RawMessage {
	if len(o.Object) == 0 {
		return nil
	}
	return Payload(o.Object)
}

// MarshalJSON writes the object, or null.
func (o Owned) MarshalJSON() ([]byte, error) {
	if o.Object == nil {
		return []byte("null"), nil
	}
	return json.Marshal(o.Object)
}

// UnmarshalJSON reads the object, or null.
func (o *Owned) UnmarshalJSON(text []byte) (err error) {
	o.Object, err = Parse(text)
	return err
}

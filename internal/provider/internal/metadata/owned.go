package metadata

import (
	"encoding/json"

	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"
)

// Owned is the object that a configuration owned when it was last applied, as the private state keeps it, numbers
// exact. Nil means that no configuration was applied yet.
type Owned struct{ Object Object }

// OwnedBy is what applying desired establishes.
func OwnedBy(desired Object) Owned {
	if desired == nil {
		desired = Object{}
	}
	return Owned{Object: desired}
}

// Under is the ownership under a custom_metadata_mode and the provider's defaults.
func (o Owned) Under(mode basetypes.StringValue, defaults Object) Ownership {
	return Ownership{Mode: mode.ValueString(), ModeUnknown: mode.IsUnknown(), Defaults: defaults, Owned: o.Object}
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

package metadata

import "encoding/json"

// Owned is the object that a configuration owned when it was last applied, as the private state keeps it, numbers exact. Nil means
// that no configuration was applied yet.
type Owned struct{ Object Object }

// OwnedBy is what applying desired establishes.
func OwnedBy(desired Object) Owned {
	if desired == nil {
		desired = Object{}
	}
	return Owned{Object: desired}
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

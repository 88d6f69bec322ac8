package sandbox

// undocumented is the field that UnknownFields adds to every object.
const undocumented = "x_undocumented"

// encode writes a successful answer, bent as the tolerances say.
func (t Tolerance) encode(body any) ([]byte, error) {
	plain, err := encode(body)
	if err != nil || !(t.OmitNullFields || t.UnknownFields || t.NullLists) {
		return plain, err
	}
	tree, err := decode(plain)
	if err != nil {
		return nil, err
	}
	return encode(t.bend(tree))
}

// bend changes the documented parts of an answer. What clients themselves put
// into custom_metadata stays as it is.
func (t Tolerance) bend(value any) any {
	switch value := value.(type) {
	case []any:
		if t.NullLists && len(value) == 0 {
			return nil
		}
		for i, item := range value {
			value[i] = t.bend(item)
		}
		return value
	case map[string]any:
		for name, field := range value {
			if name != "custom_metadata" {
				value[name] = t.bend(field)
			}
			if t.OmitNullFields && field == nil {
				delete(value, name)
			}
		}
		if t.UnknownFields {
			value[undocumented] = map[string]any{"nested": []any{1, "two"}}
		}
		return value
	default:
		return value
	}
}

package billing

import (
	"context"
	"encoding/json"
	"reflect"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
)

// written is an object as the response to a change has it. Such a response may leave fields out (wire contract:
// behaviour), so it remembers which came.
type written[T any] struct {
	value T
	keys  map[string]json.RawMessage
}

// UnmarshalJSON decodes the object and stores its keys.
func (a *written[T]) UnmarshalJSON(data []byte) error {
	if err := json.Unmarshal(data, &a.keys); err != nil {
		return err
	}
	return json.Unmarshal(data, &a.value)
}

// Wraps returns the type that is decoded.
func (a *written[T]) Wraps() reflect.Type { return reflect.TypeFor[T]() }

// Check rejects a response that its object rejects.
func (a *written[T]) Check() error {
	if object, ok := any(&a.value).(checked); ok {
		return object.Check()
	}
	return nil
}

func (a *written[T]) has(keys []string) bool {
	for _, key := range keys {
		if _, ok := a.keys[key]; !ok {
			return false
		}
	}
	return true
}

// completed reads the single object once and merges the response into it: the response is the newer of the two, as
// reads may lag behind. When that fails, or takes long, the response is used alone: the change has happened, and that
// must not be lost.
func (a *written[T]) completed(ctx context.Context, get func(context.Context) (*T, error)) *T {
	ctx, cancel := api.Completing(ctx)
	defer cancel()
	current, err := get(ctx)
	if err != nil {
		return &a.value
	}
	newer, err := json.Marshal(a.keys)
	if err != nil || json.Unmarshal(newer, current) != nil {
		return &a.value
	}
	return current
}

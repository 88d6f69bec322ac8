package front

import (
	"context"
	"encoding/json"
	"strings"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/diag"
)

// notes is the private state of the framework, whose type is internal to it.
type notes[T any] interface {
	*T
	GetKey(ctx context.Context, key string) ([]byte, diag.Diagnostics)
	SetKey(ctx context.Context, key string, value []byte) diag.Diagnostics
	Equal(other *T) bool
}

// readNotes decodes a private state as the framework does, and false where that takes the framework. What it returns is
// of the type of the first argument.
func readNotes[T any, P notes[T]](ctx context.Context, _ P, raw []byte) (P, map[string][]byte, bool) {
	var values map[string][]byte
	if len(raw) > 0 && json.Unmarshal(raw, &values) != nil {
		return nil, nil, false
	}
	for key := range values {
		if strings.HasPrefix(key, ".") { // the framework's own
			return nil, nil, false
		}
	}
	n, ok := noted[T, P](ctx, values)
	return n, values, ok
}

// noted is a private state of these values.
func noted[T any, P notes[T]](ctx context.Context, values map[string][]byte) (P, bool) {
	n := P(new(T))
	n.SetKey(ctx, "none", nil) // begins with an empty map, which Equal tells from none
	for key, value := range values {
		if n.SetKey(ctx, key, value).HasError() {
			return nil, false
		}
	}
	return n, true
}

// names are the keys that private states have had. The framework does not list them.
type names struct{ seen sync.Map }

func (n *names) learn(raw []byte) {
	var values map[string][]byte
	if len(raw) == 0 || json.Unmarshal(raw, &values) != nil {
		return
	}
	for key := range values {
		n.seen.LoadOrStore(key, true)
	}
}

// writeNotes encodes a private state as the framework does. It fails when the state has a key that was never seen.
func writeNotes[T any, P notes[T]](ctx context.Context, n P, before map[string][]byte, known *names) ([]byte, bool) {
	values := map[string][]byte{}
	take := func(key string) {
		if value, diags := n.GetKey(ctx, key); len(value) > 0 && !diags.HasError() {
			values[key] = value
		}
	}
	for key := range before {
		take(key)
	}
	known.seen.Range(func(key, _ any) bool {
		if name, _ := key.(string); !strings.HasPrefix(name, ".") {
			take(name)
		}
		return true
	})
	if all, ok := noted[T, P](ctx, values); !ok || !all.Equal((*T)(n)) {
		return nil, false
	}
	if len(values) == 0 {
		return nil, true
	}
	raw, err := json.Marshal(values)
	return raw, err == nil
}

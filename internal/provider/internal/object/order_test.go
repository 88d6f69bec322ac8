package object

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/billing"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/collections"
)

// TestInOrder: in whatever order a service lists objects, they come in the order of creation and id; ties of sort_by
// are in the order of id, and the rest of that order is the service's.
func TestInOrder(t *testing.T) {
	t.Parallel()
	const early, late = "2026-01-01T00:00:00Z", "2026-01-01T02:00:00.5+01:00"
	keys := []collections.APIKey{{ID: "a", CreatedAt: late}, {ID: "c", CreatedAt: early}, {ID: "b", CreatedAt: early}}
	name := func(k collections.APIKey) string { return k.ID }
	random := rand.New(rand.NewPCG(1, 0))
	for range 6 {
		random.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
		expect(t, keys, Ordering{}, name, "b c a")
		expect(t, keys, Ordering{SortOrder: types.StringValue("desc")}, name, "a c b")
	}
	customers := []billing.Customer{{ID: "3", Name: "B"}, {ID: "1", Name: "B"}, {ID: "2", Name: "A"}, {ID: "0", Name: "B"}}
	id := func(c billing.Customer) string { return c.ID }
	expect(t, customers, Ordering{SortBy: types.StringValue("name")}, id, "1 3 2 0")
	expect(t, customers, Ordering{SortBy: types.StringValue("hidden")}, id, "3 1 2 0")
	expect(t, customers, Ordering{Limit: types.Int64Value(4)}, id, "3 1 2 0")
	expect(t, customers, Ordering{}, id, "0 1 2 3") // no creation
	record := func(r api.Record) string { return r.ID }
	records := []api.Record{{ID: "2", Raw: []byte(`{"id":"2","createdAt":"2026-01-02"}`)},
		{ID: "1", Raw: []byte(`{"id":"1","createdAt":"2026-01-02"}`)},
		{ID: "3", Raw: []byte(`{"id":"3","createdAt":"2026-01-01"}`)}}
	expect(t, records, Ordering{}, record, "3 1 2")
	invoices := []billing.Invoice{{ID: "2", Raw: []byte(`{"id":"2","created_at":"2026-01-02"}`)},
		{ID: "1", Raw: []byte(`{"id":"1"}`)}}
	expect(t, invoices, Ordering{}, func(i billing.Invoice) string { return i.ID }, "1 2")
}

// TestSteady: a list resource returns a list up to its limit in a steady order, a longer one in the service's order.
// It reads no further than one object beyond the limit. An error comes last.
func TestSteady(t *testing.T) {
	t.Parallel()
	const early, late = "2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"
	keys := []collections.APIKey{{ID: "a", CreatedAt: late}, {ID: "c", CreatedAt: early}, {ID: "b", CreatedAt: early}}
	for _, c := range []struct {
		limit  int64
		failed bool
		take   int
		want   string
		read   int
	}{
		{0, false, 9, "b c a", 3}, {3, false, 9, "b c a", 3}, {4, false, 9, "b c a", 3}, {2, false, 9, "a c b", 3},
		{2, false, 2, "a c", 3}, {1, false, 1, "a", 2}, {0, true, 9, "a c b failed", 3},
	} {
		read := 0
		objects := func(yield func(collections.APIKey, error) bool) {
			for _, key := range keys {
				if read++; !yield(key, nil) {
					return
				}
			}
			if c.failed {
				yield(collections.APIKey{}, errors.New("failed"))
			}
		}
		var names []string
		for key, err := range steady(objects, c.limit) {
			if err != nil {
				key.ID = err.Error()
			}
			if names = append(names, key.ID); len(names) == c.take {
				break
			}
		}
		if have := strings.Join(names, " "); have != c.want || read != c.read {
			t.Errorf("limit %d: %s after %d, want %s after %d", c.limit, have, read, c.want, c.read)
		}
	}
}

func expect[T any](t *testing.T, objects []T, asked Ordering, name func(T) string, want string) {
	t.Helper()
	sorted := slices.Clone(objects)
	inOrder(sorted, asked)
	var names []string
	for _, object := range sorted {
		names = append(names, name(object))
	}
	if have := strings.Join(names, " "); have != want {
		t.Errorf("%s, want %s", have, want)
	}
}

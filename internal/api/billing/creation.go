package billing

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/same"
)

const (
	// newestFirst is the order of a list in which recent objects are looked for.
	newestFirst = "desc"
	// mostListed is the maximum number of objects read from such a list: more than a run creates while reads may lag.
	mostListed = 500
)

// creationOf describes how an object of this service is created, and how it is found if the response is lost.
type creationOf[T any] struct {
	noun       string
	externalID string // of the object to be created; "" for none
	otherwise  string // describes it without an external_id
	body       any    // as sent

	send      func(context.Context) (*T, error)
	find      func(ctx context.Context, externalID string) ([]T, error) // whole ones
	newest    func(context.Context) iter.Seq2[T, error]                 // newest first, filtered as the service can
	like      func(T) bool                                              // looks like what is sent, without an external_id
	id        func(T) string
	code      func(T) *string // its external_id
	createdAt func(T) string
	live      func(T) bool
	// equal compares values that the object does not contain; nil: none.
	equal func(context.Context, T) (bool, error)
}

// create creates the object; a lost response is handled by [api.Create].
func (c creationOf[T]) create(ctx context.Context, s *Service) (object *T, adopted bool, err error) {
	m := api.Creation[*T]{
		Describe: c.otherwise,
		Send:     c.send,
		ID:       func(object *T) string { return c.id(*object) },
		Created:  func(object *T) string { return c.createdAt(*object) },
		Find:     c.lookalikes,
		Again:    "Creating it again creates a duplicate, which must be deleted if this one exists",
	}
	if c.externalID != "" {
		m.Describe = fmt.Sprintf("%s with external_id %q", c.noun, c.externalID)
		m.Unique, m.Find, m.Equal, m.Again = true, c.holders, c.isEqual, ""
		m.Holds = func(object *T) bool { return c.holds(*object) }
	}
	return api.Create(ctx, s.client, m)
}

func (c creationOf[T]) holders(ctx context.Context) (found []*T, err error) {
	objects, err := c.find(ctx, c.externalID)
	objects = onlyLive(objects, c.live)
	if slices.ContainsFunc(objects, c.holds) { // the others have another one
		objects = slices.DeleteFunc(objects, func(object T) bool { return !c.holds(object) })
	}
	for _, object := range objects {
		found = append(found, &object)
	}
	return found, err
}

func (c creationOf[T]) holds(object T) bool {
	return same.Text(api.OrEmpty(c.code(object)), c.externalID)
}

// lookalikes returns the newest live objects without an external_id that look like the one sent.
func (c creationOf[T]) lookalikes(ctx context.Context) (found []*T, err error) {
	listed := 0
	for object, err := range c.newest(ctx) {
		if err != nil {
			return nil, err
		}
		if listed++; listed > mostListed {
			break
		}
		if c.live(object) && c.like(object) {
			found = append(found, &object)
		}
	}
	return found, nil
}

func (c creationOf[T]) isEqual(ctx context.Context, object *T) (bool, error) {
	shown, err := json.Marshal(object)
	if err != nil || !shows(c.body, shown) || c.equal == nil {
		return err == nil && shows(c.body, shown), err
	}
	return c.equal(ctx, *object)
}

// shows reports whether an object has every value that was sent to create it, except parameters of the creation, which
// the object does not contain.
func shows(body any, object json.RawMessage) bool {
	sent, err := json.Marshal(body)
	if err != nil {
		return false
	}
	var wanted, shown map[string]json.RawMessage
	if json.Unmarshal(sent, &wanted) != nil || json.Unmarshal(object, &shown) != nil {
		return false
	}
	for name, want := range wanted {
		have, ok := shown[name]
		if single := name == "email" || name == "phone"; single {
			// The service adds it to the list (wire contract: behaviour).
			have, ok = shown[name+"s"], true
			want = json.RawMessage(fmt.Sprintf(`[{"value":%s}]`, want))
			if _, both := wanted[name+"s"]; both {
				continue // the list must contain it, and is itself compared
			}
		}
		if silent := string(have) == "null" && !strings.ContainsAny(string(want[:1]), `"[`) && name != "custom_metadata"; silent {
			continue // a response may omit documented fields
		}
		if ok && !shownAs(name, want, have) {
			return false
		}
	}
	return true
}

// shownAs reports whether the response has the value that was sent, possibly in another form.
func shownAs(name string, want, have json.RawMessage) bool {
	if same.JSONText(want, have) || name == "custom_metadata" && same.WordedJSON(want, have) {
		return true
	}
	var wanted string
	if shown := api.LooseText(have); json.Unmarshal(want, &wanted) == nil && (string(have) == "null" || shown != "") {
		return sameText(wanted, shown)
	}
	var list, others []json.RawMessage
	if json.Unmarshal(want, &list) == nil && json.Unmarshal(have, &others) == nil {
		return sameSet(list, others)
	}
	var fields map[string]json.RawMessage
	return name != "custom_metadata" && json.Unmarshal(want, &fields) == nil && fields != nil && shows(fields, have)
}

// sameText compares texts in the service's wording: null equals the empty text, ids and document numbers are not
// case-sensitive, and times may have any zone.
func sameText(want, have string) bool {
	if _, isTime := api.ParseTime(want); isTime {
		return sameTime(&want, &have)
	}
	return same.Wording(want, have)
}

// sameTime compares times to the millisecond, the precision of the service.
func sameTime(want, have *string) bool {
	wanted, ok := api.ParseTime(api.OrEmpty(want))
	shown, shownOK := api.ParseTime(api.OrEmpty(have))
	if !ok || !shownOK {
		return api.OrEmpty(want) == api.OrEmpty(have)
	}
	return wanted.Truncate(time.Millisecond).Equal(shown.Truncate(time.Millisecond))
}

func sameSet(want, have []json.RawMessage) bool {
	rest := slices.Clone(have)
	for _, item := range want {
		i := slices.IndexFunc(rest, func(other json.RawMessage) bool { return shownAs("", item, other) })
		if i < 0 {
			return false
		}
		rest = slices.Delete(rest, i, i+1)
	}
	return len(rest) == 0
}

// liveFirst prefers the live objects with an external_id, because the external_id of an ended object can be reused
// (wire contract: behaviour).
func liveFirst[T any](found []T, live func(T) bool) []T {
	if alive := onlyLive(found, live); len(alive) > 0 {
		return alive
	}
	return found
}

func onlyLive[T any](found []T, live func(T) bool) (alive []T) {
	for _, object := range found {
		if live(object) {
			alive = append(alive, object)
		}
	}
	return alive
}

package object

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api/same"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/metadata"
)

// store is a service with one object. It merges as the service does, unless it drops nulls.
type store struct {
	object     metadata.Object
	dropsNulls bool
	reads      int
	sent       []string // "<mode> <payload>"
	rests      []string // of the bodies sent
	fails      int      // number of the request to send that fails, from 1
}

func (s *store) read(context.Context) (*metadata.Object, error) {
	s.reads++
	return &s.object, nil
}

func (s *store) send(_ context.Context, payload json.RawMessage, mode string) (*metadata.Object, error) {
	s.sent = append(s.sent, mode+" "+string(payload))
	if len(s.sent) == s.fails {
		return nil, errDown
	}
	object, err := metadata.Parse(payload)
	if err != nil {
		return nil, err
	}
	if mode == metadata.ModeMerge && s.dropsNulls {
		for key, value := range object {
			if value == nil {
				delete(object, key)
			}
		}
	}
	if mode == metadata.ModeMerge {
		object = metadata.Merge(s.object, object)
	}
	s.object = object
	return &object, nil
}

// body is the body of an update.
type body struct {
	Rest, Mode string
	Payload    json.RawMessage
}

var remote = CustomMetadataOf[*store, metadata.Object, body]{
	Get: func(s *store, ctx context.Context, _ string) (*metadata.Object, error) { return s.read(ctx) },
	Update: func(s *store, ctx context.Context, _ string, b body) (*metadata.Object, error) {
		s.rests = append(s.rests, b.Rest)
		return s.send(ctx, b.Payload, b.Mode)
	},
	Of:  func(o *metadata.Object) json.RawMessage { return metadata.Payload(*o) },
	Put: func(b *body, payload json.RawMessage, mode string) { b.Payload, b.Mode = payload, mode },
}

// changing is a change of the object that the state has.
func changing(known string, owner metadata.Ownership, desired metadata.Object) MetadataChange {
	return MetadataChange{From: types.StringValue(known), Owner: owner, Desired: desired}
}

func parsed(t *testing.T, text string) metadata.Object {
	t.Helper()
	object, err := metadata.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return object
}

// TestCustomMetadataOf_Change: a change reaches the service in the fewest requests that do it, and what others wrote
// stays.
func TestCustomMetadataOf_Change(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		mode, owned, desired string
		known, now           string // the object in the state, and at the service
		dropsNulls           bool
		sent                 []string
		want                 string
	}{
		"a key more": {metadata.ModeMerge, `{"a":1}`, `{"a":1,"b":2}`, `{"a":1,"x":9}`, `{"a":1,"x":9}`, false,
			[]string{`merge {"b":2}`}, `{"a":1,"b":2,"x":9}`},
		"a key more, and another one has changed since": {metadata.ModeMerge, `{"a":1}`, `{"a":1,"deep":{"b":2,"c":3}}`,
			`{"a":1,"deep":{"c":3}}`, `{"a":5,"deep":{"c":6}}`, false, []string{`merge {"deep":{"b":2}}`},
			`{"a":5,"deep":{"b":2,"c":6}}`},
		"a key less, and another one has changed since": {metadata.ModeMerge, `{"a":1,"b":2}`, `{"a":1}`, `{"a":1,"b":2}`,
			`{"a":5,"b":2}`, false, []string{`replace {"a":5}`}, `{"a":5}`},
		"a key less": {metadata.ModeMerge, `{"a":1,"b":2}`, `{"a":1}`, `{"a":1,"b":2,"x":9}`, `{"a":1,"b":2,"x":9}`, false,
			[]string{`replace {"a":1,"x":9}`}, `{"a":1,"x":9}`},
		"a key less, and others were here since": {metadata.ModeMerge, `{"a":1,"b":2}`, `{"a":1}`, `{"a":1,"b":2}`,
			`{"a":1,"b":2,"new":3}`, false, []string{`replace {"a":1,"new":3}`}, `{"a":1,"new":3}`},
		"the whole object": {metadata.ModeReplace, `{"a":1}`, `{"b":2}`, `{"a":1,"x":9}`, `{"a":1,"x":9}`, false,
			[]string{`replace {"b":2}`}, `{"b":2}`},
		"the whole object, first after an import": {metadata.ModeReplace, `null`, `{"b":2}`, `{"a":1}`, `{"a":1}`, false,
			[]string{`merge {"b":2}`}, `{"a":1,"b":2}`},
		"a null is stored": {metadata.ModeMerge, `{"a":1}`, `{"a":null}`, `{"a":1}`, `{"a":1}`, false,
			[]string{`merge {"a":null}`}, `{"a":null}`},
		"a null is left out": {metadata.ModeMerge, `{"a":1}`, `{"a":null}`, `{"a":1,"x":9}`, `{"a":1,"x":9}`, true,
			[]string{`merge {"a":null}`, `replace {"a":null,"x":9}`}, `{"a":null,"x":9}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &store{object: parsed(t, c.now), dropsNulls: c.dropsNulls}
			response, err := remote.Change(t.Context(), s, "1", body{Rest: "notes"},
				changing(c.known, metadata.Ownership{Mode: c.mode, Owned: parsed(t, c.owned)}, parsed(t, c.desired)))
			if err != nil || !same.JSON(*response, s.object) {
				t.Fatalf("returns %v, %v", response, err)
			}
			if !slices.Equal(s.sent, c.sent) || metadata.Text(s.object) != c.want {
				t.Errorf("sent %q, which makes %s", s.sent, metadata.Text(s.object))
			}
			if rests := []string{"notes", ""}[:len(c.sent)]; !slices.Equal(s.rests, rests) {
				t.Errorf("custom_metadata was sent with %q", s.rests)
			}
		})
	}
}

// TestCustomMetadataOf_Change_failures: without a response nothing has happened; a response beside an error is what
// the first request made.
func TestCustomMetadataOf_Change_failures(t *testing.T) {
	t.Parallel()
	one, merge := metadata.Object{"a": json.Number("1")}, metadata.Ownership{Mode: metadata.ModeMerge}
	first := &store{object: one, fails: 1}
	if response, err := remote.Change(t.Context(), first, "1", body{}, changing(`{"a":1}`, merge,
		metadata.Object{"b": "2"})); !errors.Is(err, errDown) || response != nil {
		t.Errorf("the first request failed: %v, %v", response, err)
	}
	second := &store{object: one, fails: 2, dropsNulls: true}
	response, err := remote.Change(t.Context(), second, "1", body{}, changing(`{"a":1}`, merge,
		metadata.Object{"a": nil, "b": "2"}))
	if !errors.Is(err, errDown) || response == nil || metadata.Text(*response) != `{"a":1,"b":"2"}` {
		t.Errorf("the second request failed: %v, %v", response, err)
	}
	unread := &store{object: one}
	down := remote
	down.Get = func(*store, context.Context, string) (*metadata.Object, error) { return nil, errDown }
	if response, err := down.Change(t.Context(), unread, "1", body{}, changing(`{"a":1}`, metadata.Ownership{Mode: metadata.ModeMerge,
		Owned: one}, metadata.Object{})); !errors.Is(err, errDown) || response != nil || len(unread.sent) != 0 {
		t.Errorf("the object could not be read: %v, %v, sent %q", response, err, unread.sent)
	}
	if _, err := remote.Change(t.Context(), unread, "1", body{}, changing(`[]`, merge, metadata.Object{})); err == nil ||
		len(unread.sent) != 0 {
		t.Errorf("the state cannot be read: %v, sent %q", err, unread.sent)
	}
}

package metadata

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"testing"
)

// store is a service with one object. It merges as the service does, unless it drops nulls.
type store struct {
	object     Object
	dropsNulls bool
	reads      int
	sent       []string // "<mode> <payload>"
	fails      int      // number of the request to send that fails, from 1
}

var errDown = errors.New("the line is down")

func (s *store) read(context.Context) (*Object, error) {
	s.reads++
	return &s.object, nil
}

func (s *store) send(_ context.Context, payload json.RawMessage, mode string) (*Object, error) {
	s.sent = append(s.sent, mode+" "+string(payload))
	if len(s.sent) == s.fails {
		return nil, errDown
	}
	object, err := Parse(payload)
	if err != nil {
		return nil, err
	}
	if mode == ModeMerge && s.dropsNulls {
		for key, value := range object {
			if value == nil {
				delete(object, key)
			}
		}
	}
	if mode == ModeMerge {
		object = Merge(s.object, object)
	}
	s.object = object
	return &object, nil
}

// sync changes the store to what is desired.
func (s *store) sync(mode string, owned, desired Object) Sync[Object] {
	return Sync[Object]{Ownership: Ownership{Mode: mode, Owned: owned}, Desired: desired, Read: s.read, Send: s.send,
		Of: func(o *Object) json.RawMessage { return Payload(*o) }}
}

// TestSync_Update: a change reaches the service in the fewest requests that do it, and what others wrote stays.
func TestSync_Update(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		mode, owned, desired string
		known, now           string // the object in the state, and at the service
		dropsNulls           bool
		sent                 []string
		want                 string
	}{
		"a key more": {ModeMerge, `{"a":1}`, `{"a":1,"b":2}`, `{"a":1,"x":9}`, `{"a":1,"x":9}`, false,
			[]string{`merge {"b":2}`}, `{"a":1,"b":2,"x":9}`},
		"a key more, and another one has changed since": {ModeMerge, `{"a":1}`, `{"a":1,"deep":{"b":2,"c":3}}`,
			`{"a":1,"deep":{"c":3}}`, `{"a":5,"deep":{"c":6}}`, false, []string{`merge {"deep":{"b":2}}`},
			`{"a":5,"deep":{"b":2,"c":6}}`},
		"a key less, and another one has changed since": {ModeMerge, `{"a":1,"b":2}`, `{"a":1}`, `{"a":1,"b":2}`,
			`{"a":5,"b":2}`, false, []string{`replace {"a":5}`}, `{"a":5}`},
		"a key less": {ModeMerge, `{"a":1,"b":2}`, `{"a":1}`, `{"a":1,"b":2,"x":9}`, `{"a":1,"b":2,"x":9}`, false,
			[]string{`replace {"a":1,"x":9}`}, `{"a":1,"x":9}`},
		"a key less, and others were here since": {ModeMerge, `{"a":1,"b":2}`, `{"a":1}`, `{"a":1,"b":2}`,
			`{"a":1,"b":2,"new":3}`, false, []string{`replace {"a":1,"new":3}`}, `{"a":1,"new":3}`},
		"the whole object": {ModeReplace, `{"a":1}`, `{"b":2}`, `{"a":1,"x":9}`, `{"a":1,"x":9}`, false,
			[]string{`replace {"b":2}`}, `{"b":2}`},
		"the whole object, first after an import": {ModeReplace, `null`, `{"b":2}`, `{"a":1}`, `{"a":1}`, false,
			[]string{`merge {"b":2}`}, `{"a":1,"b":2}`},
		"a null is stored": {ModeMerge, `{"a":1}`, `{"a":null}`, `{"a":1}`, `{"a":1}`, false,
			[]string{`merge {"a":null}`}, `{"a":null}`},
		"a null is left out": {ModeMerge, `{"a":1}`, `{"a":null}`, `{"a":1,"x":9}`, `{"a":1,"x":9}`, true,
			[]string{`merge {"a":null}`, `replace {"a":null,"x":9}`}, `{"a":null,"x":9}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &store{object: parsed(t, c.now), dropsNulls: c.dropsNulls}
			response, err := s.sync(c.mode, parsed(t, c.owned), parsed(t, c.desired)).Update(t.Context(), c.known, s.send)
			if err != nil || !Equal(*response, s.object) {
				t.Fatalf("returns %v, %v", response, err)
			}
			if !slices.Equal(s.sent, c.sent) || Text(s.object) != c.want {
				t.Errorf("sent %q, which makes %s", s.sent, Text(s.object))
			}
		})
	}
}

// TestSync_Update_failures: without a response nothing has happened; a response beside an error is what the first
// request made.
func TestSync_Update_failures(t *testing.T) {
	t.Parallel()
	first := &store{object: Object{"a": json.Number("1")}, fails: 1}
	if response, err := first.sync(ModeMerge, nil, Object{"b": "2"}).Update(t.Context(), `{"a":1}`,
		first.send); !errors.Is(err, errDown) || response != nil {
		t.Errorf("the first request failed: %v, %v", response, err)
	}
	second := &store{object: Object{"a": json.Number("1")}, fails: 2, dropsNulls: true}
	response, err := second.sync(ModeMerge, nil, Object{"a": nil, "b": "2"}).Update(t.Context(), `{"a":1}`, second.send)
	if !errors.Is(err, errDown) || response == nil || Text(*response) != `{"a":1,"b":"2"}` {
		t.Errorf("the second request failed: %v, %v", response, err)
	}
	unread := &store{object: Object{"a": json.Number("1")}}
	change := unread.sync(ModeMerge, Object{"a": json.Number("1")}, Object{})
	change.Read = func(context.Context) (*Object, error) { return nil, errDown }
	if response, err := change.Update(t.Context(), `{"a":1}`, unread.send); !errors.Is(err, errDown) || response != nil ||
		len(unread.sent) != 0 {
		t.Errorf("the object could not be read: %v, %v, sent %q", response, err, unread.sent)
	}
	if _, err := unread.sync(ModeMerge, nil, Object{}).Update(t.Context(), `[]`, unread.send); err == nil ||
		len(unread.sent) != 0 {
		t.Errorf("the state cannot be read: %v, sent %q", err, unread.sent)
	}
}

// TestRemote_Change: custom_metadata goes with the body, and a second request carries it alone.
func TestRemote_Change(t *testing.T) {
	t.Parallel()
	type body struct {
		Rest, Mode string
		Payload    json.RawMessage
	}
	s := &store{object: parsed(t, `{"a":1,"x":9}`), dropsNulls: true}
	var sent []string
	remote := Remote[*store, Object, body]{
		Get: func(s *store, ctx context.Context, _ string) (*Object, error) { return s.read(ctx) },
		Update: func(s *store, ctx context.Context, id string, b body) (*Object, error) {
			sent = append(sent, id+" "+b.Rest+" "+b.Mode)
			return s.send(ctx, b.Payload, b.Mode)
		},
		Of:  func(o *Object) json.RawMessage { return Payload(*o) },
		Put: func(b *body, payload json.RawMessage, mode string) { b.Payload, b.Mode = payload, mode },
	}
	response, err := remote.Change(t.Context(), s, "1", body{Rest: "notes"},
		Ownership{Mode: ModeMerge, Owned: parsed(t, `{"a":1}`)}, parsed(t, `{"a":null}`), `{"a":1,"x":9}`)
	if want := []string{"1 notes merge", "1  replace"}; err != nil || !slices.Equal(sent, want) ||
		!Equal(*response, parsed(t, `{"a":null,"x":9}`)) {
		t.Errorf("sent %q, returned %v, %v", sent, response, err)
	}
}

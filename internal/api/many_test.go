package api

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
)

func TestMany(t *testing.T) {
	t.Parallel()
	one := []thing{{ID: "t1", Count: 9007199254740993}}
	tests := map[string]struct {
		response step
		items    []thing
		err      string
	}{
		"in data": {response: ok(`{"data":[{"id":"t1","count":9007199254740993}]}`), items: one},
		"bare":    {response: ok(` [{"id":"t1","count":9007199254740993,"more":1}]`), items: one},
		"bare, no type": {response: step{status: 200, body: `[]`, header: map[string]string{"Content-Type": ""}},
			items: []thing{}},
		"none":           {response: ok(`{"data":[]}`), items: []thing{}},
		"no content":     {response: status(204)},
		"no body":        {response: ok("")},
		"null":           {response: ok(`{"data":null}`)},
		"another object": {response: ok(`{"data":{"id":"s1"}}`)},
		"a bare object":  {response: ok(`{"id":"s1"}`)},
		"an error":       {response: ok(`{"error":{"code":"x","message":"no"}}`), err: "an error object"},
		"a page": {response: step{status: 200, body: "<html>",
			header: map[string]string{"Content-Type": "text/html"}}, err: "not JSON"},
		"a text":               {response: ok(`"done"`), err: "not a JSON object"},
		"items of other types": {response: ok(`{"data":[{"id":7}]}`), err: `"id"`},
		"refused":              {response: status(422), err: "status 422"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			items, err := Many[thing](t.Context(), newClient(t, play(test.response)), syncItems)
			if (err != nil) != (test.err != "") || err != nil && !strings.Contains(err.Error(), test.err) {
				t.Errorf("error %v, want %q", err, test.err)
			}
			if !reflect.DeepEqual(items, test.items) {
				t.Errorf("got %v, want %v", items, test.items)
			}
		})
	}
}

func TestManyRepeatsWhatMayBeRepeated(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		transport := play(step{err: errors.New("reset")}, status(503), ok(`{"data":[{"id":"t1"}]}`))
		items, err := Many[thing](t.Context(), newClient(t, transport), syncItems)
		if err != nil || len(items) != 1 || transport.count() != 3 {
			t.Errorf("%v, %v after %d requests", items, err, transport.count())
		}
	})
}

package api

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

func etag(body, tag string) step {
	return step{status: 200, body: body, header: map[string]string{"ETag": tag}}
}

func TestConditionalGet(t *testing.T) {
	t.Parallel()
	notModified := step{status: 304, header: map[string]string{"Request-Id": "r2", "Content-Type": ""}}
	transport := play(etag(`{"data":{"id":"c1","name":"a"}}`, `"v1"`), notModified,
		etag(`{"data":{"id":"c1","name":"b"}}`, `"v2"`), notModified)
	c := newClient(t, transport)
	for i, want := range []string{"a", "a", "b", "b"} {
		got, err := One[struct{ Name string }](t.Context(), c, getCustomer)
		if err != nil || got.Name != want {
			t.Errorf("read %d: %v, %v, want %s", i, got, err, want)
		}
	}
	for i, want := range []string{"", `"v1"`, `"v1"`, `"v2"`} {
		if got := transport.seen[i].Header.Get("If-None-Match"); got != want {
			t.Errorf("request %d asked with %q, want %q", i, got, want)
		}
	}
	response, err := c.Do(t.Context(), getCustomer)
	if err != nil || response.Status != 200 || response.RequestID != "r2" ||
		response.Header.Get("Content-Type") != "application/json" {
		t.Errorf("%+v, %v", response, err)
	}
}

func TestNotModifiedThatNobodyAskedFor(t *testing.T) {
	t.Parallel()
	transport := play(status(304), ok(`{"data":{"id":"c1"}}`))
	if _, err := newClient(t, transport).Do(t.Context(), getCustomer); err != nil {
		t.Error(err)
	}
	if got := transport.seen[1].Header.Get("Cache-Control"); got != "no-cache" {
		t.Errorf("asked again with Cache-Control %q", got)
	}

	transport = play(status(304))
	_, err := newClient(t, transport).Do(t.Context(), getCustomer)
	if e, ok := AsError(err); !ok || e.Status != 304 || transport.count() != 2 {
		t.Errorf("%v after %d requests", err, transport.count())
	}
}

func TestWhatIsKept(t *testing.T) {
	t.Parallel()
	const date = "Wed, 04 Mar 2026 05:07:07 GMT"
	list := Request{Operation: "customers.list"}
	tests := map[string]struct {
		request  Request
		response step
		kept     bool
	}{
		"ETag":                  {getCustomer, etag(`{}`, `"a"`), true},
		"a tag nobody can send": {getCustomer, etag(`{}`, "\x7f"), false},
		"nothing to ask with":   {getCustomer, ok(`{}`), false},
		"a list":                {list, etag(`{"data":[]}`, `"a"`), false},
		"no-store": {getCustomer,
			step{status: 200, body: `{}`, header: map[string]string{"ETag": `"a"`, "Cache-Control": "private, No-Store"}},
			false},
		"a large response": {getCustomer, etag(`"`+strings.Repeat("x", cacheEntryBytes)+`"`, `"a"`), false},
		"an older Last-Modified": {getCustomer,
			step{status: 200, body: `{}`, header: map[string]string{"Last-Modified": "Wed, 04 Mar 2026 05:07:05 GMT",
				"Date": date}}, true},
		"a Last-Modified too fresh": {getCustomer,
			step{status: 200, body: `{}`, header: map[string]string{"Last-Modified": "Wed, 04 Mar 2026 05:07:06 GMT",
				"Date": date}}, false},
		"Last-Modified, no Date": {getCustomer,
			step{status: 200, body: `{}`, header: map[string]string{"Last-Modified": "Wed, 04 Mar 2026 05:07:05 GMT"}}, false},
		"a broken Last-Modified": {getCustomer,
			step{status: 200, body: `{}`, header: map[string]string{"Last-Modified": "lately", "Date": date}}, false},
	}
	for name, test := range tests {
		transport := play(test.response)
		c := newClient(t, transport)
		for range 2 {
			if _, err := c.Do(t.Context(), test.request); err != nil {
				t.Fatal(err)
			}
		}
		header := transport.seen[1].Header
		if kept := header.Get("If-None-Match")+header.Get("If-Modified-Since") != ""; kept != test.kept {
			t.Errorf("%s: kept is %v, want %v", name, kept, test.kept)
		}
	}
}

func TestWhatDropsAnEntry(t *testing.T) {
	t.Parallel()
	account := map[string]string{"id": "c1"}
	tests := map[string]struct {
		read, between Request
		response      step
		kept          bool
	}{
		"an update":        {getCustomer, updateCustomer, ok(`{}`), false},
		"a refused update": {getCustomer, updateCustomer, status(422), false},
		"a delete":         {getCustomer, deleteCustomer, status(204), false},
		"an update of another": {getCustomer,
			Request{Operation: "customers.update", Path: map[string]string{"id": "c12"}}, ok(`{}`), true},
		"a create beside it": {getCustomer, createCustomer, status(201), true},
		"a transition": {Request{Operation: "billing_accounts.get", Path: account},
			Request{Operation: "billing_accounts.suspend", Path: account}, ok(`{}`), false},
		"a read that finds nothing": {getCustomer, getCustomer, status(404), false},
		"a read that is throttled":  {getCustomer, getCustomer, status(503), true},
	}
	for name, test := range tests {
		transport := play(etag(`{}`, `"a"`), test.response, ok(`{}`))
		c := newClient(t, transport, func(cfg *Config) { cfg.MaxRetries = 0 })
		for _, r := range []Request{test.read, test.between, test.read} {
			_, _ = c.Do(t.Context(), r)
		}
		if kept := transport.seen[2].Header.Get("If-None-Match") != ""; kept != test.kept {
			t.Errorf("%s: kept is %v, want %v", name, kept, test.kept)
		}
	}
}

func TestCacheIsBounded(t *testing.T) {
	t.Parallel()
	m := newCache()
	put := func(id string, size int) *call {
		k := &call{operation: "customers.get", route: route{method: http.MethodGet}, url: id, resourcePath: id}
		m.update(k, &response{status: 200, header: http.Header{"Etag": {`"a"`}}, body: make([]byte, size)})
		return k
	}
	for i := range cacheEntries + 10 {
		put(fmt.Sprint(i), 10)
	}
	if m.recent.Len() != cacheEntries || len(m.entries) != cacheEntries {
		t.Errorf("%d entries", m.recent.Len())
	}
	first := put("first", cacheEntryBytes/2)
	for i := range 70 {
		m.get(first) // used all the time, so it stays
		put(fmt.Sprint("large", i), cacheEntryBytes/2)
	}
	if m.bytes > cacheBytes || m.bytes < cacheBytes/2 {
		t.Errorf("%d bytes", m.bytes)
	}
	if m.get(first) == nil {
		t.Error("the entry in use was pushed out")
	}
	total := 0
	for element := m.recent.Front(); element != nil; element = element.Next() {
		total += element.Value.(*stored).size()
	}
	if total != m.bytes {
		t.Errorf("counts %d bytes, holds %d", m.bytes, total)
	}
}

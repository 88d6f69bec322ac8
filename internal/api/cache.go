package api

import (
	"container/list"
	"net/http"
	"strings"
	"sync"
	"time"
)

const (
	cacheEntries    = 4096
	cacheBytes      = 32 << 20
	cacheEntryBytes = 1 << 20
)

// cache keeps responses with their validators for conditional requests (service
// description, Recurring billing §1). It is in memory and ends with the
// process, and a response is never served from it without asking the service.
//
// Only single objects are kept. A list is read once in a run, so its pages would
// push out the objects, which are read before and after a change.
type cache struct {
	mu      sync.Mutex
	entries map[string]*list.Element // by full URL
	recent  *list.List               // of *stored, the latest used in front
	bytes   int
}

// stored is one kept response. It is immutable.
type stored struct {
	url, path          string
	etag, lastModified string
	contentType        string
	body               []byte
}

func newCache() *cache {
	return &cache{entries: map[string]*list.Element{}, recent: list.New()}
}

func cacheable(k *call) bool {
	return k.route.method == http.MethodGet && !strings.HasSuffix(k.operation, ".list")
}

// get returns what is kept for a call; nil is nothing.
func (m *cache) get(k *call) *stored {
	if !cacheable(k) {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	element, ok := m.entries[k.url]
	if !ok {
		return nil
	}
	m.recent.MoveToFront(element)
	return element.Value.(*stored)
}

// update stores the result of a read, and drops what may be outdated after a write or a failed
// read.
func (m *cache) update(k *call, a *response) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if k.route.method != http.MethodGet {
		m.dropResource(k.resourcePath)
		return
	}
	if !cacheable(k) || a.status == 0 || a.status >= 500 || a.status == http.StatusTooManyRequests {
		return
	}
	if element, ok := m.entries[k.url]; ok {
		m.drop(element)
	}
	if entry := newStored(k, a); entry != nil {
		m.add(entry)
	}
}

// forget drops what is kept for a call.
func (m *cache) forget(k *call) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if element, ok := m.entries[k.url]; ok {
		m.drop(element)
	}
}

// newStored makes an entry of a response that may be stored and can be validated later.
func newStored(k *call, a *response) *stored {
	entry := &stored{
		url: k.url, path: k.resourcePath,
		etag: sendable(a.header.Get("ETag")), lastModified: provenDate(a.header),
		contentType: a.header.Get("Content-Type"), body: a.body,
	}
	switch {
	case a.err != nil || a.status != http.StatusOK || entry.size() > cacheEntryBytes:
		return nil
	case entry.etag == "" && entry.lastModified == "":
		return nil
	case strings.Contains(strings.ToLower(a.header.Get("Cache-Control")), "no-store"):
		return nil
	}
	return entry
}

// sendable returns a tag that a request can carry. With any other one no later
// request for the object could be sent.
func sendable(tag string) string {
	if strings.ContainsFunc(tag, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }) {
		return ""
	}
	return tag
}

// provenDate returns Last-Modified when it can prove something. It counts whole
// seconds: an object that changed in the second of the response may change once
// more in the same second, and the date would not show it.
func provenDate(header http.Header) string {
	value := header.Get("Last-Modified")
	modified, err := http.ParseTime(value)
	if err != nil {
		return ""
	}
	date, err := http.ParseTime(header.Get("Date"))
	if err != nil || date.Sub(modified) < 2*time.Second {
		return ""
	}
	return value
}

func (m *cache) add(entry *stored) {
	m.entries[entry.url] = m.recent.PushFront(entry)
	m.bytes += entry.size()
	for m.recent.Len() > cacheEntries || m.bytes > cacheBytes {
		m.drop(m.recent.Back())
	}
}

func (m *cache) drop(element *list.Element) {
	entry := m.recent.Remove(element).(*stored)
	delete(m.entries, entry.url)
	m.bytes -= entry.size()
}

// dropResource drops what a write to path concerns: the object at the path
// itself, and the one that the path acts on (…/{id}/suspend).
func (m *cache) dropResource(path string) {
	for element := m.recent.Front(); element != nil; {
		next := element.Next()
		kept := element.Value.(*stored).path
		if path == kept || strings.HasPrefix(path, kept+"/") {
			m.drop(element)
		}
		element = next
	}
}

func (s *stored) size() int { return len(s.body) + len(s.url) + len(s.path) }

// conditions are the headers that ask whether the entry still holds.
func (s *stored) conditions() http.Header {
	header := http.Header{}
	if s == nil {
		return header
	}
	if s.etag != "" {
		header.Set("If-None-Match", s.etag)
	}
	if s.lastModified != "" {
		header.Set("If-Modified-Since", s.lastModified)
	}
	return header
}

// fill turns a 304 into the stored response. The Request-Id of the 304 stays.
func (s *stored) fill(a *response) *response {
	whole := *a
	whole.status, whole.body = http.StatusOK, s.body
	whole.header = a.header.Clone()
	whole.header.Set("Content-Type", s.contentType)
	return &whole
}

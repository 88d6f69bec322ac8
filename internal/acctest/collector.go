package acctest

import (
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	collectortrace "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// Collector receives spans as an OpenTelemetry collector does, by OTLP over HTTP.
type Collector struct {
	URL string

	mu       sync.Mutex
	received []*tracepb.ResourceSpans
	headers  []http.Header
}

// NewCollector starts a collector that stops with the test.
func NewCollector(t *testing.T) *Collector {
	t.Helper()
	c := &Collector{}
	server := httptest.NewServer(c)
	t.Cleanup(server.Close)
	c.URL = server.URL
	return c
}

// ServeHTTP receives spans.
func (c *Collector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var request collectortrace.ExportTraceServiceRequest
	body, err := io.ReadAll(r.Body)
	if err == nil {
		err = proto.Unmarshal(body, &request)
	}
	if err != nil || r.URL.Path != "/v1/traces" {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.received, c.headers = append(c.received, request.GetResourceSpans()...), append(c.headers, r.Header)
}

// Received returns the received spans, with the resource that describes their process, and the request headers.
func (c *Collector) Received() ([]*tracepb.ResourceSpans, []http.Header) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.received, c.headers
}

// Span is a span with attributes that are strings and numbers.
type Span struct {
	*tracepb.Span
	Values JSON
}

// Spans returns the received spans.
func (c *Collector) Spans() (all []Span) {
	received, _ := c.Received()
	for _, process := range received {
		for _, scope := range process.GetScopeSpans() {
			for _, span := range scope.GetSpans() {
				s := Span{span, JSON{}}
				for _, a := range span.GetAttributes() {
					s.Values[a.GetKey()] = a.GetValue().GetStringValue()
					if s.Values[a.GetKey()] == "" {
						s.Values[a.GetKey()] = a.GetValue().GetIntValue()
					}
				}
				all = append(all, s)
			}
		}
	}
	return all
}

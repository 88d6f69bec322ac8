package spans_test

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-log/tflogtest"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/front"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/spans"
)

const (
	traceID = "0af7651916cd43dd8448eb211c80319c"
	parent  = "00-" + traceID + "-b7ad6b7169203331-01"
)

// start starts a recorder in an environment that has no other variables of OpenTelemetry, and returns its log.
func start(t *testing.T, variables map[string]string) (*spans.Recorder, *bytes.Buffer) {
	t.Helper()
	for _, variable := range os.Environ() {
		if name, _, _ := strings.Cut(variable, "="); strings.HasPrefix(name, "OTEL_") || strings.HasPrefix(name, "TRACE") {
			t.Setenv(name, "")
		}
	}
	for name, value := range variables {
		t.Setenv(name, value)
	}
	var log bytes.Buffer
	return spans.Start(tflogtest.RootLogger(t.Context(), &log), "1.2.3"), &log
}

// TestStart: spans are asked for by a collector and the span of the caller. What cannot be done is logged.
func TestStart(t *testing.T) {
	const endpoint = "OTEL_EXPORTER_OTLP_ENDPOINT"
	asked := map[string]string{endpoint: "http://127.0.0.1:1", "TRACEPARENT": parent}
	for name, c := range map[string]struct {
		change map[string]string
		starts bool
		log    string
	}{
		"asked for":          {starts: true},
		"for traces alone":   {change: map[string]string{endpoint: "", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://127.0.0.1:1"}, starts: true},
		"among exporters":    {change: map[string]string{"OTEL_TRACES_EXPORTER": "console,otlp"}, starts: true},
		"no collector":       {change: map[string]string{endpoint: ""}},
		"no span":            {change: map[string]string{"TRACEPARENT": ""}},
		"no exporter":        {change: map[string]string{"OTEL_TRACES_EXPORTER": "none"}},
		"no SDK":             {change: map[string]string{"OTEL_SDK_DISABLED": "True"}},
		"not a span":         {change: map[string]string{"TRACEPARENT": "00-" + traceID}, log: "invalid TRACEPARENT"},
		"another protocol":   {change: map[string]string{"OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"}, log: "only supports http/protobuf"},
		"another for others": {change: map[string]string{"OTEL_EXPORTER_OTLP_PROTOCOL": "grpc", "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL": "http/protobuf"}, starts: true},
	} {
		t.Run(name, func(t *testing.T) {
			variables := maps.Clone(asked)
			maps.Copy(variables, c.change)
			r, log := start(t, variables)
			r.Stop()
			if (r != nil) != c.starts || (c.log == "") != (log.Len() == 0) || !strings.Contains(log.String(), c.log) {
				t.Errorf("started: %t, log: %s", r != nil, log)
			}
		})
	}
}

// typed is the context of the one call that a server got.
type typed struct {
	front.Framework
	ctx context.Context
}

func (s *typed) ReadDataSource(ctx context.Context, _ *tfprotov6.ReadDataSourceRequest) (
	*tfprotov6.ReadDataSourceResponse, error) {
	s.ctx = ctx
	return nil, nil
}

// TestResponse: an attempt is a span of the caller's trace, with what is known of it, and no text of an error.
func TestResponse(t *testing.T) {
	collector := acctest.NewCollector(t)
	r, log := start(t, map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": collector.URL, "TRACEPARENT": parent,
		"OTEL_EXPORTER_OTLP_HEADERS": "x-team=growth", "OTEL_RESOURCE_ATTRIBUTES": "ci=7"})
	inner := &typed{}
	if _, err := spans.Server(inner).ReadDataSource(t.Context(),
		&tfprotov6.ReadDataSourceRequest{TypeName: "billing_customer"}); err != nil {
		t.Fatal(err)
	}
	e := api.Exchange{Event: api.Received, Service: "billing", Operation: "customers.get", Method: http.MethodGet,
		Attempt: 2, RequestID: "r-1", Status: 200, Duration: 3 * time.Second, Waited: 1500 * time.Millisecond}
	r.Observe(inner.ctx, e)
	e.Status = 503
	r.Observe(t.Context(), e)
	e.Status, e.RequestID, e.Err = 0, "", errors.New("dial 10.0.0.1: canary")
	r.Observe(t.Context(), e)
	e.Status = 201
	r.Observe(t.Context(), e)
	r.Stop()

	received, headers := collector.Received()
	if log.Len() > 0 || len(received) == 0 || headers[0].Get("X-Team") != "growth" {
		t.Fatalf("received %v with %v, log: %s", received, headers, log)
	}
	if process := received[0].GetResource().String(); !strings.Contains(process, "terraform-provider-billing") ||
		!strings.Contains(process, "1.2.3") || !strings.Contains(process, `"ci"`) {
		t.Errorf("the process is %s", process)
	}
	common := acctest.JSON{"billing.service": "billing", "billing.operation": "customers.get", "billing.attempt": int64(2),
		"billing.waited_ms": int64(1500), "http.request.method": "GET"}
	want := []acctest.JSON{
		{"terraform.type": "data.billing_customer", "billing.request_id": "r-1", "http.response.status_code": int64(200)},
		{"billing.request_id": "r-1", "http.response.status_code": int64(503), "error.type": "503"},
		{"error.type": "no_response"},
		{"http.response.status_code": int64(201), "error.type": "unusable_response"},
	}
	all := collector.Spans()
	if len(all) != len(want) {
		t.Fatalf("%d spans", len(all))
	}
	for i, span := range all {
		maps.Copy(want[i], common)
		failed := span.GetStatus().GetCode() == tracepb.Status_STATUS_CODE_ERROR
		if !maps.Equal(span.Values, want[i]) || failed != (i > 0) || strings.Contains(span.String(), "canary") {
			t.Errorf("span %d is %s", i, span)
		}
		if hex.EncodeToString(span.GetTraceId()) != traceID || hex.EncodeToString(span.GetParentSpanId()) != parent[36:52] ||
			span.GetName() != "customers.get" || span.GetKind() != tracepb.Span_SPAN_KIND_CLIENT ||
			span.GetEndTimeUnixNano()-span.GetStartTimeUnixNano() != uint64(e.Duration) {
			t.Errorf("span %d is %s", i, span)
		}
	}
}

// TestStop: a collector that is away, is silent or rejects spans costs less than a second, and is one line of the log.
func TestStop(t *testing.T) {
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { silent.Close() })
	rejecting := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusUnauthorized)
	}))
	t.Cleanup(rejecting.Close)
	for name, url := range map[string]string{"away": "http://127.0.0.1:1", "silent": "http://" + silent.Addr().String(),
		"rejecting": rejecting.URL} {
		t.Run(name, func(t *testing.T) {
			r, log := start(t, map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": url, "TRACEPARENT": parent})
			began := time.Now()
			for range 3000 { // more than the queue holds
				r.Observe(t.Context(), api.Exchange{Event: api.Received, Operation: "customers.get", Status: 200})
			}
			r.Stop()
			if took := time.Since(began); took > time.Second {
				t.Errorf("it took %s", took)
			}
			if strings.Count(log.String(), "\n") != 1 || !strings.Contains(log.String(), "Spans are not sent") {
				t.Errorf("log: %s", log)
			}
		})
	}
}

// Package spans sends a span of each request to an OpenTelemetry collector, if the standard environment variables
// configure one.
package spans

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/terraform-plugin-log/tflog"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
)

const (
	// patience limits how long the process waits for the collector before it exits. An apply has two processes with
	// requests, one of them for the plan: a collector that does not respond costs it a second.
	patience = 500 * time.Millisecond
	// delay is how long a span waits to be sent with others. It is short, so that the connection is open before the
	// process exits.
	delay = 200 * time.Millisecond
)

// Recorder records a span for each attempt to send a request. It contains no body, no path and no error message.
type Recorder struct {
	parent   context.Context
	provider *sdktrace.TracerProvider
	tracer   trace.Tracer
	report   func(error)
}

var _ api.Observer = (*Recorder)(nil)

// Start returns a Recorder for this process, or nil if the environment does not enable spans. Errors that prevent
// sending are logged once.
func Start(ctx context.Context, version string) *Recorder {
	var once sync.Once
	report := func(err error) {
		once.Do(func() {
			tflog.Warn(ctx, "Spans are not sent to the OpenTelemetry collector", map[string]any{"error": err.Error()})
		})
	}
	if !asked() {
		return nil
	}
	r, err := newRecorder(ctx, version, report)
	if err != nil {
		report(err)
		return nil
	}
	return r
}

// asked reports whether the environment enables spans. The SDK reads all other variables itself.
func asked() bool {
	exporters := strings.Split(os.Getenv("OTEL_TRACES_EXPORTER"), ",")
	return os.Getenv("TRACEPARENT") != "" &&
		(os.Getenv("OTEL_EXPORTER_OTLP_ENDPOINT") != "" || os.Getenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") != "") &&
		!strings.EqualFold(os.Getenv("OTEL_SDK_DISABLED"), "true") &&
		(exporters[0] == "" || slices.Contains(exporters, "otlp"))
}

// protocolVariables set the protocol, in order of precedence.
var protocolVariables = []string{"OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL"}

func newRecorder(ctx context.Context, version string, report func(error)) (*Recorder, error) {
	parent := propagation.TraceContext{}.Extract(ctx, propagation.MapCarrier{
		"traceparent": os.Getenv("TRACEPARENT"), "tracestate": os.Getenv("TRACESTATE")})
	if !trace.SpanContextFromContext(parent).IsValid() {
		return nil, fmt.Errorf("invalid TRACEPARENT: %q", os.Getenv("TRACEPARENT"))
	}
	for _, name := range protocolVariables {
		if protocol := os.Getenv(name); protocol == "http/protobuf" {
			break
		} else if protocol != "" {
			return nil, fmt.Errorf("%s is %q: this provider only supports http/protobuf", name, protocol)
		}
	}
	described, err := resource.New(ctx, resource.WithTelemetrySDK(), resource.WithAttributes(
		attribute.String("service.name", "terraform-provider-billing"), attribute.String("service.version", version)),
		resource.WithFromEnv())
	if err != nil {
		return nil, fmt.Errorf("describe this process: %w", err)
	}
	exporter, err := otlptracehttp.New(ctx, otlptracehttp.WithRetry(otlptracehttp.RetryConfig{
		Enabled: true, InitialInterval: delay / 2, MaxInterval: 5 * time.Second, MaxElapsedTime: time.Minute}))
	if err != nil {
		return nil, fmt.Errorf("prepare to send: %w", err)
	}
	provider := sdktrace.NewTracerProvider(sdktrace.WithResource(described),
		sdktrace.WithBatcher(reporting{exporter, report}, sdktrace.WithBatchTimeout(delay)))
	return &Recorder{parent: parent, provider: provider, report: report,
		tracer: provider.Tracer("github.com/recurring-billing/terraform-provider-billing")}, nil
}

// Stop sends the remaining spans. It waits only briefly for the collector.
func (r *Recorder) Stop() {
	if r == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	err := r.provider.Shutdown(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		err = fmt.Errorf("it did not respond within %s", patience)
	}
	if err != nil {
		r.report(err)
	}
}

// Observe records the span of an attempt.
func (r *Recorder) Observe(ctx context.Context, e api.Exchange) {
	if e.Event != api.Received {
		return
	}
	end := time.Now()
	attributes := []attribute.KeyValue{
		attribute.String("billing.service", e.Service), attribute.String("billing.operation", e.Operation),
		attribute.Int("billing.attempt", e.Attempt), attribute.Int64("billing.waited_ms", e.Waited.Milliseconds()),
		attribute.String("http.request.method", e.Method),
	}
	if typeName, ok := ctx.Value(typeKey{}).(string); ok {
		attributes = append(attributes, attribute.String("terraform.type", typeName))
	}
	if e.RequestID != "" {
		attributes = append(attributes, attribute.String("billing.request_id", e.RequestID))
	}
	if e.Status != 0 {
		attributes = append(attributes, attribute.Int("http.response.status_code", e.Status))
	}
	failure := failureOf(e)
	if failure != "" {
		attributes = append(attributes, attribute.String("error.type", failure))
	}
	_, span := r.tracer.Start(r.parent, e.Operation, trace.WithSpanKind(trace.SpanKindClient),
		trace.WithTimestamp(end.Add(-e.Duration)), trace.WithAttributes(attributes...))
	if failure != "" {
		span.SetStatus(codes.Error, "")
	}
	span.End(trace.WithTimestamp(end))
}

// failureOf returns the kind of failure of an attempt; "" if it succeeded.
func failureOf(e api.Exchange) string {
	switch {
	case e.Status == 0:
		return "no_response"
	case e.Status < 200 || e.Status > 299:
		return strconv.Itoa(e.Status)
	case e.Err != nil:
		return "unusable_response"
	}
	return ""
}

// reporting is an exporter that logs its errors. The SDK would pass them to a handler of the whole process.
type reporting struct {
	sdktrace.SpanExporter
	report func(error)
}

// ExportSpans sends spans.
func (e reporting) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	if err := e.SpanExporter.ExportSpans(ctx, spans); err != nil {
		e.report(err)
	}
	return nil
}

package object

import (
	"context"

	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
)

// Log writes every exchange with a service to Terraform's log, one subsystem a service: requests and responses at
// DEBUG, bodies at TRACE. TF_LOG_PROVIDER_BILLING_<SERVICE> sets the level of one service. What arrives here is masked
// already; the secrets are masked once more, in case a service repeats one where nobody expects it.
type Log struct{ Secrets []string }

var _ api.Observer = Log{}

// Request logs an attempt that is about to be sent.
func (l Log) Request(ctx context.Context, e api.Exchange) {
	ctx, fields := l.subsystem(ctx, e)
	tflog.SubsystemDebug(ctx, e.Service, "Sending request", fields)
	l.body(ctx, e.Service, "Request body", fields, e.RequestBody)
}

// Response logs a response, or the error that came instead of one.
func (l Log) Response(ctx context.Context, e api.Exchange) {
	ctx, fields := l.subsystem(ctx, e)
	fields["duration_ms"] = e.Duration.Milliseconds()
	if e.Err != nil {
		fields["error"] = e.Err.Error()
		tflog.SubsystemDebug(ctx, e.Service, "Request failed", fields)
		return
	}
	fields["status"] = e.Status
	fields["request_id"] = e.RequestID
	tflog.SubsystemDebug(ctx, e.Service, "Received response", fields)
	l.body(ctx, e.Service, "Response body", fields, e.ResponseBody)
}

// Waiting logs a pause before the next attempt.
func (l Log) Waiting(ctx context.Context, e api.Exchange) {
	ctx, fields := l.subsystem(ctx, e)
	fields["delay_ms"] = e.Delay.Milliseconds()
	fields["reason"] = e.Reason
	tflog.SubsystemInfo(ctx, e.Service, "Waiting before the next attempt", fields)
}

// Fallback logs that what only saves requests has failed.
func (l Log) Fallback(ctx context.Context, e api.Exchange) {
	ctx, fields := l.subsystem(ctx, e)
	fields["reason"] = e.Reason
	fields["error"] = e.Err.Error()
	tflog.SubsystemWarn(ctx, e.Service, "Falling back to single requests", fields)
}

func (l Log) subsystem(ctx context.Context, e api.Exchange) (context.Context, map[string]any) {
	ctx = tflog.NewSubsystem(ctx, e.Service, tflog.WithLevelFromEnv("TF_LOG_PROVIDER_BILLING", e.Service))
	ctx = tflog.SubsystemMaskAllFieldValuesStrings(ctx, e.Service, l.Secrets...)
	ctx = tflog.SubsystemMaskMessageStrings(ctx, e.Service, l.Secrets...)
	return ctx, map[string]any{"operation": e.Operation, "method": e.Method, "path": e.Path, "attempt": e.Attempt}
}

func (l Log) body(ctx context.Context, service, message string, fields map[string]any, body func() string) {
	if body == nil {
		return
	}
	fields["body"] = body()
	tflog.SubsystemTrace(ctx, service, message, fields)
}

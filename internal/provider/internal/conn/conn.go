// Package conn provides the state of the configured provider that its objects share: the clients of the services, the
// organization of the token, and the log.
package conn

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/ephemeral"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/billing"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/collections"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/finance"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/metadata"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/run"
)

// Conn is the configured provider. It is shared by all objects of one provider configuration and safe for concurrent
// use.
type Conn struct {
	// Billing is the recurring-billing service.
	Billing Service[*billing.Service]
	// Finance is the financial-management service.
	Finance Service[*finance.Service]
	// Collections is the collections service: webhook endpoints and API keys.
	Collections Service[*collections.Service]
	// ownKey is the provider's own API key.
	ownKey string
	// Defaults is the provider's default_custom_metadata.
	Defaults metadata.Defaults
	// Run records what this run has refreshed and planned.
	Run run.Run

	organization organization
	noted        sync.Map // summaries of NoteOnce
}

// NoteOnce adds a warning that is the same for many objects once per run. It is for imports: Terraform does not
// consolidate their warnings.
func (c *Conn) NoteOnce(at path.Path, summary, detail string, diags *diag.Diagnostics) {
	if _, given := c.noted.LoadOrStore(summary, true); !given {
		diags.AddAttributeWarning(at, summary, detail)
	}
}

// WithCounts makes lists on ctx warn about a total that contradicts what was read, once per type.
func (c *Conn) WithCounts(ctx context.Context, diags *diag.Diagnostics) context.Context {
	return api.WithCounts(ctx, func(count api.Count) {
		c.NoteOnce(path.Empty(), fmt.Sprintf("The service reports a wrong number of objects (%s)", count.Operation),
			fmt.Sprintf("Its list has a total of %d, but at least %d were read. The provider has read the list to its end, "+
				"so nothing is missing here; other programs that rely on the total may miss objects.", count.Total, count.Read),
			diags)
	})
}

// NewInvalid returns the connection of a provider without arguments if its environment variables are invalid. The
// objects report the error, not the provider's configuration: after an error there, Terraform would request an
// unnecessary provider block.
func NewInvalid(why diag.Diagnostics) *Conn {
	reported := new(atomic.Bool)
	return &Conn{
		Billing:     Service[*billing.Service]{Invalid: why, Reported: reported},
		Finance:     Service[*finance.Service]{Invalid: why, Reported: reported},
		Collections: Service[*collections.Service]{Invalid: why, Reported: reported},
	}
}

// Service holds the client of one service, or why there is none yet. A missing argument is an error only if an object
// needs it: a configuration without finance records needs no finance token.
type Service[T any] struct {
	// Client is set when address and token are known.
	Client T
	// Ready is true if Client may be used.
	Ready bool
	// Missing lists the provider arguments that are set neither in the configuration nor in the environment.
	Missing []ProviderArgument
	// Unknown lists the provider arguments that are known only after apply.
	Unknown []string
	// Invalid explains why no service can be used. The first object that needs one reports it, see NewInvalid.
	Invalid diag.Diagnostics
	// Reported is set when one of these has been reported; see Planned.
	Reported *atomic.Bool
}

// Billing returns the recurring-billing service.
func Billing(c *Conn) Service[*billing.Service] { return c.Billing }

// Finance returns the financial-management service.
func Finance(c *Conn) Service[*finance.Service] { return c.Finance }

// Collections returns the collections service.
func Collections(c *Conn) Service[*collections.Service] { return c.Collections }

// ProviderArgument is a provider argument and the environment variable that is used when it is not set.
type ProviderArgument struct {
	Name, Variable string
	// Empty is true if the configuration sets it to the empty string, which takes precedence over the variable.
	Empty bool
}

// For returns the client for an object of the type, or false with an error: what is missing, where to set it, and which
// type needs it.
func (s Service[T]) For(typeName string, diags *diag.Diagnostics) (T, bool) {
	if len(s.Unknown) > 0 {
		diags.AddAttributeError(path.Root(s.Unknown[0]), "The provider configuration is not known yet",
			fmt.Sprintf("%s needs the service now, but the provider configuration (%s) is known only after apply. Apply the "+
				"resource that it comes from first, with terraform apply -target=<that resource>, or use a value that is known "+
				"at plan time.", typeName, strings.Join(s.Unknown, " and ")))
	}
	if len(s.Missing) > 0 {
		s.lacks(typeName, diags)
	}
	if len(s.Invalid) > 0 && s.first() {
		diags.Append(s.Invalid...)
	} else if len(s.Invalid) > 0 {
		diags.AddError(s.Invalid.Errors()[0].Summary(), "Another error of this run has the same cause and explains what "+
			"to do.")
	}
	return s.Client, s.Ready
}

// ForRefresh is For in the refresh of an object in the state. Like Planned, it reports only once why the service cannot
// be used.
func (s Service[T]) ForRefresh(typeName string, diags *diag.Diagnostics) (client T, ready bool) {
	if !s.Planned(typeName, diags) || len(s.Unknown) > 0 && !s.first() {
		return client, false
	}
	return s.For(typeName, diags)
}

// Planned reports whether an object of the type can be planned: a plan that cannot be applied is an error. Arguments
// that are known only after apply are not missing. Only the first object of a run reports the error, because it ends
// the run.
func (s Service[T]) Planned(typeName string, diags *diag.Diagnostics) bool {
	switch {
	case len(s.Missing) == 0 && len(s.Invalid) == 0:
		return true
	case !s.first():
	case len(s.Invalid) > 0:
		diags.Append(s.Invalid...)
	default:
		s.lacks(typeName, diags)
	}
	return false
}

// first reports whether this is the first object of the run that reports why it cannot use the service.
func (s Service[T]) first() bool { return s.Reported == nil || s.Reported.CompareAndSwap(false, true) }

func (s Service[T]) lacks(typeName string, diags *diag.Diagnostics) {
	names, variables := make([]string, len(s.Missing)), make([]string, len(s.Missing))
	empty := ""
	for i, argument := range s.Missing {
		names[i], variables[i] = argument.Name, argument.Variable
		if argument.Empty {
			empty += fmt.Sprintf(" %s is set to the empty string, which takes precedence over %s: remove it or set a value.",
				argument.Name, argument.Variable)
		}
	}
	plural, them := "", "it"
	if len(names) > 1 {
		plural, them = "s", "them"
	}
	diags.AddAttributeError(path.Root(names[0]), "Missing provider argument"+plural+" "+strings.Join(names, " and "),
		fmt.Sprintf("%s needs %s. Set %s in the provider \"billing\" block, or the environment "+
			"variable%s %s.%s", typeName, them, strings.Join(names, " and "), plural, strings.Join(variables, " and "), empty))
}

// UseKey stores the provider's own API key.
func (c *Conn) UseKey(key string) { c.ownKey = key }

// IsOwnKey reports whether an API key is the provider's own, by its token or its public prefix. The prefix identifies a
// key (service description, Collections §2).
func (c *Conn) IsOwnKey(token, prefix string) bool {
	if c == nil || c.ownKey == "" {
		return false
	}
	return token == c.ownKey || prefix != "" && strings.HasPrefix(c.ownKey, prefix)
}

// Connected is embedded by resources and list resources; it stores the Conn from Configure.
type Connected struct{ Conn *Conn }

// Run records what this run has refreshed and planned; nil while the provider is not configured.
func (r *Connected) Run() *run.Run {
	if r.Conn == nil {
		return nil
	}
	return &r.Conn.Run
}

// Configure stores the Conn. During validation, Terraform calls it without one.
func (r *Connected) Configure(_ context.Context, req resource.ConfigureRequest, resp *resource.ConfigureResponse) {
	r.Conn = from(req.ProviderData, &resp.Diagnostics)
}

// ConnectedDataSource is embedded by data sources.
type ConnectedDataSource struct{ Conn *Conn }

// Configure stores the Conn. During validation, Terraform calls it without one.
func (d *ConnectedDataSource) Configure(_ context.Context, req datasource.ConfigureRequest,
	resp *datasource.ConfigureResponse) {
	d.Conn = from(req.ProviderData, &resp.Diagnostics)
}

func from(data any, diags *diag.Diagnostics) *Conn {
	if data == nil {
		return nil
	}
	c, ok := data.(*Conn)
	if !ok {
		diags.AddError("Unexpected provider data", fmt.Sprintf("This is a bug in the provider, please report it: got %T.",
			data))
	}
	return c
}

// ConnectedAction is embedded by actions.
type ConnectedAction struct{ Conn *Conn }

// Configure stores the Conn. During validation, Terraform calls it without one.
func (a *ConnectedAction) Configure(_ context.Context, req action.ConfigureRequest, resp *action.ConfigureResponse) {
	a.Conn = from(req.ProviderData, &resp.Diagnostics)
}

// ConnectedEphemeral is embedded by ephemeral resources.
type ConnectedEphemeral struct{ Conn *Conn }

// Configure stores the Conn. During validation, Terraform calls it without one.
func (e *ConnectedEphemeral) Configure(_ context.Context, req ephemeral.ConfigureRequest,
	resp *ephemeral.ConfigureResponse) {
	e.Conn = from(req.ProviderData, &resp.Diagnostics)
}

// Log writes every exchange with a service to Terraform's log, in one subsystem per service: requests and responses at
// DEBUG, bodies at TRACE. TF_LOG_PROVIDER_BILLING_<SERVICE> sets the level of one service. The exchanges are already
// masked; the secrets are masked once more, in case a service repeats one in an unexpected place.
type Log struct{ Secrets []string }

var _ api.Observer = Log{}

// Observe logs an event.
func (l Log) Observe(ctx context.Context, e api.Exchange) {
	ctx, fields := l.subsystem(ctx, e)
	switch e.Event {
	case api.Sending:
		tflog.SubsystemDebug(ctx, e.Service, "Sending request", fields)
		l.body(ctx, e.Service, "Request body", fields, e.RequestBody)
	case api.Received:
		l.received(ctx, e, fields)
	case api.Waiting:
		fields["delay_ms"] = e.Delay.Milliseconds()
		fields["reason"] = e.Reason
		tflog.SubsystemInfo(ctx, e.Service, "Waiting before the next attempt", fields)
	case api.FallingBack:
		fields["reason"] = e.Reason
		fields["error"] = e.Err.Error()
		tflog.SubsystemWarn(ctx, e.Service, "Falling back to single requests", fields)
	}
}

func (l Log) received(ctx context.Context, e api.Exchange, fields map[string]any) {
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

package sandbox

import (
	"net/http"
	"strings"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/openapi"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/server"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/store"
)

const aboutControl = "Moves the clock of the sandbox, injects faults, and shows what has happened. " +
	"The bearer token is BILLING_SANDBOX_CONTROL_TOKEN of the exports. A response is the value itself, without an envelope."

// controlRoute is a route of the control listener, and its description in the document.
type controlRoute struct {
	pattern       string
	serve         func(r *http.Request) (any, error)
	name, summary string
	query         []any
	body          func(server.Schemas) server.Schema
	returns       server.Returns
}

type nothing = struct{}

func returns[T any]() server.Returns { return server.ReturnsBare[T](http.StatusOK) }

func chosen(names ...string) (parameters []any) {
	for _, name := range names {
		parameters = append(parameters, openapi.Query(name, "", server.Text.Schema))
	}
	return parameters
}

// controlRoutes are the routes of the control listener, each with its entry in the document.
func (s *Server) controlRoutes() []controlRoute {
	return []controlRoute{
		{pattern: "GET /requests", serve: s.controlRequests,
			name: "requests", summary: "List the requests that the services have received, oldest first",
			query: []any{
				openapi.Query("after", "Only those with a higher sequence number.", server.IntegerFrom(0).Schema),
				openapi.Query("operation", "Only those of this operation, such as customers.create.", server.Text.Schema),
				openapi.Query("object", "Only those that name or changed the object of this id, with headers and changes.",
					server.Text.Schema),
				openapi.Query("responses", "Show the bodies of the newest responses as well; any value.", server.Text.Schema),
			}, returns: returns[[]RequestState]()},
		{pattern: "GET /requests/{id}", serve: s.controlRequest,
			name: "request", summary: "Show a request, by its Request-Id, with its headers and what it changed",
			returns: returns[RequestState]()},
		{pattern: "GET /clock", serve: func(*http.Request) (any, error) { return s.clockState(), nil },
			name: "clock", summary: "Show the clock", returns: returns[ClockState]()},
		{pattern: "POST /clock", serve: s.controlClock,
			name: "moveClock", summary: "Move the clock by a duration, such as 46d or -90m, or to a time, and wait " +
				"for the webhooks that are due", body: openapi.Sent[ClockMove](), returns: returns[ClockState]()},
		{pattern: "GET /faults", serve: s.controlFaults,
			name: "faults", summary: "List the active faults", returns: returns[[]FaultState]()},
		{pattern: "POST /faults", serve: s.controlAddFault,
			name: "addFault", summary: "Add a fault, such as operation=customers.create,status=503,times=1",
			body: openapi.Sent[FaultState]("spec"), returns: returns[FaultState]()},
		{pattern: "DELETE /faults", serve: func(*http.Request) (any, error) { s.server.Faults.Clear(); return struct{}{}, nil },
			name: "clearFaults", summary: "Remove all faults", returns: returns[nothing]()},
		{pattern: "DELETE /faults/{id}", serve: s.controlRemoveFault,
			name: "removeFault", summary: "Remove a fault", returns: returns[nothing]()},
		{pattern: "GET /tokens", serve: func(*http.Request) (any, error) { return s.allTokens(), nil },
			name: "tokens", summary: "List the tokens without their values", returns: returns[[]server.StoredToken]()},
		{pattern: "POST /tokens", serve: s.controlNewToken,
			name: "createToken", summary: "Create a token, whose value only this response shows",
			body: openapi.Sent[Token](), returns: returns[TokenState]()},
		{pattern: "POST /tokens/{prefix}/revoke", serve: s.controlRevoke,
			name: "revokeToken", summary: "Revoke a token", returns: returns[nothing]()},
		{pattern: "GET /subscriptions", serve: s.controlSubscriptions,
			name: "subscriptions", summary: "List the subscriptions", returns: returns[[]SubscriptionState]()},
		{pattern: "POST /subscriptions/{id}", serve: s.controlSubscription,
			name: "moveSubscription", summary: "Put a subscription, by its id or external_id=CODE, " +
				"into the status past_due or active; with force into any", body: openapi.Sent[SubscriptionMove]("status"),
			returns: returns[nothing]()},
		{pattern: "GET /events", serve: func(*http.Request) (any, error) {
			return store.Read(s.core.DB, s.collections.KnownEvents), nil
		},
			name: "events", summary: "List the events that are documented or that an endpoint subscribes to",
			returns: returns[[]string]()},
		{pattern: "POST /events", serve: s.controlEmit,
			name: "emitEvent", summary: "Emit an event to the webhook endpoints, and wait for its deliveries",
			body: openapi.Sent[EventEmission]("event"), returns: returns[EventEmission]()},
		{pattern: "GET /deliveries", serve: s.controlDeliveries,
			name: "deliveries", summary: "List the webhook deliveries with all attempts",
			query: chosen("endpoint", "status", "event"), returns: returns[[]DeliveryState]()},
		{pattern: "GET /deliveries/{id}", serve: func(r *http.Request) (any, error) {
			return s.collections.DeliveryState(r.PathValue("id"))
		},
			name: "delivery", summary: "Show a webhook delivery with its payload and all attempts",
			returns: returns[DeliveryState]()},
		{pattern: "POST /deliveries/{id}/resend", serve: s.controlResend,
			name: "resendDelivery", summary: "Send a failed or exhausted delivery again, and wait " +
				"for it", returns: returns[DeliveryState]()},
		{pattern: "POST /listeners", serve: s.controlListen,
			name: "listen", summary: "Create an endpoint whose deliveries are forwarded to a local http or " +
				"https address", body: openapi.Sent[Listener]("forward_to"), returns: returns[Listener]()},
		{pattern: "DELETE /listeners/{id}", serve: func(r *http.Request) (any, error) {
			return struct{}{}, s.collections.EndListener(r.PathValue("id"))
		},
			name: "endListener", summary: "Remove such an endpoint", returns: returns[nothing]()},
		{pattern: "GET /audit", serve: s.controlAudit,
			name: "audit", summary: "List who or what changed a status, a credential or a delivery, of one object " +
				"by its id, external_id or name, or of one type", query: chosen("object", "type"), returns: returns[[]AuditEntry]()},
		{pattern: "GET /keys", serve: func(*http.Request) (any, error) { return s.collections.KeyStates(), nil },
			name: "keys", summary: "List the API keys of collections", returns: returns[[]KeyState]()},
		{pattern: "GET /objects", serve: s.controlObjects,
			name: "objects", summary: "List the objects of all services and organizations but deliveries, newest first, each " +
				"as its service returns it", returns: returns[[]ObjectState]()},
		{pattern: "GET /objects/{kind}/{name}", serve: s.controlFind,
			name: "findObject", summary: "Find the id of a customer, account, subscription or " +
				"endpoint by external_id=CODE or url=URL", returns: returns[Found]()},
		{pattern: "GET /status", serve: s.controlStatus,
			name: "status", summary: "Show addresses, clock, faults and numbers of objects", returns: returns[Status]()},
		{pattern: "POST /reset", serve: s.controlReset,
			name: "reset", summary: "Go back to the start: objects, clock, faults and requests. Tokens stay valid",
			returns: returns[ResetState]()},
		{pattern: "POST /stop", serve: func(*http.Request) (any, error) { s.stop(); return struct{}{}, nil },
			name: "stop", summary: "End the sandbox", returns: returns[nothing]()},
	}
}

// controlOperations are the described routes.
func controlOperations() (operations []openapi.Operation) {
	for _, d := range new(Server).controlRoutes() {
		method, path, _ := strings.Cut(d.pattern, " ")
		o := openapi.Operation{Name: d.name, Summary: d.summary, Method: method, Path: path, Parameters: d.query,
			Body: d.body, BodyRequired: d.body != nil, Returns: d.returns, Rejections: []int{http.StatusUnauthorized}}
		if d.body != nil || len(d.query) > 0 {
			o.Rejections = append(o.Rejections, http.StatusBadRequest, http.StatusUnprocessableEntity)
		}
		if strings.Contains(path, "{") || path == "/deliveries" {
			o.Rejections = append(o.Rejections, http.StatusNotFound, http.StatusUnprocessableEntity)
		}
		if strings.HasSuffix(path, "/resend") {
			o.Rejections = append(o.Rejections, http.StatusConflict)
		}
		operations = append(operations, o)
	}
	return operations
}

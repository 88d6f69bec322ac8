package sandbox

import (
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/openapi"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/server"
)

const aboutControl = "Moves the clock of the sandbox, injects faults, and shows what has happened. " +
	"The bearer token is BILLING_SANDBOX_CONTROL_TOKEN of the exports. A response is the value itself, without an envelope."

// controlDescription describes a route in the document of the control listener.
type controlDescription struct {
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

// controlDescriptions describe the routes of the control listener, by their pattern.
var controlDescriptions = map[string]controlDescription{
	"GET /requests": {name: "requests", summary: "List the requests that the services have received, oldest first",
		query: []any{
			openapi.Query("after", "Only those with a higher sequence number.", server.IntegerFrom(0).Schema),
			openapi.Query("operation", "Only those of this operation, such as customers.create.", server.Text.Schema),
			openapi.Query("responses", "Show the bodies of the newest responses as well; any value.", server.Text.Schema),
		}, returns: returns[[]Request]()},
	"GET /clock": {name: "clock", summary: "Show the clock", returns: returns[ClockState]()},
	"POST /clock": {name: "moveClock", summary: "Move the clock by a duration, such as 46d or -90m, or to a time, and wait " +
		"for the webhooks that are due", body: openapi.Sent[ClockMove](), returns: returns[ClockState]()},
	"GET /faults": {name: "faults", summary: "List the active faults", returns: returns[[]FaultState]()},
	"POST /faults": {name: "addFault", summary: "Add a fault, such as operation=customers.create,status=503,times=1",
		body: openapi.Sent[FaultState]("spec"), returns: returns[FaultState]()},
	"DELETE /faults":      {name: "clearFaults", summary: "Remove all faults", returns: returns[nothing]()},
	"DELETE /faults/{id}": {name: "removeFault", summary: "Remove a fault", returns: returns[nothing]()},
	"GET /tokens":         {name: "tokens", summary: "List the tokens without their values", returns: returns[[]server.StoredToken]()},
	"POST /tokens": {name: "createToken", summary: "Create a token, whose value only this response shows",
		body: openapi.Sent[Token](), returns: returns[TokenState]()},
	"POST /tokens/{prefix}/revoke": {name: "revokeToken", summary: "Revoke a token", returns: returns[nothing]()},
	"GET /subscriptions":           {name: "subscriptions", summary: "List the subscriptions", returns: returns[[]SubscriptionState]()},
	"POST /subscriptions/{id}": {name: "moveSubscription", summary: "Put a subscription, by its id or external_id=CODE, " +
		"into the status past_due or active; with force into any", body: openapi.Sent[SubscriptionMove]("status"),
		returns: returns[nothing]()},
	"POST /events": {name: "emitEvent", summary: "Emit an event to the webhook endpoints, and wait for its deliveries",
		body: openapi.Sent[EventEmission]("event"), returns: returns[EventEmission]()},
	"GET /deliveries": {name: "deliveries", summary: "List the webhook deliveries with all attempts",
		query: chosen("endpoint", "status", "event"), returns: returns[[]DeliveryState]()},
	"GET /deliveries/{id}": {name: "delivery", summary: "Show a webhook delivery with its payload and all attempts",
		returns: returns[DeliveryState]()},
	"POST /deliveries/{id}/resend": {name: "resendDelivery", summary: "Send a failed or exhausted delivery again, and wait " +
		"for it", returns: returns[DeliveryState]()},
	"POST /listeners": {name: "listen", summary: "Create an endpoint whose deliveries are forwarded to a local http or " +
		"https address", body: openapi.Sent[Listener]("forward_to"), returns: returns[Listener]()},
	"DELETE /listeners/{id}": {name: "endListener", summary: "Remove such an endpoint", returns: returns[nothing]()},
	"GET /audit": {name: "audit", summary: "List who or what changed a status, a credential or a delivery, of one object " +
		"by its id, external_id or name, or of one type", query: chosen("object", "type"), returns: returns[[]AuditEntry]()},
	"GET /keys": {name: "keys", summary: "List the API keys of collections", returns: returns[[]KeyState]()},
	"GET /objects/{kind}/{name}": {name: "findObject", summary: "Find the id of a customer, account, subscription or " +
		"endpoint by external_id=CODE or url=URL", returns: returns[Found]()},
	"GET /status": {name: "status", summary: "Show addresses, clock, faults and numbers of objects", returns: returns[Status]()},
	"POST /reset": {name: "reset", summary: "Go back to the start: objects, clock, faults and requests. Tokens stay valid",
		returns: returns[ResetState]()},
	"POST /stop": {name: "stop", summary: "End the sandbox", returns: returns[nothing]()},
}

// controlOperations are the described routes.
func controlOperations() (operations []openapi.Operation) {
	for _, pattern := range slices.Sorted(maps.Keys(controlDescriptions)) {
		d := controlDescriptions[pattern]
		method, path, _ := strings.Cut(pattern, " ")
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

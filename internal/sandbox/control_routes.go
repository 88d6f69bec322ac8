package sandbox

import (
	"cmp"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/openapi"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/server"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/store"
)

const aboutControl = "Moves the clock of the sandbox, injects faults, and shows what has happened. " +
	"The bearer token is BILLING_SANDBOX_CONTROL_TOKEN of the exports. A response is the value itself, without an envelope."

// controlRoute is a route of the control listener, its description in the document, and the command that sends it.
type controlRoute struct {
	pattern       string
	serve         func(r *http.Request) (any, error)
	name, summary string
	query         []parameter
	body          func(server.Schemas) server.Schema
	returns       server.Returns
	// command are the words of the command, such as "token revoke PREFIX": capitals are the values in the path. A route
	// without one has a command with a form of its own, or none. prints is the table of what it returns, if anything.
	command string
	prints  table
}

// parameter is a parameter of the query, and a flag of the command. Of the values, if there are any, it is one.
type parameter struct {
	name, about string
	values      []string
	schema      server.Schema // nil: text
}

// table are the columns in which a command prints a list.
type table struct {
	titles, none string // none is printed for an empty list
	cells        func(document []byte) (rows []json.RawMessage, cells [][]string, err error)
}

func columns[T any](titles, none string, cells func(T) []string) table {
	return table{titles, none, func(document []byte) (rows []json.RawMessage, all [][]string, err error) {
		var values []T
		if err := errors.Join(json.Unmarshal(document, &rows), json.Unmarshal(document, &values)); err != nil {
			return nil, nil, err
		}
		for _, value := range values {
			all = append(all, cells(value))
		}
		return rows, all, nil
	}}
}

type nothing = struct{}

func returns[T any]() server.Returns { return server.ReturnsBare[T](http.StatusOK) }

// controlRoutes are the routes of the control listener, each with its entry in the document.
func (s *Server) controlRoutes() []controlRoute {
	return []controlRoute{
		{pattern: "GET /requests", serve: s.controlRequests,
			name: "requests", summary: "List the requests that the services have received, oldest first",
			query: []parameter{
				{name: "after", about: "Only those with a higher sequence number.", schema: server.IntegerFrom(0).Schema},
				{name: "operation", about: "Only those of this operation, such as customers.create."},
				{name: "object", about: "Only those that name or changed the object of this id, with headers and changes."},
				{name: "responses", about: "Show the bodies of the newest responses as well; any value."},
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
			name: "faults", summary: "List the active faults", returns: returns[[]FaultState](),
			command: "fault [list]", prints: columns("ID FAULT", "No faults are active.",
				func(f FaultState) []string { return []string{f.ID, f.Spec} })},
		{pattern: "POST /faults", serve: s.controlAddFault,
			name: "addFault", summary: "Add a fault, such as operation=customers.create,status=503,times=1",
			body: openapi.Sent[FaultState]("spec"), returns: returns[FaultState]()},
		{pattern: "DELETE /faults/{id}", serve: s.controlRemoveFault,
			name: "removeFault", summary: "Remove a fault", returns: returns[nothing](), command: "fault remove ID"},
		{pattern: "DELETE /faults", serve: func(*http.Request) (any, error) { s.server.Faults.Clear(); return struct{}{}, nil },
			name: "clearFaults", summary: "Remove all faults", returns: returns[nothing](), command: "fault clear"},
		{pattern: "GET /tokens", serve: func(*http.Request) (any, error) { return s.allTokens(), nil },
			name: "tokens", summary: "List the tokens without their values", returns: returns[[]server.StoredToken](),
			command: "token [list]", prints: columns("SERVICE PREFIX STATUS ORGANIZATION SCOPES", "There are no tokens.",
				func(t TokenState) []string {
					return []string{string(t.Service), t.Prefix, condition(t.Token), t.Organization, strings.Join(t.Scopes, ",")}
				})},
		{pattern: "POST /tokens", serve: s.controlNewToken,
			name: "createToken", summary: "Create a token, whose value only this response shows",
			body: openapi.Sent[Token](), returns: returns[TokenState]()},
		{pattern: "POST /tokens/{prefix}/revoke", serve: s.controlRevoke,
			name: "revokeToken", summary: "Revoke a token", returns: returns[nothing](), command: "token revoke PREFIX"},
		{pattern: "GET /subscriptions", serve: s.controlSubscriptions,
			name: "subscriptions", summary: "List the subscriptions", returns: returns[[]SubscriptionState](),
			command: "subscription [list]", prints: columns("STATUS PERIOD-END ID PLAN PENDING-PLAN EXTERNAL-ID CUSTOMER",
				"There are no subscriptions.", func(s SubscriptionState) []string {
					return []string{s.Status, s.PeriodEnd.Format(time.RFC3339), s.ID, s.Plan, s.PendingPlan, s.ExternalID, s.Customer}
				})},
		{pattern: "POST /subscriptions/{id}", serve: s.controlSubscription,
			name: "moveSubscription", summary: "Put a subscription, by its id or external_id=CODE, " +
				"into the status past_due or active; with force into any", body: openapi.Sent[SubscriptionMove]("status"),
			returns: returns[nothing]()},
		{pattern: "GET /events", serve: func(*http.Request) (any, error) {
			return store.Read(s.core.DB, s.collections.KnownEvents), nil
		},
			name: "events", summary: "List the events that are documented or that an endpoint subscribes to",
			returns: returns[[]string](), command: "event list", prints: columns("EVENT", "There are no events.",
				func(name string) []string { return []string{name} })},
		{pattern: "POST /events", serve: s.controlEmit,
			name: "emitEvent", summary: "Emit an event to the webhook endpoints, and wait for its deliveries",
			body: openapi.Sent[EventEmission]("event"), returns: returns[EventEmission]()},
		{pattern: "GET /deliveries", serve: s.controlDeliveries,
			name: "deliveries", summary: "List the webhook deliveries with all attempts",
			query: []parameter{{name: "endpoint"}, {name: "status"}, {name: "event"}}, returns: returns[[]DeliveryState]()},
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
				"by its id, external_id or name, or of one type", query: []parameter{
				{name: "id", about: "Only those of the object with this `ID`, or this external_id or name."},
				{name: "type", about: "Only those of this `TYPE`.", values: auditTypes}}, returns: returns[[]AuditEntry](),
			command: "audit", prints: columns("TIME ACTION TYPE OBJECT STATUS BY DETAIL",
				"There are no such entries.", auditCells)},
		{pattern: "GET /keys", serve: func(*http.Request) (any, error) { return s.collections.KeyStates(), nil },
			name: "keys", summary: "List the API keys of collections", returns: returns[[]KeyState](),
			command: "key [list]", prints: columns("STATUS PREFIX NAME ENDS LAST-USED ID SCOPES", "There are no API keys.",
				func(k KeyState) []string {
					return []string{k.Status, k.Prefix, k.Name, orNever(k.Ends), orNever(k.LastUsed), k.ID,
						strings.Join(k.Scopes, ",")}
				})},
		{pattern: "GET /objects", serve: s.controlObjects,
			name: "objects", summary: "List the objects of all services and organizations but deliveries, newest first, each " +
				"as its service returns it", returns: returns[[]ObjectState](), command: "objects",
			prints: columns("KIND ID NAME CREATED", "There are no objects.", func(o ObjectState) []string {
				return []string{o.Kind, o.ID, o.Name, strings.TrimPrefix(orNever(o.CreatedAt), "never")}
			})},
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
		o := openapi.Operation{Name: d.name, Summary: d.summary, Method: method, Path: path,
			Body: d.body, BodyRequired: d.body != nil, Returns: d.returns, Rejections: []int{http.StatusUnauthorized}}
		for _, of := range d.query {
			o.Parameters = append(o.Parameters, of.described())
		}
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

func (p parameter) described() any {
	schema := p.schema
	if schema == nil {
		schema = server.Text.Schema
	}
	return openapi.Query(p.name, strings.ReplaceAll(p.about, "`", ""), schema)
}

// ControlCommand is a command that sends a request to the control listener, and prints what it returns.
type ControlCommand struct {
	Words        string // such as "token revoke PREFIX": capitals are the values in the path
	Summary      string
	Method, Path string
	Flags        []ControlFlag
	Titles, None string // of the columns, and what is printed instead of an empty list
	// Cells reads the rows of a list, and formats them; nil for a command that prints nothing.
	Cells func(document []byte) (rows []json.RawMessage, cells [][]string, err error)
}

// ControlFlag is a parameter of the query. Of Values, if there are any, it is one.
type ControlFlag struct {
	Name, About string
	Values      []string
}

// ControlCommands are the commands that follow from the routes of the control listener.
func ControlCommands() (commands []ControlCommand) {
	for _, route := range new(Server).controlRoutes() {
		if route.command == "" {
			continue
		}
		method, path, _ := strings.Cut(route.pattern, " ")
		c := ControlCommand{Words: route.command, Summary: route.summary, Method: method, Path: path,
			Titles: route.prints.titles, None: route.prints.none, Cells: route.prints.cells}
		for _, p := range route.query {
			c.Flags = append(c.Flags, ControlFlag{p.name, p.about, p.values})
		}
		commands = append(commands, c)
	}
	return commands
}

// condition summarizes the state of a token. The sandbox's clock determines whether it has expired.
func condition(t Token) string {
	switch {
	case t.Revoked:
		return "revoked"
	case t.Blocked:
		return "blocked"
	case !t.Expires.IsZero():
		return "until " + t.Expires.Format(time.DateOnly)
	default:
		return "active"
	}
}

func orNever(t time.Time) string {
	if t.IsZero() {
		return "never"
	}
	return t.Format(time.RFC3339)
}

// auditTypes are the types of objects in the audit trail.
var auditTypes = []string{"account", "delivery", "endpoint", "invoice", "key", "subscription", "token"}

func auditCells(e AuditEntry) []string {
	status, by := "", e.Cause
	if e.Before != e.After {
		status = strings.TrimPrefix(e.Before+"→"+e.After, "→")
	}
	if e.Token != "" {
		by = cmp.Or(e.Client, e.Cause) + "," + e.Token
	}
	var said []string
	for _, name := range slices.Sorted(maps.Keys(e.Terms)) {
		value := "null"
		if e.Terms[name] != nil {
			value = *e.Terms[name]
		}
		said = append(said, name+"="+value)
	}
	if e.Reason != "" {
		said = append(said, "reason: "+e.Reason)
	}
	return []string{e.Time.Format(time.RFC3339), strings.ReplaceAll(e.Action, " ", "-"), e.Type, cmp.Or(e.Name, e.ID),
		status, by, strings.Join(said, ", ")}
}

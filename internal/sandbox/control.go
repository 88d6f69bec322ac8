package sandbox

import (
	"cmp"
	"context"
	"crypto/subtle"
	"encoding/json"
	"io"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/billing"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/collections"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/server"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/store"
)

// The control listener's messages. It speaks JSON over https with its own bearer
// token; errors have the shape of the services' errors.
type (
	// ClockState is the response of GET and POST /clock.
	ClockState struct {
		Now   time.Time `json:"now"`
		Fixed bool      `json:"fixed"`
	}
	// ClockMove is the body of POST /clock: one of the two.
	ClockMove struct {
		Advance string     `json:"advance,omitempty"` // as ParseDuration reads it
		Set     *time.Time `json:"set,omitempty"`
	}
	// FaultState is a fault in force, and in a POST /faults only the spec.
	FaultState struct {
		ID   string `json:"id,omitempty"`
		Spec string `json:"spec"`
	}
	// SubscriptionMove is the body of POST /subscriptions/{id}: the status to
	// put the subscription into. With Force false it is active or past_due, by
	// the transitions between the two; with true any status, without a transition.
	SubscriptionMove struct {
		Status string `json:"status"`
		Force  bool   `json:"force,omitempty"`
	}
	// TokenState is an item of the list of tokens. Only the response of POST /tokens contains Value.
	TokenState struct {
		Token
		Prefix string `json:"prefix"`
		Value  string `json:"value,omitempty"`
	}
)

// NewOrganizationKeyword as the organization of a token that is created through the control listener creates an
// organization for it; followed by =NAME, unless there is one of that name.
const NewOrganizationKeyword = "new"

func (s *Server) controlHandler() http.Handler {
	mux := http.NewServeMux()
	for _, route := range s.controlRoutes() {
		mux.Handle(route.pattern, s.controlled(route.serve))
	}
	mux.Handle("/", s.controlled(func(*http.Request) (any, error) { return nil, server.ErrNoRoute }))
	noID := s.controlled(func(*http.Request) (any, error) {
		return nil, server.ErrValidation.With(`The id is empty, "." or "..".`)
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// The mux would redirect to another path.
		if asked := r.URL.EscapedPath(); path.Clean(asked) != asked {
			noID.ServeHTTP(w, r)
			return
		}
		mux.ServeHTTP(w, r)
	})
}

// controlled checks the control token, and writes what serve returns.
func (s *Server) controlled(serve func(r *http.Request) (any, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		token, _ := server.Bearer(r.Header)
		var body any
		err := error(server.ErrInvalidToken)
		if subtle.ConstantTimeCompare([]byte(token), []byte(s.bootstrap.ControlToken)) == 1 {
			body, err = serve(r)
		}
		s.server.Respond(w, body, err)
	})
}

// sequence reads the sequence number of a request; none is 0.
func sequence(text string) (uint64, error) {
	number, err := strconv.ParseUint(cmp.Or(text, "0"), 10, 64)
	if err != nil {
		return 0, server.ErrValidation.With("after must be the sequence number of a request.")
	}
	return number, nil
}

func (s *Server) clockState() ClockState {
	return ClockState{Now: s.core.Clock.Now(), Fixed: s.core.Clock.Fixed()}
}

// ResetState is the response of POST /reset: the cleared and the current objects.
type ResetState struct {
	Cleared  int       `json:"cleared"` // objects
	Requests int       `json:"requests"`
	Faults   int       `json:"faults"`
	Objects  int       `json:"objects"`
	Now      time.Time `json:"now"`
}

func (s *Server) controlReset(r *http.Request) (any, error) {
	objects := func() (n int) {
		for _, kind := range store.Read(s.core.DB, s.counts) {
			n += kind.Count
		}
		return n
	}
	was := ResetState{Cleared: objects(), Requests: len(s.Requests()), Faults: len(s.Faults())}
	if err := s.reset(r.Context()); err != nil {
		return nil, err
	}
	was.Objects, was.Now = objects(), s.core.Clock.Now()
	return was, nil
}

func (s *Server) controlClock(r *http.Request) (any, error) {
	var move ClockMove
	if err := readControl(r, &move); err != nil {
		return nil, err
	}
	return s.moveClock(r.Context(), move)
}

// moveClock moves the clock, and waits for the deliveries that have come due.
func (s *Server) moveClock(ctx context.Context, move ClockMove) (ClockState, error) {
	if (move.Advance == "") == (move.Set == nil) {
		return ClockState{}, server.ErrValidation.With("Give either advance or set.")
	}
	by, to := time.Duration(0), move.Set
	if to == nil {
		d, err := server.ParseDuration(move.Advance)
		if err != nil {
			return ClockState{}, server.ErrValidation.With("advance: " + err.Error())
		}
		then := s.core.Clock.Now().Add(d)
		by, to = d, &then
	}
	// Durations reach less than 300 years: beyond that the clock would wrap around.
	if to.Year() < 1900 || to.Year() > 2200 {
		return ClockState{}, server.ErrValidation.With("The clock goes from the year 1900 to the year 2200.")
	}
	if move.Set == nil {
		s.core.Clock.Advance(by)
	} else {
		s.core.Clock.Set(*to)
	}
	return s.clockState(), s.settleDeliveries(ctx)
}

func (s *Server) controlSubscription(r *http.Request) (any, error) {
	var move SubscriptionMove
	if err := readControl(r, &move); err != nil {
		return nil, err
	}
	id, err := s.named("subscription", r.PathValue("id"))
	switch {
	case err != nil:
		return nil, err
	case move.Status == "":
		return nil, server.ErrValidation.With("Give a status.")
	case move.Force:
		return struct{}{}, s.billing.SetStatus(id, move.Status)
	case move.Status == billing.SubscriptionActive || move.Status == billing.SubscriptionPastDue:
		return struct{}{}, s.billing.SetPastDue(id, move.Status == billing.SubscriptionPastDue)
	default:
		return nil, server.ErrValidation.With("Without force, the status is active or past_due.")
	}
}

func (s *Server) controlFaults(*http.Request) (any, error) {
	states := []FaultState{}
	for _, f := range s.server.Faults.List() {
		states = append(states, FaultState{ID: f.ID, Spec: f.String()})
	}
	return states, nil
}

func (s *Server) controlAddFault(r *http.Request) (any, error) {
	var wanted FaultState
	if err := readControl(r, &wanted); err != nil {
		return nil, err
	}
	fault, err := ParseFault(wanted.Spec)
	if err != nil {
		return nil, server.ErrValidation.With(err.Error())
	}
	return FaultState{ID: s.server.Faults.Add(fault), Spec: fault.String()}, nil
}

func (s *Server) controlRemoveFault(r *http.Request) (any, error) {
	if !s.RemoveFault(r.PathValue("id")) {
		var known []string
		for _, f := range s.server.Faults.List() {
			known = append(known, f.ID)
		}
		return nil, server.ErrNotFound.With("There is no fault " + quote(r.PathValue("id")) + among(r.PathValue("id"), known))
	}
	return struct{}{}, nil
}

func readControl(r *http.Request, into any) error {
	decoder := json.NewDecoder(io.LimitReader(r.Body, server.MaxBody))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil {
		return server.ErrMalformed.With("The body is not what this route takes: " + err.Error())
	}
	return nil
}

// controlPatience bounds how long a move of the clock waits for the deliveries
// that have come due; a longer one continues without it.
const controlPatience = 8 * time.Second

// EventEmission is the body of POST /events, and with ID its response.
type EventEmission struct {
	Event string          `json:"event"`
	Data  json.RawMessage `json:"data,omitempty"` // an object; nothing: an example
	ID    string          `json:"id,omitempty"`
	// Unlisted lets an event happen that is not documented and that no endpoint is subscribed to by name.
	Unlisted bool `json:"unlisted,omitempty"`
	// Endpoint is the id of the only endpoint to send it to, whether it is subscribed to it or not; empty: all.
	Endpoint string `json:"endpoint,omitempty"`
}

func (s *Server) controlEmit(r *http.Request) (any, error) {
	var wanted EventEmission
	if err := readControl(r, &wanted); err != nil {
		return nil, err
	}
	known := store.Read(s.core.DB, s.collections.KnownEvents)
	if !wanted.Unlisted && !slices.Contains(known, wanted.Event) {
		return nil, server.ErrValidation.With("There is no event " + quote(wanted.Event) + meant(wanted.Event, known) +
			" Known are " + strings.Join(known, ", ") + ". Use --unlisted to emit it anyway.")
	}
	var data any
	if len(wanted.Data) > 0 {
		data = wanted.Data
	}
	if wanted.Endpoint != "" {
		if err := s.collections.EmitTo(wanted.Endpoint, wanted.Event); err != nil {
			return nil, err
		}
		return wanted, s.settleDeliveries(r.Context())
	}
	id, err := s.collections.Emit(s.bootstrap.Organization, wanted.Event, data)
	if err != nil {
		return nil, server.ErrValidation.With(err.Error())
	}
	wanted.ID = id
	return wanted, s.settleDeliveries(r.Context())
}

// controlAudit returns the audit trail, of one object or one type of objects where the query names it.
func (s *Server) controlAudit(r *http.Request) (any, error) {
	trail, err := s.AuditTrail()
	query := r.URL.Query()
	return slices.DeleteFunc(trail, func(e AuditEntry) bool {
		object, kind := query.Get("id"), query.Get("type")
		return object != "" && object != e.ID && object != e.Name || kind != "" && kind != e.Type
	}), err
}

// settleDeliveries waits for the due deliveries, at most as long as the caller waits.
func (s *Server) settleDeliveries(ctx context.Context) error {
	limited, cancel := context.WithTimeout(ctx, controlPatience)
	defer cancel()
	if err := s.collections.WaitDeliveries(limited); err != nil && ctx.Err() != nil {
		return err
	}
	return nil
}

func (s *Server) controlResend(r *http.Request) (any, error) {
	id := r.PathValue("id")
	if err := s.resend(r.Context(), id); err != nil {
		return nil, err
	}
	return s.collections.DeliveryState(id)
}

// resend sends a delivery again, and waits for it.
func (s *Server) resend(ctx context.Context, id string) error {
	if err := s.collections.Resend(id); err != nil {
		return err
	}
	return s.settleDeliveries(ctx)
}

func (s *Server) controlListen(r *http.Request) (any, error) {
	var wanted Listener
	if err := readControl(r, &wanted); err != nil {
		return nil, err
	}
	return s.collections.Listen(r.Context(), s.bootstrap.Organization, Listener{ForwardTo: wanted.ForwardTo,
		Events: wanted.Events})
}

func (s *Server) controlDeliveries(r *http.Request) (any, error) {
	query := r.URL.Query()
	is := func(name, value string) bool { return query.Get(name) == "" || query.Get(name) == value }
	known := store.Read(s.core.DB, func(tx *store.Tx) (ids []string) {
		for id := range s.collections.Endpoints.All(tx) {
			ids = append(ids, id)
		}
		return ids
	})
	found := []collections.DeliveryState{}
	for _, d := range s.collections.DeliveryStates() {
		known = append(known, d.EndpointID) // which may be deleted
		if is("endpoint", d.EndpointID) && is("status", string(d.State.Status)) && is("event", d.Event) {
			found = append(found, d)
		}
	}
	if endpoint := query.Get("endpoint"); endpoint != "" && !slices.Contains(known, endpoint) {
		slices.Sort(known)
		return nil, server.ErrNotFound.With("There is no endpoint " + quote(endpoint) +
			among(endpoint, slices.Compact(known)))
	}
	return found, nil
}

package control

import (
	"cmp"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/billing"
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
		Advance string    `json:"advance,omitempty"` // a Go duration, such as 24h
		Set     time.Time `json:"set,omitzero"`
	}
	// FaultState is a fault in force, and in a POST /faults the spec alone.
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
	// TokenState is a token as it is listed. Value is returned by
	// POST /tokens only.
	TokenState struct {
		server.Token
		Prefix string `json:"prefix"`
		Value  string `json:"value,omitempty"`
	}
)

// NewOrganizationKeyword as the organization of a token that is created through the control listener creates an
// organization for it; followed by =NAME, unless there is one of that name.
const NewOrganizationKeyword = "new"

// Handler serves the control listener.
func (s *Control) Handler() http.Handler {
	mux := http.NewServeMux()
	routes := map[string]func(r *http.Request) (any, error){
		"GET /requests":                s.controlRequests,
		"DELETE /requests":             func(*http.Request) (any, error) { s.Server.Log.Reset(); return struct{}{}, nil },
		"GET /clock":                   func(*http.Request) (any, error) { return s.clockState(), nil },
		"POST /clock":                  s.controlClock,
		"GET /faults":                  s.controlFaults,
		"POST /faults":                 s.controlAddFault,
		"DELETE /faults":               func(*http.Request) (any, error) { s.Server.ClearFaults(); return struct{}{}, nil },
		"DELETE /faults/{id}":          s.controlRemoveFault,
		"GET /tokens":                  s.controlTokens,
		"POST /tokens":                 s.controlNewToken,
		"POST /tokens/{prefix}/revoke": s.controlRevoke,
		"POST /subscriptions/{id}":     s.controlSubscription,
		"/":                            func(*http.Request) (any, error) { return nil, server.ErrNoRoute },
	}
	maps.Copy(routes, s.collectionsControl())
	maps.Copy(routes, s.lifecycle())
	for pattern, serve := range routes {
		mux.Handle(pattern, s.controlled(serve))
	}
	return mux
}

// controlled checks the control token, and writes what serve returns.
func (s *Control) controlled(serve func(r *http.Request) (any, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		token, _ := server.Bearer(r.Header)
		var body any
		err := error(server.ErrInvalidToken)
		if subtle.ConstantTimeCompare([]byte(token), []byte(s.Bootstrap.ControlToken)) == 1 {
			body, err = serve(r)
		}
		s.Server.Respond(w, body, err)
	})
}

func (s *Control) controlRequests(r *http.Request) (any, error) {
	var after uint64
	if text := r.URL.Query().Get("after"); text != "" {
		var err error
		if after, err = strconv.ParseUint(text, 10, 64); err != nil {
			return nil, server.ErrValidation.With("after must be the sequence number of a request.")
		}
	}
	requests := s.Server.Log.Since(after)
	if operation := r.URL.Query().Get("operation"); operation != "" {
		requests = slices.DeleteFunc(requests, func(r server.Request) bool { return r.Operation != operation })
	}
	if !r.URL.Query().Has("responses") {
		for i := range requests {
			requests[i].Response = nil
		}
	}
	return requests, nil
}

func (s *Control) clockState() ClockState {
	return ClockState{Now: s.Clock.Now(), Fixed: s.Clock.Fixed()}
}

func (s *Control) controlClock(r *http.Request) (any, error) {
	var move ClockMove
	if err := readControl(r, &move); err != nil {
		return nil, err
	}
	if (move.Advance == "") == move.Set.IsZero() {
		return nil, server.ErrValidation.With("Give either advance or set.")
	}
	var by time.Duration
	to := move.Set
	if to.IsZero() {
		d, err := time.ParseDuration(move.Advance)
		if err != nil {
			return nil, server.ErrValidation.With("advance must be a duration such as 24h or 90m.")
		}
		by, to = d, s.Clock.Now().Add(d)
	}
	// Durations reach less than 300 years: beyond that the clock would wrap around.
	if to.Year() < 1900 || to.Year() > 2200 {
		return nil, server.ErrValidation.With("The clock goes from the year 1900 to the year 2200.")
	}
	if move.Set.IsZero() {
		s.Clock.Advance(by)
	} else {
		s.Clock.Set(to)
	}
	return s.clockState(), s.settleDeliveries(r.Context())
}

func (s *Control) controlSubscription(r *http.Request) (any, error) {
	var move SubscriptionMove
	if err := readControl(r, &move); err != nil {
		return nil, err
	}
	var id string
	err := s.DB.View(func(tx *store.Tx) (err error) {
		id, err = s.find(tx, "subscription", r.PathValue("id"))
		return err
	})
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

func (s *Control) controlFaults(*http.Request) (any, error) {
	states := []FaultState{}
	for _, f := range s.Server.Faults.List() {
		states = append(states, FaultState{ID: f.ID, Spec: f.String()})
	}
	return states, nil
}

func (s *Control) controlAddFault(r *http.Request) (any, error) {
	var wanted FaultState
	if err := readControl(r, &wanted); err != nil {
		return nil, err
	}
	fault, err := server.ParseFault(wanted.Spec, s.operations())
	if err != nil {
		return nil, server.ErrValidation.With(err.Error())
	}
	return FaultState{ID: s.Server.AddFault(fault), Spec: fault.String()}, nil
}

func (s *Control) controlRemoveFault(r *http.Request) (any, error) {
	if !s.Server.RemoveFault(r.PathValue("id")) {
		var known []string
		for _, f := range s.Server.Faults.List() {
			known = append(known, f.ID)
		}
		return nil, server.ErrNotFound.With("There is no fault " + quote(r.PathValue("id")) + among(r.PathValue("id"), known))
	}
	return struct{}{}, nil
}

func (s *Control) controlTokens(*http.Request) (any, error) {
	return s.tokenStates()
}

func (s *Control) tokenStates() ([]TokenState, error) {
	states := []TokenState{}
	err := s.DB.View(func(tx *store.Tx) error {
		for _, stored := range s.tokens.All(tx) {
			states = append(states, TokenState{Token: stored.Token, Prefix: stored.Prefix})
		}
		return nil
	})
	for _, stored := range s.collections.StoredTokens() {
		states = append(states, TokenState{Token: stored.Token, Prefix: stored.Prefix})
	}
	return states, err
}

func (s *Control) controlNewToken(r *http.Request) (any, error) {
	var wanted server.Token
	if err := readControl(r, &wanted); err != nil {
		return nil, err
	}
	if err := s.checkScopes(wanted); err != nil {
		return nil, err
	}
	if wanted.Organization != "" {
		var err error
		if wanted.Organization, err = s.organization(wanted.Organization); err != nil {
			return nil, err
		}
	}
	value, err := s.NewToken(wanted)
	if err != nil {
		return nil, server.ErrValidation.With(err.Error())
	}
	var state TokenState
	err = s.DB.View(func(tx *store.Tx) error {
		stored, _ := s.finder(cmp.Or(wanted.Service, server.Billing))(tx, value)
		state = TokenState{Token: stored.Token, Prefix: stored.Prefix, Value: value}
		return nil
	})
	return state, err
}

func (s *Control) controlRevoke(r *http.Request) (any, error) {
	err := s.RevokeToken(r.PathValue("prefix"))
	if errors.Is(err, errNoToken) {
		states, err := s.tokenStates()
		if err != nil {
			return nil, err
		}
		known := make([]string, len(states))
		for i, state := range states {
			known[i] = state.Prefix
		}
		// Not quoted: it may be a token of another sandbox.
		return nil, server.ErrNotFound.With("There is no token with this prefix" + among(r.PathValue("prefix"), known))
	}
	return struct{}{}, err
}

// finder finds the tokens of a service.
func (s *Control) finder(service server.Service) func(tx *store.Tx, value string) (server.StoredToken, bool) {
	switch service {
	case server.Collections:
		return s.collections.TokenOf
	case server.Finance:
		return s.ReadJWT
	default:
		return s.BillingToken
	}
}

// operations are the names of what the services serve.
func (s *Control) operations() []string {
	var names []string
	for _, r := range s.routes() {
		names = append(names, r.Name)
	}
	return names
}

func readControl(r *http.Request, into any) error {
	decoder := json.NewDecoder(io.LimitReader(r.Body, server.MaxBody))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil {
		return server.ErrMalformed.With("The body is not what this route takes: " + err.Error())
	}
	return nil
}

package sandbox

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

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/store"
)

// The control listener's messages. It speaks JSON over https with a bearer
// token of its own; errors have the shape of the services' errors.
type (
	// ClockState is the answer of GET and POST /clock.
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
	// the arrows between the two; with true any status, by no arrow at all.
	SubscriptionMove struct {
		Status string `json:"status"`
		Force  bool   `json:"force,omitempty"`
	}
	// TokenState is a token as it is listed. Value is answered by
	// POST /tokens only.
	TokenState struct {
		Token
		Prefix string `json:"prefix"`
		Value  string `json:"value,omitempty"`
	}
)

// NewOrganizationKeyword as the organization of a token to be made through
// the control listener makes an organization for it.
const NewOrganizationKeyword = "new"

// controlHandler serves the control listener.
func (s *Server) controlHandler() http.Handler {
	mux := http.NewServeMux()
	routes := map[string]func(r *http.Request) (any, error){
		"GET /requests":                s.controlRequests,
		"DELETE /requests":             func(*http.Request) (any, error) { s.ResetRequests(); return struct{}{}, nil },
		"GET /clock":                   func(*http.Request) (any, error) { return s.clockState(), nil },
		"POST /clock":                  s.controlClock,
		"GET /faults":                  s.controlFaults,
		"POST /faults":                 s.controlAddFault,
		"DELETE /faults":               func(*http.Request) (any, error) { s.ClearFaults(); return struct{}{}, nil },
		"GET /tokens":                  s.controlTokens,
		"POST /tokens":                 s.controlNewToken,
		"POST /tokens/{prefix}/revoke": s.controlRevoke,
		"POST /subscriptions/{id}":     s.controlSubscription,
		"/":                            func(*http.Request) (any, error) { return nil, errNoRoute },
	}
	maps.Copy(routes, s.collectionsControl())
	for pattern, serve := range routes {
		mux.Handle(pattern, s.controlled(serve))
	}
	return mux
}

// controlled checks the control token, and writes what serve answers.
func (s *Server) controlled(serve func(r *http.Request) (any, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		token, _ := bearer(r.Header)
		var body any
		err := error(errInvalidToken)
		if subtle.ConstantTimeCompare([]byte(token), []byte(s.bootstrap.ControlToken)) == 1 {
			body, err = serve(r)
		}
		a := answer{status: http.StatusOK, header: http.Header{"Content-Type": {"application/json"}}}
		if err == nil {
			a.body, err = encode(body)
		}
		if err != nil {
			a = s.failure(err)
		}
		a.header.Set("Request-Id", s.source.uuid())
		a.write(w, false)
	})
}

func (s *Server) controlRequests(r *http.Request) (any, error) {
	var after uint64
	if text := r.URL.Query().Get("after"); text != "" {
		var err error
		if after, err = strconv.ParseUint(text, 10, 64); err != nil {
			return nil, errValidation.with("after must be the sequence number of a request.")
		}
	}
	requests := s.log.since(after)
	if operation := r.URL.Query().Get("operation"); operation != "" {
		requests = slices.DeleteFunc(requests, func(r Request) bool { return r.Operation != operation })
	}
	return requests, nil
}

func (s *Server) clockState() ClockState {
	return ClockState{Now: s.clock.Now(), Fixed: s.clock.Fixed()}
}

func (s *Server) controlClock(r *http.Request) (any, error) {
	var move ClockMove
	if err := readControl(r, &move); err != nil {
		return nil, err
	}
	switch {
	case (move.Advance == "") == move.Set.IsZero():
		return nil, errValidation.with("Give either advance or set.")
	case !move.Set.IsZero():
		s.clock.Set(move.Set)
	default:
		d, err := time.ParseDuration(move.Advance)
		if err != nil {
			return nil, errValidation.with("advance must be a duration such as 24h or 90m.")
		}
		s.clock.Advance(d)
	}
	return s.clockState(), s.settleDeliveries(r.Context())
}

func (s *Server) controlSubscription(r *http.Request) (any, error) {
	var move SubscriptionMove
	if err := readControl(r, &move); err != nil {
		return nil, err
	}
	id := r.PathValue("id")
	switch {
	case move.Status == "":
		return nil, errValidation.with("Give a status.")
	case move.Force:
		return struct{}{}, s.SetSubscriptionStatus(id, move.Status)
	case move.Status == subscriptionActive || move.Status == subscriptionPastDue:
		return struct{}{}, s.SetPastDue(id, move.Status == subscriptionPastDue)
	default:
		return nil, errValidation.with("Without force, the status is active or past_due.")
	}
}

func (s *Server) controlFaults(*http.Request) (any, error) {
	states := []FaultState{}
	for _, f := range s.faults.list() {
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
		return nil, errValidation.with(err.Error())
	}
	return FaultState{ID: s.AddFault(fault), Spec: fault.String()}, nil
}

func (s *Server) controlTokens(*http.Request) (any, error) {
	states := []TokenState{}
	err := s.db.View(func(tx *store.Tx) error {
		for _, stored := range s.tokens.All(tx) {
			states = append(states, TokenState{Token: stored.Token, Prefix: stored.Prefix})
		}
		return nil
	})
	for _, key := range s.keysInOrder() {
		stored := key.token()
		states = append(states, TokenState{Token: stored.Token, Prefix: stored.Prefix})
	}
	return states, err
}

func (s *Server) controlNewToken(r *http.Request) (any, error) {
	var wanted Token
	if err := readControl(r, &wanted); err != nil {
		return nil, err
	}
	if wanted.Organization == NewOrganizationKeyword {
		organization, err := s.NewOrganization(Organization{})
		if err != nil {
			return nil, err
		}
		wanted.Organization = organization.ID
	}
	value, err := s.NewToken(wanted)
	if err != nil {
		return nil, errValidation.with(err.Error())
	}
	var state TokenState
	err = s.db.View(func(tx *store.Tx) error {
		stored, _ := s.tokenOf(tx, cmp.Or(wanted.Service, Billing), value)
		state = TokenState{Token: stored.Token, Prefix: stored.Prefix, Value: value}
		return nil
	})
	return state, err
}

func (s *Server) controlRevoke(r *http.Request) (any, error) {
	err := s.RevokeToken(r.PathValue("prefix"))
	if errors.Is(err, errNoToken) {
		return nil, errNotFound.with("There is no token with this prefix.")
	}
	return struct{}{}, err
}

func readControl(r *http.Request, into any) error {
	decoder := json.NewDecoder(io.LimitReader(r.Body, maxBody))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil {
		return errMalformed.with("The body is not what this route takes: " + err.Error())
	}
	return nil
}

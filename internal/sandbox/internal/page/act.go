package page

import (
	"context"
	"crypto/subtle"
	"errors"
	"net/http"
	"net/url"
	"time"
)

// Actions are what the forms of the page do. Each returns when the deliveries that have come due are sent.
type Actions struct {
	Token     string // that each form repeats, so that no other site can send one
	Advance   func(ctx context.Context, by string) error
	AdvanceTo func(ctx context.Context, to time.Time) error
	Resend    func(ctx context.Context, delivery string) error
	Emit      func(ctx context.Context, endpoint, event string) error
}

var actionPaths = []string{"/clock", "/resend", "/emit"}

const maxForm = 64 << 10

// act carries out a form, and leads back to where it was. It rejects forms of other sites, by the browser's headers and
// by the token.
func (s *Page) act(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	token := r.PostFormValue("token")
	if http.NewCrossOriginProtection().Check(r) != nil ||
		subtle.ConstantTimeCompare([]byte(token), []byte(s.Actions.Token)) != 1 {
		s.fail(w, http.StatusForbidden, failure{"Not done",
			"This form is not from this page, or from before a restart. Load the page again.", "/"})
		return
	}
	back := ownAddress(r.PostFormValue("back"))
	if err := s.actions(r); err != nil {
		s.fail(w, http.StatusUnprocessableEntity, failure{"Not done", err.Error(), back})
		return
	}
	http.Redirect(w, r, back, http.StatusSeeOther)
}

func (s *Page) actions(r *http.Request) error {
	value := r.PostFormValue
	switch {
	case r.URL.Path == "/resend":
		return s.Actions.Resend(r.Context(), value("delivery"))
	case r.URL.Path == "/emit":
		return s.Actions.Emit(r.Context(), value("endpoint"), value("event"))
	case value("to") == "":
		return s.Actions.Advance(r.Context(), value("by"))
	}
	to, err := time.Parse(time.RFC3339Nano, value("to"))
	if err != nil {
		return errors.New("to must be a time")
	}
	return s.Actions.AdvanceTo(r.Context(), to)
}

// ownAddress returns an address if it is one of this page, and otherwise that of the page.
func ownAddress(address string) string {
	to, err := url.Parse(address)
	if err != nil || to.IsAbs() || to.Host != "" || to.Path != "/" && to.Path != "/object" && to.Path != "/request" {
		return "/"
	}
	return (&url.URL{Path: to.Path, RawQuery: to.RawQuery, Fragment: to.Fragment}).String()
}

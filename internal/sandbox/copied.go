package sandbox

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/evidence"
	"github.com/recurring-billing/terraform-provider-billing/internal/orgcopy"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/amounts"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/server"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/store"
)

// copyOf describes the copy that a sandbox serves.
type copyOf struct {
	Organization string    `json:"organization"` // name at the source
	Time         time.Time `json:"time"`         // at which the clock begins
	Key          string    `json:"key,omitempty"`
	LeftOut      []string  `json:"left_out,omitempty"`
}

// CopyState is what GET /status reports of a copy.
type CopyState struct {
	Of      string    `json:"of"`    // name of the organization
	Since   time.Time `json:"since"` // time of the copy
	LeftOut []string  `json:"left_out,omitempty"`
}

// readCopy reads a copy to its end, so that one that cannot be used changes nothing. The time is that of the copy, or
// of the last change in it: the time of the copy has whole seconds.
func readCopy(open func() (io.ReadCloser, error)) (of copyOf, organization Organization, err error) {
	err = eachOf(open, func(r *orgcopy.Reader, o orgcopy.Object) error {
		var stamps struct {
			Updated time.Time `json:"updated_at"`
			Created time.Time `json:"created_at"`
		}
		if o.Kind != evidence.Record && json.Unmarshal(o.Object, &stamps) == nil {
			for _, at := range []time.Time{stamps.Updated, stamps.Created} {
				if at.After(of.Time) && at.Sub(r.Header.Time) < time.Hour {
					of.Time = at
				}
			}
		}
		return nil
	}, func(r *orgcopy.Reader) error {
		of.Time = r.Header.Time
		if err := json.Unmarshal(r.Header.Organization, &organization); err != nil || organization.ID == "" {
			return &orgcopy.Error{Line: 1, Problem: "the organization of the header has no id"}
		}
		of.Organization = organization.Name
		return nil
	}, func(r *orgcopy.Reader) {
		of.Key = r.Key
		for _, left := range r.LeftOut {
			of.LeftOut = append(of.LeftOut, left.String())
		}
	})
	organization.ID = server.CanonicalID(organization.ID)
	organization.Name = "copy of " + organization.Name
	return of, organization, err
}

// eachOf reads a copy: begin, each object, end.
func eachOf(open func() (io.ReadCloser, error), each func(*orgcopy.Reader, orgcopy.Object) error,
	begin func(*orgcopy.Reader) error, end func(*orgcopy.Reader)) error {
	file, err := open()
	if err != nil {
		return err
	}
	defer file.Close()
	r, err := orgcopy.NewReader(file)
	if err != nil {
		return err
	}
	if err := begin(r); err != nil {
		return err
	}
	for object, err := range r.Objects() {
		if err != nil {
			return err
		}
		if err := each(r, object); err != nil {
			if wrong := new(orgcopy.Error); errors.As(err, &wrong) {
				return err
			}
			return &orgcopy.Error{Line: r.Line(), Problem: err.Error()}
		}
	}
	end(r)
	return nil
}

// load stores the objects of the copy.
func (s *Server) load(tx *store.Tx) error {
	organization := s.bootstrap.Organization
	kinds, book := map[string]string{}, amounts.NewBook() // id: kind
	err := eachOf(s.options.Copy, func(_ *orgcopy.Reader, o orgcopy.Object) error {
		var of struct {
			ID string `json:"id"`
		}
		_ = json.Unmarshal(o.Object, &of) // Load reports a syntax error
		if other := kinds[of.ID]; other != "" && other != o.Kind {
			return fmt.Errorf("the id %q is also that of another object, of the kind %s", of.ID, other)
		}
		kinds[of.ID] = o.Kind
		book.Add(o)
		switch Service(cmp.Or(o.Service, evidence.KindOf(o.Kind).Service)) {
		case Collections:
			return s.collections.Load(tx, organization, o)
		case Finance:
			return s.finance.Load(tx, organization, o)
		}
		return s.billing.Load(tx, organization, o)
	}, func(*orgcopy.Reader) error { return nil }, func(r *orgcopy.Reader) {
		book.Use(s.options.Prices)
		book.Learn()
		s.billing.Loaded(tx, book, r.Collections.Copied)
	})
	if err != nil {
		return err
	}
	s.collections.LinkSuccessors(tx)
	s.collections.Use(tx, organization, s.bootstrap.Credentials[Collections])
	return nil
}

// Amounts returns those of all subscriptions and invoices of a copy, by id.
func (s *Server) Amounts() map[string]amounts.Amount { return s.billing.Amounts() }

// copyState is nil unless this is a copy.
func (s *Server) copyState() *CopyState {
	if of := s.bootstrap.Copy; of != nil {
		return &CopyState{Of: of.Organization, Since: of.Time, LeftOut: of.LeftOut}
	}
	return nil
}

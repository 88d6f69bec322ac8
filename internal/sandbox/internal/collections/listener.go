package collections

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/collections/delivery"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/server"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/store"
)

// Listener is an endpoint whose deliveries are forwarded to a local address, which may use plain http. The name in its
// URL is reserved, so that only the sandbox, which reads the address from the endpoint's row, can deliver to it. Any
// other endpoint still reaches no internal network.
type Listener struct {
	ForwardTo string   `json:"forward_to"`
	Events    []string `json:"events,omitempty"` // none: all
	ID        string   `json:"id,omitempty"`     // of the endpoint
	URL       string   `json:"url,omitempty"`
	Secret    string   `json:"secret,omitempty"`
}

// Listen creates the endpoint of a listener. If the local address cannot be one, it returns an error about that.
func (s *Service) Listen(ctx context.Context, organization string, l Listener) (Listener, error) {
	if s.Copy {
		return l, server.ErrValidation.With("This sandbox serves a copy, which sends no webhooks.")
	}
	if err := s.checkForward(ctx, l.ForwardTo); err != nil {
		return l, server.ErrValidation.With("Deliveries cannot be forwarded to this address: " + err.Error() + ".")
	}
	err := s.DB.Update(func(tx *store.Tx) error {
		now := server.Timestamp{Time: s.Clock.Now()}
		row := EndpointRow{Owned: server.Owned{Organization: organization}, Number: s.Next(tx), ForwardTo: l.ForwardTo,
			Endpoint: webhookEndpoint{ID: s.Source.UUID(), URL: s.freeURL(tx), Events: distinct(l.Events), Active: true,
				CreatedAt: now, UpdatedAt: now}}
		row.setCredentials(delivery.Credentials{Type: delivery.None})
		l.Secret = s.newSecret(&row)
		l.ID, l.URL = row.Endpoint.ID, row.Endpoint.URL
		s.Endpoints.Put(tx, l.ID, row)
		return nil
	})
	return l, err
}

// freeURL returns the first URL of a listener that no endpoint has.
func (s *Service) freeURL(tx *store.Tx) string {
	var taken []string
	for _, row := range s.Endpoints.All(tx) {
		taken = append(taken, row.Endpoint.URL)
	}
	for n := 1; ; n++ {
		if address := fmt.Sprintf("https://listen-%d.sandbox.example/", n); !slices.Contains(taken, address) {
			return address
		}
	}
}

// checkForward resolves the address, so that a wrong one is an error now and not in every delivery.
func (s *Service) checkForward(ctx context.Context, address string) error {
	parsed, err := url.Parse(address)
	switch {
	case err != nil || parsed.Scheme != "http" && parsed.Scheme != "https" || parsed.Hostname() == "":
		return errors.New("write it like http://localhost:3000/hooks")
	case parsed.User != nil:
		return errors.New("it must not hold credentials")
	}
	limited, cancel := context.WithTimeout(ctx, resolveTimeout)
	defer cancel()
	_, err = s.guard.LookupLocal(limited, parsed.Hostname())
	return err
}

// endListeners removes the endpoints of listeners of an earlier process: they ended with it.
func (s *Service) endListeners() error {
	var ids []string
	err := s.DB.View(func(tx *store.Tx) error {
		for id, row := range s.Endpoints.All(tx) {
			if row.ForwardTo != "" {
				ids = append(ids, id)
			}
		}
		return nil
	})
	for _, id := range ids {
		err = errors.Join(err, s.EndListener(id))
	}
	return err
}

// EndListener removes the endpoint of a listener. Its deliveries stay.
func (s *Service) EndListener(id string) error {
	return s.DB.Update(func(tx *store.Tx) error {
		row, ok := s.Endpoints.Get(tx, id)
		if !ok || row.ForwardTo == "" {
			return server.ErrNotFound.With("There is no listener with this id.")
		}
		s.remove(tx, row)
		s.Audit(tx, server.AuditEntry{Time: s.Clock.Now(), Organization: row.Organization, Cause: server.ByCommand,
			Action: "listen", Type: "endpoint", ID: id, Name: row.Endpoint.URL}.Moved(row.Endpoint.status(), server.Deleted))
		return nil
	})
}

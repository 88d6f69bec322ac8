package collections

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// Two equal endpoints are created by one process, one of them without a response: the one with a response
// is not taken for the other.
func TestCreatedWithAResponseIsNotAdopted(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWire(routes{
			createEndpoint:         turns(respond(201, data(made(t, map[string]any{"secret": "whsec_1"}))), lost),
			"GET " + endpointsPath: listings(respond(200, listOf()), respond(200, listOf()), respond(200, listOf(made(t, nil)))),
		})
		s := newService(t, w)
		if _, err := s.CreateWebhookEndpoint(t.Context(), asked); err != nil {
			t.Fatal(err)
		}
		_, err := s.CreateWebhookEndpoint(t.Context(), asked)
		says(t, err, "did not find it")
	})
}

// Two alike are lost and one was made: only one of the creates adopts it, also
// when both find it at the same time.
func TestOneEndpointIsAdoptedOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		list := appearing(made(t, nil))
		w := newWire(routes{
			createEndpoint: lost, deliveries: respond(200, listOf()),
			rotateEndpoint: respond(200, data(made(t, map[string]any{"secret": "whsec_new"}))),
			"GET " + endpointsPath: func(w http.ResponseWriter, r *http.Request) {
				time.Sleep(time.Second) // until the other one asks too
				list(w, r)
			},
		})
		s := newService(t, w)
		results := make(chan error)
		for range 2 {
			go func() {
				_, err := s.CreateWebhookEndpoint(t.Context(), asked)
				results <- err
			}()
		}
		if first, second := <-results, <-results; (first == nil) == (second == nil) ||
			strings.Count(w.Writes(), rotateEndpoint) != 1 {
			t.Errorf("%v, %v after %s", first, second, w.Writes())
		}
	})
}

func TestAdoptedEndpointWithoutItsSecret(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		created, err := newService(t, newWire(routes{
			createEndpoint: lost, "GET " + endpointsPath: appearing(made(t, nil)), deliveries: respond(200, listOf()),
			rotateEndpoint: refused(403, "insufficient_scope"),
		})).CreateWebhookEndpoint(t.Context(), asked)
		if err != nil || !created.Adopted || created.ID != "e1" || created.Secret != nil {
			t.Fatalf("got %+v, %v", created, err)
		}
		says(t, created.SecretErr, `"e1"`, "lost with the response", "insufficient_scope")
	})
}

// An interruption while the response is awaited does not leave an endpoint behind
// whose secret nobody knows.
func TestInterruptedCreateOfAnEndpointGetsItsSecret(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		w := newWire(routes{
			createEndpoint:         func(http.ResponseWriter, *http.Request) { cancel(); lost(nil, nil) },
			"GET " + endpointsPath: appearing(made(t, nil)), deliveries: respond(200, listOf()),
			rotateEndpoint: respond(200, data(made(t, map[string]any{"secret": "whsec_new"}))),
		})
		start := time.Now()
		created, err := newService(t, w).CreateWebhookEndpoint(ctx, asked)
		if err != nil || text(created.Secret) != "whsec_new" || time.Since(start) > time.Minute {
			t.Errorf("got %+v, %v", created, err)
		}
	})
}

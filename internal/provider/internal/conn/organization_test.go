package conn

import (
	"context"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/apitest"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/billing"
)

// slowly answers each request after a time.
type slowly struct {
	after   time.Duration
	handler http.HandlerFunc
}

func (s *slowly) RoundTrip(r *http.Request) (*http.Response, error) {
	select {
	case <-time.After(s.after):
	case <-r.Context().Done():
		return nil, r.Context().Err()
	}
	return apitest.Serve(r, func(w http.ResponseWriter, _ string) { s.handler(w, r) })
}

func (s *slowly) conn(t *testing.T) *Conn {
	t.Helper()
	client, err := api.New(api.Config{Service: "billing", BaseURL: "https://billing.example", Token: "tok_0123456789",
		Transport: s, RequestTimeout: time.Minute, RetryTimeout: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	return &Conn{Billing: Service[*billing.Service]{Client: billing.New(client), Ready: true}}
}

// TestConn_Home: the result of a creation waits for the organization once, and not long; an interrupt ends the wait.
// Whoever needs the answer waits for the same request, and nobody for the one who asks.
func TestConn_Home(t *testing.T) {
	t.Parallel()
	owner := apitest.Respond(http.StatusOK, `{"id":"o-1","name":"Org"}`)
	down := apitest.Respond(http.StatusForbidden, `{"error":{"code":"forbidden","message":"no"}}`)
	for name, c := range map[string]struct {
		service slowly
		waits   time.Duration // of the first creation
		now     string        // what it finds
		later   string        // what one an hour later finds
	}{
		"it responds":     {slowly{after: time.Second, handler: owner}, time.Second, "o-1", "o-1"},
		"it is slow":      {slowly{after: 20 * time.Second, handler: owner}, longestBind, "", ""},
		"it does not say": {slowly{handler: down}, 0, "", ""},
		"it hangs":        {slowly{after: 24 * time.Hour, handler: owner}, longestBind, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				conn, began := c.service.conn(t), time.Now()
				asks := make(chan struct{})
				go func() { // a deletion that has to know
					defer close(asks)
					_, _ = conn.ask(t.Context(), false).wait(t.Context())
				}()
				synctest.Wait()
				if id := conn.OrganizationID(t.Context()); id != c.now || time.Since(began) != c.waits {
					t.Errorf("the first creation finds %q after %s, want %q after %s", id, time.Since(began), c.now, c.waits)
				}
				began = time.Now()
				if id := conn.OrganizationID(t.Context()); id != c.now || time.Since(began) != 0 {
					t.Errorf("the second creation finds %q after %s", id, time.Since(began))
				}
				time.Sleep(time.Hour)
				if id := conn.OrganizationID(t.Context()); id != c.later {
					t.Errorf("a late creation finds %q, want %q", id, c.later)
				}
				<-asks
			})
		})
	}
}

// TestConn_Home_interrupted: nothing waits after an interrupt.
func TestConn_Home_interrupted(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		hangs := slowly{after: 24 * time.Hour, handler: apitest.Respond(http.StatusOK, `{"id":"o-1"}`)}
		conn := hangs.conn(t)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		began := time.Now()
		if id := conn.OrganizationID(ctx); id != "" {
			t.Errorf("it finds %q", id)
		}
		if _, err := conn.Organization(ctx); err == nil || time.Since(began) != 0 {
			t.Errorf("%v after %s", err, time.Since(began))
		}
		time.Sleep(time.Hour)
		synctest.Wait()
	})
}

// TestConn_Home_known: an answer that is known is used also after an interrupt, each time.
func TestConn_Home_known(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		conn := (&slowly{handler: apitest.Respond(http.StatusOK, `{"id":"o-1"}`)}).conn(t)
		ctx, cancel := context.WithCancel(t.Context())
		conn.OrganizationID(ctx)
		cancel()
		for range 20 {
			if id := conn.OrganizationID(ctx); id != "o-1" {
				t.Fatalf("it finds %q", id)
			}
		}
	})
}

// TestConn_CheckOrganization_hangs: all objects together wait 10 s at most to learn whether the token is of another
// organization. Then only a removal from the state is an error. A guard waits for as long as any request.
func TestConn_CheckOrganization_hangs(t *testing.T) {
	t.Parallel()
	for doubt, foreign := range map[Doubt]bool{DoubtPasses: false, DoubtStops: true} {
		synctest.Test(t, func(t *testing.T) {
			slow := slowly{after: 30 * time.Second, handler: apitest.Respond(http.StatusOK, `{"id":"o-1","name":"Org"}`)}
			conn, began := slow.conn(t), time.Now()
			for range 20 {
				var diags diag.Diagnostics
				_, is := conn.CheckOrganization(t.Context(), "o-2", "customer x", doubt, &diags)
				if waits := time.Since(began); waits != billing.TryTime || is != foreign || !conn.Undecided() {
					t.Errorf("%v: foreign %v after %s, %v", doubt, is, waits, diags)
				}
			}
			guarded := slow.conn(t)
			if owner, err := guarded.Organization(t.Context()); err != nil || owner.ID != "o-1" || guarded.Undecided() {
				t.Errorf("%v, %v", owner, err)
			}
		})
	}
}

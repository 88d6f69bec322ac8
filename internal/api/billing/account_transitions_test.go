package billing

import (
	"context"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
)

func TestAccountTransitions(t *testing.T) {
	t.Parallel()
	type step = func(context.Context, *Service) (*BillingAccount, error)
	suspend := func(ctx context.Context, s *Service) (*BillingAccount, error) {
		return s.SuspendBillingAccount(ctx, "a1", "late")
	}
	reactivate := func(ctx context.Context, s *Service) (*BillingAccount, error) {
		return s.ReactivateBillingAccount(ctx, "a1", "paid")
	}
	end := func(ctx context.Context, s *Service) (*BillingAccount, error) {
		return s.CloseBillingAccount(ctx, "a1", "")
	}
	tests := map[string]struct {
		step   step
		path   string
		looks  []string // statuses; the last is repeated
		second http.HandlerFunc
		posts  int
		status string
		err    string
	}{
		"suspended": {step: suspend, path: "suspend", looks: []string{"suspended"}, posts: 1,
			status: "suspended"},
		"not suspended, sent again": {step: suspend, path: "suspend", looks: []string{"active"},
			second: respond(200, data(accountJSON(t, map[string]any{"status": "suspended"}))), posts: 2, status: "suspended"},
		"suspended meanwhile": {step: suspend, path: "suspend", looks: []string{"active", "active", "active",
			"active", "suspended"}, second: respond(422, `{"error":{"code":"invalid_transition","message":"no"}}`), posts: 2,
			status: "suspended"},
		"closed instead": {step: suspend, path: "suspend", looks: []string{"closed"}, posts: 1,
			err: "neither as asked"},
		"reactivated": {step: reactivate, path: "reactivate", looks: []string{"active"}, posts: 1,
			status: "active"},
		"not reactivated, sent again": {step: reactivate, path: "reactivate", looks: []string{"suspended"},
			second: respond(200, data(accountJSON(t, nil))), posts: 2, status: "active"},
		"closed": {step: end, path: "close", looks: []string{"closed"}, posts: 1, status: "closed"},
		"not closed, sent again": {step: end, path: "close", looks: []string{"suspended"},
			second: respond(200, data(accountJSON(t, map[string]any{"status": "closed"}))), posts: 2, status: "closed"},
		"a status that nobody knows of": {step: end, path: "close", looks: []string{"archived"}, posts: 1,
			err: `closing of the billing account "a1"`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var looks []http.HandlerFunc
				for _, status := range test.looks {
					looks = append(looks, respond(200, data(accountJSON(t, map[string]any{"status": status}))))
				}
				post := "POST " + accountPath + "/" + test.path
				w := newWire(map[string]http.HandlerFunc{post: turns(lost, orNothing(test.second)), getAccount: turns(looks...)})
				got, err := test.step(t.Context(), newService(t, w))
				posted(t, w.Count(post), test.posts)
				if test.err != "" {
					if _, ok := api.AsAmbiguous(err); !ok || !strings.Contains(err.Error(), test.err) {
						t.Errorf("got %v, want %s", err, test.err)
					}
					return
				}
				if err != nil || got.Status != test.status {
					t.Errorf("got %+v, %v", got, err)
				}
			})
		})
	}
}

func TestReasonsAreSentWhenThereAreAny(t *testing.T) {
	t.Parallel()
	w := newWire(map[string]http.HandlerFunc{"/": respond(200, data(accountJSON(t, nil)))})
	s := newService(t, w)
	_, _ = s.SuspendBillingAccount(t.Context(), "a1", `late "again"`)
	_, _ = s.CloseBillingAccount(t.Context(), "a1", "")
	if want := []string{`{"reason":"late \"again\""}`, `{}`}; !reflect.DeepEqual(w.Bodies, want) {
		t.Errorf("sent %q", w.Bodies)
	}
}

package billing

import (
	"iter"
	"net/http"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/apitest"
)

type wire = apitest.Wire

var (
	newWire, respond, turns, lost = apitest.NewWire, apitest.Respond, apitest.Turns, apitest.Lost
	data, listOf, changed         = apitest.Data, apitest.ListOf, apitest.Changed
)

func newService(t *testing.T, transport http.RoundTripper) *Service {
	t.Helper()
	client, err := api.New(api.Config{
		Service: "billing", BaseURL: "https://api.example.test", Token: "tok_1234567890", MaxRetries: 1, Transport: transport,
	})
	if err != nil {
		t.Fatal(err)
	}
	return New(client)
}

// idsOf reads a list to its end.
func idsOf[T any](list iter.Seq2[T, error], id func(T) string) (ids []string, err error) {
	for item, err := range list {
		if err != nil {
			return ids, err
		}
		ids = append(ids, id(item))
	}
	return ids, nil
}

func posted(t *testing.T, have, want int) {
	t.Helper()
	if have != want {
		t.Errorf("posted %d times, want %d", have, want)
	}
}

func orNothing(handler http.HandlerFunc) http.HandlerFunc {
	if handler == nil {
		return respond(500, "")
	}
	return handler
}

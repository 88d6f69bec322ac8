package finance

import (
	"encoding/json"
	"fmt"
	"iter"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/apitest"
)

const (
	key1   = "6f1c0a52-6f2a-4b7e-9f56-0d4f0b9a7c11"
	vendor = "7b0d3c1e-52f4-4a63-8c1d-1f2e3d4c5b6a"
)

// bills is a collection of records.
const bills = "/v1/bills"

type routes = map[string]http.HandlerFunc

var newWire, respond, turns = apitest.New, apitest.Respond, apitest.Turns

// old is a record that was created so long ago.
func old(id string, age time.Duration) string {
	return fmt.Sprintf(`{"id":%q,%s,"created_at":%q}`, id, shownRent, apitest.Stamp(time.Now().Add(-age)))
}

func newService(t *testing.T, transport http.RoundTripper) *Service {
	t.Helper()
	client, err := api.New(api.Config{
		Service: "finance", BaseURL: "https://api.example.test", Token: "header.payload.signature", MaxRetries: 1,
		Transport: transport,
	})
	if err != nil {
		t.Fatal(err)
	}
	return New(client)
}

// idsOf reads a list completely or its error.
func idsOf(list iter.Seq2[Record, error]) (ids string, err error) {
	return apitest.IDs(list, func(r Record) string { return r.ID })
}

func decoded(t *testing.T, text string) (value any) {
	t.Helper()
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&value); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return value
}

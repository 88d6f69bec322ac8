package finance

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/same"
)

// FuzzRecord: no response breaks the decoding of a record, and what is returned without an error is the record that was
// asked for, whole.
func FuzzRecord(f *testing.F) {
	for _, seed := range []string{
		`{"data":{"id":"x1","name":7,"amount":10.00}}`, `{"id":"x1"}`, `{"data":{"ID":"x2"}}`,
		`{"data":{"id":{},"name":null}}`, `{"data":[{"id":"x1"}],"meta":{"next_cursor":null}}`,
		`{"data":{"id":"x1","id":"x2"}}`, `{"data":"x1"}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		reply := func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(body) }
		client, err := api.New(api.Config{Service: "finance", BaseURL: "https://api.example.test", Token: "a.b.c",
			Transport: newWire(routes{"/": reply})})
		if err != nil {
			t.Fatal(err)
		}
		s := New(client) // which sends each request once
		record, err := s.GetRecord(t.Context(), "payables", "x1")
		if err == nil && (!same.ID(record.ID, "x1") || !json.Valid(record.Raw)) {
			t.Errorf("record %q, %s", record.ID, record.Raw)
		}
		var decoded Record
		if json.Unmarshal(body, &decoded) == nil && decoded.Check() == nil && !json.Valid(decoded.Raw) {
			t.Errorf("record %s", decoded.Raw)
		}
	})
}

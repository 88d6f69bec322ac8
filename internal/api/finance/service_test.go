package finance

import (
	"encoding/json"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
)

func TestGetRecordBareAndEnveloped(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]Record{
		`{"data":{"id":"o1","name":"Rent","total":10.10}}`: {ID: "o1", Name: "Rent",
			Raw: json.RawMessage(`{"id":"o1","name":"Rent","total":10.10}`)},
		`{"id":"o1","data":{"a":1}}`: {ID: "o1", Raw: json.RawMessage(`{"id":"o1","data":{"a":1}}`)},
		`{"data":{"id":"o1","name":null,"data":{"id":"x"}}}`: {ID: "o1",
			Raw: json.RawMessage(`{"id":"o1","name":null,"data":{"id":"x"}}`)},
		`{"data":{"id":"o1","name":{"full":"Rent"},"x":[]}}`: {ID: "o1",
			Raw: json.RawMessage(`{"id":"o1","name":{"full":"Rent"},"x":[]}`)},
	} {
		d := newWire(routes{"/": respond(200, body)})
		got, err := newService(t, d).GetRecord(t.Context(), "bills", "o1")
		if err != nil || !reflect.DeepEqual(*got, want) {
			t.Errorf("%s: %+v, %v", body, got, err)
		}
	}
}

func TestRecordThatIsGone(t *testing.T) {
	t.Parallel()
	d := newWire(nil, bills)
	s := newService(t, d)
	if _, err := s.GetRecord(t.Context(), "bills", "o1"); !api.IsNotFound(err) {
		t.Errorf("read: %v", err)
	}
	if deleted, err := s.DeleteRecord(t.Context(), "bills", "o1"); err != nil || !deleted {
		t.Errorf("delete: %t, %v", deleted, err)
	}
	for _, place := range []struct{ collection, id string }{{"", "o1"}, {"bills", ""}, {"..", "o1"}, {"bills", "."}} {
		if _, err := s.GetRecord(t.Context(), place.collection, place.id); err == nil {
			t.Errorf("read of %+v succeeded", place)
		}
	}
	if d.Requests() != "GET /v1/bills/o1, GET /v1/bills, DELETE /v1/bills/o1" {
		t.Errorf("asked %s", d.Requests())
	}
}

func TestUpdateRecord(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		response http.HandlerFunc
		requests string
	}{
		"returned": {respond(200, `{"data":{"id":"o1","name":"New"}}`), "PATCH /v1/bills/o1"},
		"bare":     {respond(200, `{"id":"o1","name":"New"}`), "PATCH /v1/bills/o1"},
		"no body":  {respond(204, ""), "PATCH /v1/bills/o1, GET /v1/bills/o1"},
	} {
		d := newWire(routes{"PATCH /": test.response}, bills)
		d.Place(bills, `{"id":"o1","name":"New"}`)
		record, err := newService(t, d).UpdateRecord(t.Context(), "bills", "o1", map[string]any{"name": "New", "note": nil,
			"n": json.Number("9007199254740993")})
		if err != nil || record.Name != "New" || d.Requests() != test.requests {
			t.Errorf("%s: %+v, %v, asked %s", name, record, err, d.Requests())
		}
		if !reflect.DeepEqual(decoded(t, d.Bodies[0]), decoded(t, `{"name":"New","note":null,"n":9007199254740993}`)) {
			t.Errorf("%s: sent %s", name, d.Bodies[0])
		}
	}
}

func TestOpenAPI(t *testing.T) {
	t.Parallel()
	const description, document = `{"openapi":"3.1.0","info":{"version":"1.10"}}`, "openapi: 3.1.0\n"
	d := newWire(routes{"GET /api/v1/openapi.json": turns(respond(200, description), respond(200, document)),
		"GET /api/v1/openapi.yaml": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", r.Header.Get("Accept"))
			respond(200, document)(w, r)
		}})
	s := newService(t, d)
	if got, err := s.OpenAPIJSON(t.Context()); err != nil || string(got) != description {
		t.Errorf("%s, %v", got, err)
	}
	if got, err := s.OpenAPIYAML(t.Context()); err != nil || got != document {
		t.Errorf("%q, %v", got, err)
	}
	if accept := d.Sent[1].Header.Get("Accept"); accept != "application/yaml" {
		t.Errorf("asked for %q", accept)
	}
	if _, err := New(s.client).OpenAPIJSON(t.Context()); err == nil || !strings.Contains(err.Error(), "is not") {
		t.Errorf("YAML for JSON: %v", err)
	}
}

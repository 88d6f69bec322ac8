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
		`{"data":{"id":"b1","name":"Rent","total":10.10}}`: {ID: "b1", Name: "Rent",
			Raw: json.RawMessage(`{"id":"b1","name":"Rent","total":10.10}`)},
		`{"id":"b1","data":{"a":1}}`: {ID: "b1", Raw: json.RawMessage(`{"id":"b1","data":{"a":1}}`)},
		`{"data":{"id":"b1","name":null,"data":{"id":"x"}}}`: {ID: "b1",
			Raw: json.RawMessage(`{"id":"b1","name":null,"data":{"id":"x"}}`)},
		`{"data":{"id":"b1","name":{"full":"Rent"},"x":[]}}`: {ID: "b1",
			Raw: json.RawMessage(`{"id":"b1","name":{"full":"Rent"},"x":[]}`)},
	} {
		d := newDesk()
		d.over["GET"] = respond(200, body)
		got, err := newService(t, d).GetRecord(t.Context(), "bills", "b1")
		if err != nil || !reflect.DeepEqual(*got, want) {
			t.Errorf("%s: %+v, %v", body, got, err)
		}
	}
}

func TestRecordThatIsGone(t *testing.T) {
	t.Parallel()
	d := newDesk()
	s := newService(t, d)
	if _, err := s.GetRecord(t.Context(), "bills", "b1"); !api.IsNotFound(err) {
		t.Errorf("read: %v", err)
	}
	if deleted, err := s.DeleteRecord(t.Context(), "bills", "b1"); err != nil || !deleted {
		t.Errorf("delete: %t, %v", deleted, err)
	}
	for _, place := range []struct{ collection, id string }{{"", "b1"}, {"bills", ""}, {"..", "b1"}, {"bills", "."}} {
		if _, err := s.GetRecord(t.Context(), place.collection, place.id); err == nil {
			t.Errorf("read of %+v succeeded", place)
		}
	}
	if d.requests() != "GET /v1/bills/b1, GET /v1/bills, DELETE /v1/bills/b1" {
		t.Errorf("asked %s", d.requests())
	}
}

func TestUpdateRecord(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		response http.HandlerFunc
		requests string
	}{
		"returned": {respond(200, `{"data":{"id":"b1","name":"New"}}`), "PATCH /v1/bills/b1"},
		"bare":     {respond(200, `{"id":"b1","name":"New"}`), "PATCH /v1/bills/b1"},
		"no body":  {respond(204, ""), "PATCH /v1/bills/b1, GET /v1/bills/b1"},
	} {
		d := newDesk()
		d.records["b1"] = `{"id":"b1","name":"New"}`
		d.over["PATCH"] = test.response
		record, err := newService(t, d).UpdateRecord(t.Context(), "bills", "b1", map[string]any{"name": "New", "note": nil,
			"n": json.Number("9007199254740993")})
		if err != nil || record.Name != "New" || d.requests() != test.requests {
			t.Errorf("%s: %+v, %v, asked %s", name, record, err, d.requests())
		}
		if !reflect.DeepEqual(decoded(t, d.bodies[0]), decoded(t, `{"name":"New","note":null,"n":9007199254740993}`)) {
			t.Errorf("%s: sent %s", name, d.bodies[0])
		}
	}
}

func TestOpenAPI(t *testing.T) {
	t.Parallel()
	d := newDesk()
	const description, document = `{"openapi":"3.1.0","info":{"version":"1.10"}}`, "openapi: 3.1.0\n"
	d.over["GET /api/v1/openapi.json"] = respond(200, description)
	d.over["GET /api/v1/openapi.yaml"] = func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", r.Header.Get("Accept"))
		respond(200, document)(w, r)
	}
	s := newService(t, d)
	if got, err := s.OpenAPIJSON(t.Context()); err != nil || string(got) != description {
		t.Errorf("%s, %v", got, err)
	}
	if got, err := s.OpenAPIYAML(t.Context()); err != nil || got != document {
		t.Errorf("%q, %v", got, err)
	}
	if accept := d.seen[1].Header.Get("Accept"); accept != "application/yaml" {
		t.Errorf("asked for %q", accept)
	}
	d.over["GET /api/v1/openapi.json"] = respond(200, document)
	if _, err := New(s.client).OpenAPIJSON(t.Context()); err == nil || !strings.Contains(err.Error(), "is not") {
		t.Errorf("YAML for JSON: %v", err)
	}
}

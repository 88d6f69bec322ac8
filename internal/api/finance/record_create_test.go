package finance

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

var rent = json.RawMessage(`{"amount":"1500.00","name":"Rent","number":9007199254740993}`)

// TestCreateRecord: whatever happens on the way, there is one record.
func TestCreateRecord(t *testing.T) {
	t.Parallel()
	gone := http.HandlerFunc(notFound)
	for name, test := range map[string]struct {
		prepare   func(d *desk)
		id        string // of the record that comes out
		err       string
		unsettled bool
		records   int
		requests  string
	}{
		"returned": {id: "b1", records: 1, requests: "GET /v1/bills, POST /v1/bills, GET /v1/bills/b1"},
		"the response is lost": {
			prepare: func(d *desk) {
				d.over["POST"] = first(func(w http.ResponseWriter, r *http.Request) {
					d.create(w, r)
					panic(http.ErrAbortHandler)
				}, d.create)
			},
			id: "b1", records: 1, requests: "GET /v1/bills, POST /v1/bills, POST /v1/bills, GET /v1/bills/b1"},
		"every response is lost": {
			prepare: func(d *desk) {
				d.over["POST"] = func(w http.ResponseWriter, r *http.Request) {
					d.create(w, r)
					panic(http.ErrAbortHandler)
				}
			},
			err: "no response", unsettled: true, records: 1, requests: "GET /v1/bills, POST /v1/bills, POST /v1/bills"},
		"made before": {
			prepare: func(d *desk) {
				d.replies[key1], d.records["b1"] = `{"id":"b1","amount":"1.00"}`, `{"id":"b1","amount":"2.00"}`
			},
			id: "b1", records: 1, requests: "GET /v1/bills, POST /v1/bills, GET /v1/bills/b1"},
		"made before and deleted since": {
			prepare: func(d *desk) { d.replies[key1] = `{"id":"b1"}` },
			id:      "b2", records: 1,
			requests: "GET /v1/bills, POST /v1/bills, GET /v1/bills/b1, GET /v1/bills, GET /v1/bills/b1, GET /v1/bills/b1, " +
				"GET /v1/bills/b1, GET /v1/bills, GET /v1/bills, POST /v1/bills, GET /v1/bills/b2"},
		"made and deleted twice": {
			prepare: func(d *desk) { d.replies[key1], d.replies[successor(key1)] = `{"id":"b1"}`, `{"id":"b2"}` },
			id:      "b3", records: 1},
		"always deleted at once": {
			prepare: func(d *desk) {
				d.over["GET"] = first(gone, gone)
				d.over["GET /v1/bills"] = respond(200, `{"data":[]}`)
			},
			err: "50 records were made with this idempotency key", unsettled: true, records: 50},
		"a read that lags": {
			prepare: func(d *desk) { d.over["GET /v1/bills/b1"] = first(gone, d.handle) },
			id:      "b1", records: 1, requests: "GET /v1/bills, POST /v1/bills, GET /v1/bills/b1, GET /v1/bills, GET " +
				"/v1/bills/b1"},
		"reads that do not work at all": {
			prepare: func(d *desk) { d.over["GET /v1/bills/b1"] = gone },
			err:     `created the record "b1" and then reported that it does not exist`, unsettled: true, records: 1,
			requests: "GET /v1/bills, POST /v1/bills, GET /v1/bills/b1, GET /v1/bills, GET /v1/bills/b1, GET /v1/bills/b1, " +
				"GET /v1/bills/b1, GET /v1/bills, GET /v1/bills, GET /v1/bills/b1"},
		"reads and lists that do not work": {
			prepare: func(d *desk) {
				d.over["GET /v1/bills/b1"], d.over["GET /v1/bills"] = gone, respond(405, "")
			},
			id: "b1", records: 1},
		"a read that lags by 10 s": {
			prepare: func(d *desk) { d.over["GET /v1/bills/b1"] = first(gone, first(gone, first(gone, d.handle))) },
			id:      "b1", records: 1},
		"a read that fails otherwise": {
			prepare: func(d *desk) { d.over["GET /v1/bills/b1"] = respond(403, "") },
			id:      "b1", records: 1, requests: "GET /v1/bills, POST /v1/bills, GET /v1/bills/b1"},
		"refused": {
			prepare: func(d *desk) {
				d.over["POST"] = respond(422, `{"error":{"code":"validation_error","message":"no"}}`)
			},
			err: "validation_error", requests: "GET /v1/bills, POST /v1/bills"},
		"an unknown collection": {
			prepare: func(d *desk) { d.over["POST"] = gone },
			err:     "not_found", requests: "GET /v1/bills, POST /v1/bills"},
		"the read is rejected after a lost response": {
			prepare: func(d *desk) {
				d.over["POST"] = first(func(w http.ResponseWriter, r *http.Request) {
					d.create(w, r)
					panic(http.ErrAbortHandler)
				}, respond(403, ""))
			},
			err: "403", unsettled: true, records: 1},
		"a response without an id": {
			prepare: func(d *desk) { d.over["POST"] = respond(201, `{"data":{"name":"Rent"}}`) },
			err:     "no record with an id", unsettled: true, requests: "GET /v1/bills, POST /v1/bills, POST /v1/bills"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				d := newDesk()
				if test.prepare != nil {
					test.prepare(d)
				}
				record, err := newService(t, d).CreateRecord(t.Context(), "bills", rent, key1)
				if (err != nil) != (test.err != "") || err != nil && !strings.Contains(err.Error(), test.err) {
					t.Fatalf("error %v, want %q", err, test.err)
				}
				if Unsettled(err) != test.unsettled {
					t.Errorf("unsettled is %t for %v", Unsettled(err), err)
				}
				if err == nil && (record.ID != test.id || string(record.Raw) != d.records[test.id] &&
					d.over["GET /v1/bills/b1"] == nil) {
					t.Errorf("got %s: %s", record.ID, record.Raw)
				}
				if len(d.records) != test.records {
					t.Errorf("there are %d records, want %d", len(d.records), test.records)
				}
				if test.requests != "" && d.requests() != test.requests {
					t.Errorf("asked %s\nwant  %s", d.requests(), test.requests)
				}
			})
		})
	}
}

// TestCreateRecordSendsTheBodyAsItIs: with its numbers and money exact, and the key on the create alone.
func TestCreateRecordSendsTheBodyAsItIs(t *testing.T) {
	t.Parallel()
	d := newDesk()
	record, err := newService(t, d).CreateRecord(t.Context(), "bills", rent, key1)
	if err != nil {
		t.Fatal(err)
	}
	if d.bodies[1] != string(rent) {
		t.Errorf("sent %s", d.bodies[1])
	}
	if string(record.Raw) != `{"id":"b1","amount":"1500.00","name":"Rent","number":9007199254740993}` ||
		record.Name != "Rent" {
		t.Errorf("got %q: %s", record.Name, record.Raw)
	}
	if have := []string{d.seen[1].Header.Get("X-Idempotency-Key"),
		d.seen[2].Header.Get("X-Idempotency-Key")}; have[0] != key1 || have[1] != "" {
		t.Errorf("sent the keys %q", have)
	}
}

// TestCreateRecordOutlastsAnInterrupt: what the service has made is not orphaned.
func TestCreateRecordOutlastsAnInterrupt(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := newDesk()
		ctx, cancel := context.WithCancel(t.Context())
		d.over["POST"] = func(w http.ResponseWriter, r *http.Request) {
			cancel()
			time.Sleep(10 * time.Second)
			d.create(w, r)
		}
		record, err := newService(t, d).CreateRecord(ctx, "bills", rent, key1)
		if err != nil || record.ID != "b1" {
			t.Fatalf("%+v, %v", record, err)
		}
	})
}

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
		existed   bool
		records   int
		requests  string
		takes     time.Duration
	}{
		"returned": {id: "b1", records: 1, requests: "POST /v1/bills"},
		"returned, while the clocks of the service differ": {
			prepare: func(d *desk) { d.ahead = 24 * time.Hour },
			id:      "b1", records: 1, existed: true, requests: "POST /v1/bills, GET /v1/bills/b1"},
		"returned, and reads do not show it": {
			prepare: func(d *desk) { d.over["GET"] = gone },
			id:      "b1", records: 1, requests: "POST /v1/bills"},
		"returned, while the clocks of the service differ and reads do not show it": {
			prepare: func(d *desk) {
				d.ahead, d.over["GET /v1/bills/b1"], d.over["GET /v1/bills/b2"] = 24*time.Hour, gone, gone
			},
			id: "b2", records: 2},
		"the response is lost": {
			prepare: func(d *desk) {
				d.over["POST"] = first(func(w http.ResponseWriter, r *http.Request) {
					d.create(w, r)
					panic(http.ErrAbortHandler)
				}, d.create)
			},
			id: "b1", records: 1, requests: "POST /v1/bills, POST /v1/bills"},
		"every response is lost": {
			prepare: func(d *desk) {
				d.over["POST"] = func(w http.ResponseWriter, r *http.Request) {
					d.create(w, r)
					panic(http.ErrAbortHandler)
				}
			},
			err: "no response", unsettled: true, records: 1, requests: "POST /v1/bills, POST /v1/bills"},
		"made before": {
			prepare: func(d *desk) {
				d.replies[key1], d.records["b1"] = old("b1", time.Hour), `{"id":"b1","amount":"2.00"}`
			},
			id: "b1", records: 1, existed: true, requests: "POST /v1/bills, GET /v1/bills/b1"},
		"made before and deleted since": {
			prepare: func(d *desk) { d.replies[key1] = old("b1", time.Hour) },
			id:      "b2", records: 1,
			requests: "POST /v1/bills, GET /v1/bills/b1, GET /v1/bills, POST /v1/bills"},
		"made and deleted twice": {
			prepare: func(d *desk) {
				d.replies[key1], d.replies[successor(key1)] = old("b1", time.Hour), old("b2", time.Minute)
			},
			id: "b3", records: 1},
		"deleted too lately to be sure": {
			prepare: func(d *desk) { d.replies[key1] = old("b1", 5*time.Second) },
			id:      "b2", records: 1, takes: 25 * time.Second},
		"made before, and the read lags": {
			prepare: func(d *desk) {
				d.replies[key1] = old("b1", 5*time.Second)
				time.AfterFunc(14*time.Second, func() {
					d.mu.Lock()
					defer d.mu.Unlock()
					d.records["b1"] = d.replies[key1]
				})
			},
			id: "b1", records: 1, existed: true, takes: 15 * time.Second},
		"made before, without a time": {
			prepare: func(d *desk) { d.replies[key1] = `{"id":"b1"}` },
			id:      "b1", requests: "POST /v1/bills"},
		"a key that is returned for ever": {
			prepare: func(d *desk) { d.over["POST"] = respond(201, `{"data":`+old("b1", time.Hour)+`}`) },
			err:     "50 records were made", unsettled: true},
		"a read that fails otherwise": {
			prepare: func(d *desk) {
				d.replies[key1], d.over["GET /v1/bills/b1"] = old("b1", time.Hour), respond(403, "")
			},
			id: "b1", existed: true, requests: "POST /v1/bills, GET /v1/bills/b1"},
		"refused": {
			prepare: func(d *desk) {
				d.over["POST"] = respond(422, `{"error":{"code":"validation_error","message":"no"}}`)
			},
			err: "validation_error", requests: "POST /v1/bills"},
		"an unknown collection": {
			prepare: func(d *desk) { d.over["POST"] = gone },
			err:     "not_found", requests: "POST /v1/bills"},
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
			err:     "no record with an id", unsettled: true, requests: "POST /v1/bills, POST /v1/bills"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				d := newDesk()
				if test.prepare != nil {
					test.prepare(d)
				}
				start := time.Now()
				record, err := newService(t, d).CreateRecord(t.Context(), "bills", rent, key1)
				if took := time.Since(start); test.takes > 0 && took != test.takes {
					t.Errorf("it took %s", took)
				}
				if (err != nil) != (test.err != "") || err != nil && !strings.Contains(err.Error(), test.err) {
					t.Fatalf("error %v, want %q", err, test.err)
				}
				if Unsettled(err) != test.unsettled {
					t.Errorf("unsettled is %t for %v", Unsettled(err), err)
				}
				if err == nil && (record.ID != test.id || record.Existed != test.existed) {
					t.Errorf("got %s, existed %t: %s", record.ID, record.Existed, record.Raw)
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
	if d.bodies[0] != string(rent) {
		t.Errorf("sent %s", d.bodies[0])
	}
	if !strings.HasSuffix(string(record.Raw), `,"amount":"1500.00","name":"Rent","number":9007199254740993}`) ||
		record.Name != "Rent" {
		t.Errorf("got %q: %s", record.Name, record.Raw)
	}
	if have := d.seen[0].Header.Get("X-Idempotency-Key"); have != key1 {
		t.Errorf("sent the key %q", have)
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

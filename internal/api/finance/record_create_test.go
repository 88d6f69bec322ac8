package finance

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/api/apitest"
)

// shownRent are the members of rent in a response.
const shownRent = `"amount":"1500.00","name":"Rent","number":9007199254740993`

var rent = json.RawMessage(`{"amount":"1500.00","name":"Rent","number":9007199254740993}`)

// TestCreateRecord: whatever happens on the way, there is one record.
func TestCreateRecord(t *testing.T) {
	t.Parallel()
	gone := apitest.Rejected(404, "not_found")
	type row struct {
		prepare   func(d *apitest.Service)
		id        string // of the record that comes out
		err       string
		unsettled bool
		existed   bool
		records   string // that are there
		requests  string
		takes     time.Duration
	}
	apitest.Each(t, map[string]row{
		"returned": {
			prepare: func(*apitest.Service) { time.Sleep(400 * time.Millisecond) },
			id:      "o1", records: "o1", requests: "POST /v1/bills"},
		"returned, dated with the second of Date": {id: "o1", records: "o1",
			requests: "POST /v1/bills, GET /v1/bills/o1"},
		"returned, while the clocks of the service differ": {
			prepare: func(d *apitest.Service) { d.Ahead = 24 * time.Hour },
			id:      "o1", records: "o1", existed: true, requests: "POST /v1/bills, GET /v1/bills/o1"},
		"returned, and reads do not show it": {
			prepare: func(d *apitest.Service) { d.HandleFunc("GET /v1/bills/{id}", gone) },
			id:      "o1", records: "o1", takes: 11 * time.Second},
		"returned, and reads fail": {
			prepare: func(d *apitest.Service) { d.HandleFunc("GET /", respond(500, "")) },
			id:      "o1", records: "o1"},
		"returned, and reads hang": {
			prepare: func(d *apitest.Service) {
				d.Latency = func(r *http.Request) time.Duration { return map[string]time.Duration{"GET": time.Hour}[r.Method] }
			},
			id: "o1", records: "o1", takes: lookTimeout},
		"returned, and reads lag": {
			prepare: func(d *apitest.Service) { d.Lag = 3 * time.Second },
			id:      "o1", records: "o1", takes: 4 * time.Second},
		"returned, while the clocks of the service differ and reads do not show it": {
			prepare: func(d *apitest.Service) {
				d.Ahead = 24 * time.Hour
				d.HandleFunc("GET /v1/bills/{id}", gone)
			},
			id: "o1", records: "o1", existed: true,
			requests: "POST /v1/bills, GET /v1/bills/o1, GET /v1/bills, PATCH /v1/bills/o1"},
		"the response is lost": {
			prepare: func(d *apitest.Service) { d.Fates = []apitest.Fate{apitest.LostAfter, apitest.Kept} },
			id:      "o1", records: "o1", requests: "POST /v1/bills, POST /v1/bills, GET /v1/bills/o1"},
		"every response is lost": {
			prepare: func(d *apitest.Service) { d.Fates = []apitest.Fate{apitest.LostAfter} },
			err:     "no response", unsettled: true, records: "o1", requests: "POST /v1/bills, POST /v1/bills"},
		"made before": {
			prepare: func(d *apitest.Service) {
				d.Reply(key1, old("o1", time.Hour))
				d.Place(bills, `{"id":"o1","amount":"2.00"}`)
			},
			id: "o1", records: "o1", existed: true, requests: "POST /v1/bills, GET /v1/bills/o1"},
		"made before and deleted since": {
			prepare: func(d *apitest.Service) { d.Reply(key1, old("o1", time.Hour)) },
			id:      "o2", records: "o2",
			requests: "POST /v1/bills, GET /v1/bills/o1, GET /v1/bills, PATCH /v1/bills/o1, POST /v1/bills, GET /v1/bills/o2"},
		"made and deleted twice": {
			prepare: func(d *apitest.Service) {
				d.Reply(key1, old("o1", time.Hour))
				d.Reply(successor(key1), old("o2", time.Minute))
			},
			id: "o3", records: "o3"},
		"made before and deleted since, in one second": {
			prepare: func(d *apitest.Service) { d.Reply(key1, old("o1", 0)) },
			id:      "o2", records: "o2", takes: 11 * time.Second},
		"made before, and the read lags": {
			prepare: func(d *apitest.Service) { d.Place(bills, d.Reply(key1, old("o1", 5*time.Second))) },
			id:      "o1", records: "o1", existed: true},
		"made before, without a time": {
			prepare: func(d *apitest.Service) { d.Place(bills, d.Reply(key1, `{"id":"o1",`+shownRent+`}`)) },
			id:      "o1", records: "o1", requests: "POST /v1/bills"},
		"nothing of it shown, twice": {
			prepare: func(d *apitest.Service) { d.Place(bills, d.Reply(key1, `{"id":"o1","name":"Power"}`)) },
			id:      "o1", records: "o1", requests: "POST /v1/bills, POST /v1/bills"},
		"another record, once": {
			prepare: func(d *apitest.Service) {
				d.HandleFunc("POST /", turns(respond(201, `{"data":{"id":"o9","name":"Power","amount":"9.00"}}`), d.Handle))
			},
			err: `two records, "o9" and "o1"`, records: "o1", unsettled: true, requests: "POST /v1/bills, POST /v1/bills"},
		"another record, and then nothing": {
			prepare: func(d *apitest.Service) {
				d.HandleFunc("POST /", turns(respond(201, `{"data":{"id":"o9","name":"Power"}}`), respond(403, "")))
			},
			err: `"o9", which is not what was sent`, unsettled: true, requests: "POST /v1/bills, POST /v1/bills"},
		"made before, and changed since": {
			prepare: func(d *apitest.Service) {
				d.Reply(key1, `{"id":"o1","amount":"2.00","name":"Rent","created_at":"1999-12-31T23:00:00Z"}`)
			},
			err: `"o1", which existed before the request`, unsettled: true, requests: "POST /v1/bills, POST /v1/bills"},
		"made before, with another spelling": {
			prepare: func(d *apitest.Service) {
				d.Place(bills, d.Reply(key1, `{"id":"o1","amount":"1500.0","name":" rent","number":9007199254740993,`+
					`"created_at":"1999-12-31T23:00:00Z"}`))
			},
			id: "o1", records: "o1", existed: true, requests: "POST /v1/bills, GET /v1/bills/o1"},
		"a change is rejected": {
			prepare: func(d *apitest.Service) {
				d.Reply(key1, old("o1", time.Hour))
				d.HandleFunc("PATCH /v1/bills/o1", apitest.Rejected(422, "validation_error"))
			},
			id: "o1", existed: true, requests: "POST /v1/bills, GET /v1/bills/o1, GET /v1/bills, PATCH /v1/bills/o1"},
		"a key that is returned for ever": {
			prepare: func(d *apitest.Service) {
				d.HandleFunc("POST /", respond(201, apitest.Data(old("o1", time.Hour))))
			},
			err: "50 records were created", unsettled: true},
		"a read that fails otherwise": {
			prepare: func(d *apitest.Service) {
				d.Reply(key1, old("o1", time.Hour))
				d.HandleFunc("GET /v1/bills/o1", respond(403, ""))
			},
			id: "o1", existed: true, requests: "POST /v1/bills, GET /v1/bills/o1"},
		"rejected": {
			prepare: func(d *apitest.Service) { d.HandleFunc("POST /", apitest.Rejected(422, "validation_error")) },
			err:     "validation_error", requests: "POST /v1/bills"},
		"an unknown collection": {
			prepare: func(d *apitest.Service) { d.HandleFunc("POST /", gone) },
			err:     "not_found", requests: "POST /v1/bills"},
		"the read is rejected after a lost response": {
			prepare: func(d *apitest.Service) {
				d.Fates = []apitest.Fate{apitest.LostAfter}
				d.HandleFunc("POST /", turns(d.Handle, respond(403, "")))
			},
			err: "403", unsettled: true, records: "o1"},
		"an empty response, and then a rejected token": {
			prepare: func(d *apitest.Service) {
				d.HandleFunc("POST /", turns(respond(201, ""), apitest.Rejected(401, "invalid_token")))
			},
			err: "invalid_token", unsettled: true, requests: "POST /v1/bills, POST /v1/bills"},
		"a response without an id": {
			prepare: func(d *apitest.Service) { d.HandleFunc("POST /", respond(201, `{"data":{"name":"Rent"}}`)) },
			err:     "no record with an id", unsettled: true, requests: "POST /v1/bills, POST /v1/bills"},
	}, func(t *testing.T, test row) {
		d := newWire(nil, bills)
		if test.prepare != nil {
			test.prepare(d)
		}
		start := time.Now()
		record, err := newService(t, d).CreateRecord(t.Context(), "bills", rent, key1)
		if took := time.Since(start); test.takes > 0 && took != test.takes {
			t.Errorf("it took %s", took)
		}
		apitest.Says(t, err, test.err)
		if MayHaveCreated(err) != test.unsettled {
			t.Errorf("unsettled is %t for %v", MayHaveCreated(err), err)
		}
		if err == nil && (record.ID != test.id || record.Existed != test.existed) {
			t.Errorf("got %s, existed %t: %s", record.ID, record.Existed, record.Raw)
		}
		if d.IDs(bills) != test.records {
			t.Errorf("there are %q, want %q", d.IDs(bills), test.records)
		}
		if test.requests != "" && d.Requests() != test.requests {
			t.Errorf("asked %s\nwant  %s", d.Requests(), test.requests)
		}
	})
}

// TestCreateRecordSendsTheBodyAsItIs: with its numbers and money exact, and the key on the create alone.
func TestCreateRecordSendsTheBodyAsItIs(t *testing.T) {
	t.Parallel()
	d := newWire(nil, bills)
	record, err := newService(t, d).CreateRecord(t.Context(), "bills", rent, key1)
	if err != nil {
		t.Fatal(err)
	}
	if d.Bodies[0] != string(rent) {
		t.Errorf("sent %s", d.Bodies[0])
	}
	if !strings.HasSuffix(string(record.Raw), `,"amount":"1500.00","name":"Rent","number":9007199254740993}`) ||
		record.Name != "Rent" {
		t.Errorf("got %q: %s", record.Name, record.Raw)
	}
	if have := d.Sent[0].Header.Get("X-Idempotency-Key"); have != key1 {
		t.Errorf("sent the key %q", have)
	}
}

// TestCreateRecordOutlastsAnInterrupt: what the service has made is not orphaned.
func TestCreateRecordOutlastsAnInterrupt(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := newWire(nil, bills)
		ctx, cancel := context.WithCancel(t.Context())
		d.HandleFunc("POST /", func(w http.ResponseWriter, r *http.Request) {
			cancel()
			time.Sleep(10 * time.Second)
			d.Handle(w, r)
		})
		record, err := newService(t, d).CreateRecord(ctx, "bills", rent, key1)
		if err != nil || record.ID != "o1" {
			t.Fatalf("%+v, %v", record, err)
		}
	})
}

// TestCreateRecordStoppedWhileItWaits: a request that was sent is not forgotten, whatever ends the wait.
func TestCreateRecordStoppedWhileItWaits(t *testing.T) {
	t.Parallel()
	apitest.Each(t, map[string]http.HandlerFunc{ // the response to another call; nil: an interrupt
		"an interrupt": nil, "a rejected token of another call": apitest.Rejected(401, "invalid_token"),
	}, func(t *testing.T, answer http.HandlerFunc) {
		d := newWire(nil, bills)
		s := newService(t, d)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		stop := cancel
		if answer != nil {
			d.HandleFunc("GET /", answer)
			stop = func() { _, _ = s.GetRecord(t.Context(), "bills", "other") }
		}
		d.Fates = []apitest.Fate{apitest.LostAfter}
		d.HandleFunc("POST /", func(w http.ResponseWriter, r *http.Request) {
			time.AfterFunc(time.Nanosecond, stop)
			d.Handle(w, r)
		})
		_, err := s.CreateRecord(ctx, "bills", rent, key1)
		apitest.Says(t, err, `The record in the collection "bills" may or may not exist. A creation with the key `+key1)
		if !MayHaveCreated(err) || d.IDs(bills) != "o1" {
			t.Errorf("unsettled is %t, there are %q", MayHaveCreated(err), d.IDs(bills))
		}
	})
}

// TestCreateRecordNotSent: what was not sent does not exist, whatever became of other requests.
func TestCreateRecordNotSent(t *testing.T) {
	t.Parallel()
	const another = "for the same reason as another error of this run"
	for name, c := range map[string]struct {
		responses           []int // to earlier requests
		deadline, interrupt time.Duration
		says                string
	}{
		"the service does not respond":     {slices.Repeat([]int{503}, 10), time.Hour, time.Hour, another},
		"another creation was unclear too": {[]int{503, 401}, time.Hour, time.Hour, another},
		"the limiter opens too late":       {[]int{503, 429}, time.Second, time.Hour, "was not sent"},
		"interrupted at the limiter":       {[]int{503, 429}, time.Hour, time.Second, "context canceled"},
		"interrupted before":               {nil, time.Hour, 0, "nothing was sent"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				d, next := newWire(nil, bills), 0
				d.HandleFunc("GET /", func(w http.ResponseWriter, r *http.Request) {
					w.Header().Set("Retry-After", map[int]string{429: "60"}[c.responses[next]])
					next++
					respond(c.responses[next-1], "")(w, r)
				})
				s := newService(t, d)
				for range len(c.responses) / 2 {
					go func() { _, _ = s.GetRecord(t.Context(), "bills", "other") }()
					time.Sleep(40 * time.Second)
				}
				ctx, cancel := context.WithTimeout(t.Context(), c.deadline)
				time.AfterFunc(c.interrupt, cancel)
				time.Sleep(time.Nanosecond)
				_, err := s.CreateRecord(ctx, "bills", rent, key1)
				apitest.Says(t, err, c.says)
				if MayHaveCreated(err) || strings.Contains(d.Requests(), "POST") {
					t.Errorf("unsettled is %t after %s", MayHaveCreated(err), d.Requests())
				}
			})
		})
	}
}

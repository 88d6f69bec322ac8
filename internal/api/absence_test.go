package api

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// TestForeignNotFound: only a 404 of the service itself counts, and only while the list of such objects can be read.
func TestForeignNotFound(t *testing.T) {
	t.Parallel()
	own := rejection(404, `{"error":{"code":"not_found","message":"gone"}}`)
	signed := func(s step) step {
		s.header = map[string]string{"Request-Id": "r1"}
		return s
	}
	list := ok(`{"data":[],"meta":{"total":0}}`)
	html := step{status: 200, body: "<html>", header: map[string]string{"Content-Type": "text/html"}}
	for name, test := range map[string]struct {
		object, list step
		gone         bool
	}{
		"the service":                     {own, list, true},
		"the service, signed":             {signed(own), signed(list), true},
		"the service, list of items":      {own, ok(`{"data":[{"id":"c2"}]}`), true},
		"410":                             {rejection(410, `{"error":{"code":"gone","message":"deleted"}}`), list, true},
		"410 of a proxy":                  {status(410), list, false},
		"its shape everywhere":            {own, own, false},
		"its shape, not signed":           {own, signed(list), false},
		"its shape, the list is HTML":     {own, html, false},
		"its shape, the list is empty":    {own, status(200), false},
		"its shape, the list is rejected": {own, status(403), false},
		"its shape, the list is an error": {own, ok(`{"error":{"code":"x"}}`), false},
		"a number as code":                {rejection(404, `{"error":{"code":"404","message":"page not found"}}`), list, false},
		"flat":                            {rejection(404, `{"error":"Not Found","error_code":"not_found"}`), list, false},
		"no route":                        {rejection(404, `{"error":{"code":"route_not_found","message":"no"}}`), list, false},
		"no route, in capitals":           {rejection(404, `{"error":{"code":"ROUTE_NOT_FOUND","message":"no"}}`), list, false},
		"another shape":                   {rejection(404, `{"statusCode":404,"message":"Resource not found"}`), list, false},
		"HTML": {step{status: 404, body: "<h1>404</h1>",
			header: map[string]string{"Content-Type": "text/html"}}, list, false},
		"empty": {status(404), list, false},
	} {
		transport := play(step{respond: func(r *http.Request) step {
			if strings.HasSuffix(r.URL.Path, "/c1") {
				return test.object
			}
			return test.list
		}})
		_, err := newClient(t, transport, noRetries).Do(t.Context(), getCustomer)
		if e, ok := AsError(err); !ok || !e.Missing() || IsNotFound(err) != test.gone {
			t.Errorf("%s: %v, gone %t", name, err, IsNotFound(err))
		}
	}
}

// TestAbsenceIsProvenOnceForMany: a run that finds many objects gone reads the list once, and again when that was long
// ago.
func TestAbsenceIsProvenOnceForMany(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var lists atomic.Int32
		var proxy atomic.Bool
		c := newClient(t, play(step{respond: func(r *http.Request) step {
			if strings.HasSuffix(r.URL.Path, "/customers") && !proxy.Load() {
				lists.Add(1)
				return ok(`{"data":[]}`)
			}
			return rejection(404, `{"error":{"code":"not_found","message":"gone"}}`)
		}}))
		results := make(chan error, 50)
		for range cap(results) {
			go func() {
				_, err := c.Do(t.Context(), getCustomer)
				results <- err
			}()
		}
		for range cap(results) {
			if err := <-results; !IsNotFound(err) {
				t.Error(err)
			}
		}
		if lists.Load() != 1 {
			t.Errorf("the list was read %d times, want once", lists.Load())
		}
		proxy.Store(true)
		time.Sleep(proofAge + time.Second)
		if _, err := c.Do(t.Context(), getCustomer); err == nil || IsNotFound(err) {
			t.Errorf("a 404 of a proxy that took over later is believed: %v", err)
		}
	})
}

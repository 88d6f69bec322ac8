package sandbox_test

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// TestLate holds that a request is processed after its response, or after its connection was dropped.
func TestLate(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		spec  string
		fails func(result, error) bool
	}{
		"504":     {"status=504,late=50ms", func(r result, err error) bool { return err == nil && r.status == 504 }},
		"dropped": {"drop=before,late=50ms", func(_ result, err error) bool { return errors.Is(err, io.EOF) }},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				server, c := inMemory(t)
				fault, err := sandbox.ParseFault(test.spec + ",times=1")
				if err != nil {
					t.Fatal(err)
				}
				server.AddFault(fault)
				if r, err := c.try("POST", "/v1/customers", `{"name":"Ana"}`); !test.fails(r, err) {
					t.Errorf("response %d, %v", r.status, err)
				}
				if server.Late() != 1 {
					t.Error("nothing is late")
				}
				time.Sleep(time.Second)
				if got := c.do("GET", "/v1/customers", "").json("meta", "total"); got != "1" {
					t.Errorf("total %s, want 1", got)
				}
				all := server.Requests()
				if len(all) != 3 || all[1].Client != "late" || all[1].Status != 201 || all[1].RequestID != all[0].RequestID {
					t.Errorf("the log has %+v", all)
				}
			})
		})
	}
	for _, spec := range []string{"late=1s", "late=1s,status=504,after", "late=1s,drop=after", "late=0s,status=504"} {
		if _, err := sandbox.ParseFault(spec); err == nil || !strings.Contains(err.Error(), "late") {
			t.Errorf("%s: %v", spec, err)
		}
	}
}

// TestRunOfAClosedConnection holds that a plan right after an apply is another run, even if the connection of a request
// of the apply ended with the response.
func TestRunOfAClosedConnection(t *testing.T) {
	t.Parallel()
	server := start(t, sandbox.Options{})
	c, apply := call(t, server), call(t, server)
	apply.client.Transport.(*http.Transport).DisableKeepAlives = false
	apply.do("GET", "/v1/customers", "").want(200)
	apply.do("POST", "/v1/customers", `{"name":"Ana"}`, "Connection", "close").want(201)
	apply.client.CloseIdleConnections()
	another := false
	for range 100 { // the server may see the end of the connection after the next request
		c.do("GET", "/v1/customers", "").want(200)
		all := server.Requests()
		if another = all[0].Run != all[len(all)-1].Run; another {
			break
		}
		time.Sleep(time.Millisecond)
	}
	if !another {
		t.Error("all requests are of one run")
	}
	server.AddFault(sandbox.Fault{DropAfter: true, Times: 1})
	if _, err := c.try("POST", "/v1/customers", `{"name":"Bia"}`); err == nil {
		t.Error("the response was not lost")
	}
	c.do("GET", "/v1/customers", "").want(200)
	all := server.Requests()
	if lost, next := all[len(all)-2].Run, all[len(all)-1].Run; lost != next {
		t.Errorf("after a lost response, the requests are of the runs %d and %d", lost, next)
	}
}

// TestKept holds that the log keeps nothing large that a client chooses.
func TestKept(t *testing.T) {
	t.Parallel()
	server := start(t, sandbox.Options{})
	large := `{"name":"` + strings.Repeat("x", 200<<10) + `"}`
	c := call(t, server)
	c.do("POST", "/v1/customers", large)
	c.do("GET", "/v1/customers/"+strings.Repeat("x", 10<<10)+"?search="+strings.Repeat("x", 10<<10), "")
	c.with("unknown").do("POST", "/v1/customers", large).want(401)
	for i, r := range server.Requests() {
		if len(r.Body) > 64<<10 || len(r.Path)+len(r.Query)+len(r.Object) > 8<<10 || i == 0 && len(r.Body) == 0 ||
			i == 2 && len(r.Body) > 0 {
			t.Errorf("request %d: body %d, path %d, query %d bytes", i, len(r.Body), len(r.Path), len(r.Query))
		}
	}
}

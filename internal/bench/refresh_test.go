//go:build linux

package bench_test

import (
	"bytes"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
)

const (
	// refreshed is how many objects a refresh that is measured reads.
	refreshed = 1000
	// atOnce is how many of them it reads at a time, as Terraform does.
	atOnce = 10
)

// copyID is the id of a copy of a recorded object. The ids are in the order of their numbers, and spread evenly.
func copyID(i int) string {
	return fmt.Sprintf("%08x-0000-4000-8000-000000000000", i*(1<<32/refreshed))
}

// copies is a service with copies of one object. It responds with texts that are made before.
type copies struct {
	pages   [][]byte
	singles map[string][]byte
}

func newCopies(t *testing.T, id string, object any) *copies {
	t.Helper()
	text, err := json.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	const perPage = 100
	s := &copies{singles: map[string][]byte{}}
	for first := 0; first < refreshed; first += perPage {
		var items [][]byte
		for i := first; i < first+perPage; i++ {
			item := bytes.ReplaceAll(text, []byte(id), []byte(copyID(i)))
			items = append(items, item)
			s.singles[copyID(i)] = fmt.Appendf(nil, `{"data":%s}`, item)
		}
		s.pages = append(s.pages, fmt.Appendf(nil, `{"data":[%s],"meta":{"total":%d,"per_page":%d}}`,
			bytes.Join(items, []byte(",")), refreshed, perPage))
	}
	return s
}

func (s *copies) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, single := s.singles[filepath.Base(r.URL.Path)]
	if !single {
		number, err := strconv.Atoi(r.URL.Query().Get("page"))
		if err != nil || number < 1 || number > len(s.pages) {
			http.NotFound(w, r)
			return
		}
		body = s.pages[number-1]
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Date", time.Now().Add(time.Hour).UTC().Format(http.TimeFormat)) // nothing was written just now
	_, _ = w.Write(body)
}

// refresh reads all copies of an object, as the refresh of a plan does.
func (s *served) refresh(o acctest.Recording, id string) error {
	slots := make(chan struct{}, atOnce)
	var group sync.WaitGroup
	var mu sync.Mutex
	var failure error
	for i := range refreshed {
		slots <- struct{}{}
		group.Go(func() {
			defer func() { <-slots }()
			of := func(b []byte) []byte { return bytes.ReplaceAll(b, []byte(id), []byte(copyID(i))) }
			if err := s.read(acctest.Recording{TypeName: o.TypeName, State: of(o.State), Private: o.Private,
				Identity: of(o.Identity)}); err != nil {
				mu.Lock()
				defer mu.Unlock()
				failure = err
			}
		})
	}
	group.Wait()
	return failure
}

// TestRefresh (make bench) measures what the refresh of one unchanged object costs the provider where it comes from the
// list.
func TestRefresh(t *testing.T) {
	if os.Getenv("BENCH") == "" {
		t.Skip("takes minutes; make bench runs it")
	}
	s := acctest.Start(t)
	s.NeedsSandbox("its objects are for measurements")
	for i, object := range recorded(t, s) {
		var state struct{ ID string }
		if err := json.Unmarshal(object.StateJSON, &state); err != nil {
			t.Fatal(err)
		}
		id := state.ID
		path := []string{"/v1/customers/", "/v1/billing-accounts/", "/v1/subscriptions/"}[i]
		_, response := s.Call(http.MethodGet, path+id, nil)
		service := httptest.NewTLSServer(newCopies(t, id, response["data"]))
		t.Cleanup(service.Close)
		ca := filepath.Join(t.TempDir(), "ca.pem")
		if err := os.WriteFile(ca, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE",
			Bytes: service.Certificate().Raw}), 0o600); err != nil {
			t.Fatal(err)
		}
		env := map[string]string{"BILLING_BASE_URL": service.URL, "BILLING_TOKEN": "none",
			"BILLING_CA_CERTIFICATE_FILE": ca}
		var costs []cost
		for range 5 {
			costs = append(costs, measured(t, env, task{Serve: asServed, Object: object, Plans: 5 * refreshed, Copies: id}))
		}
		c := median(costs)
		t.Logf("%-22s %s, %d kB, %d allocations for each object that a list shows", object.TypeName,
			c.CPU.Round(time.Microsecond), c.Bytes/1000, c.Allocations)
	}
}

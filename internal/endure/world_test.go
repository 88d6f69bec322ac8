//go:build unix

package endure_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// world is the service, the objects of another workspace in it, and Terraform's folder.
type world struct {
	t        *testing.T
	schedule schedule
	runner   *acctest.Terraform
	foreign  map[string]string // path of an object of the other workspace: the object, as JSON
	imports  map[string]string // address: id of the adopted import block
	printed  strings.Builder   // Terraform's whole output
	named    strings.Builder   // its errors and warnings
	broken   []violation
	before   map[string]string // tokens of the keys that the state had before the disturbance, by id
	signals  int
	lost     bool // Terraform's state file was truncated
	runs     int
	started  time.Time

	mu       sync.Mutex
	service  *acctest.Service
	end      func()
	requests int
	count    func(write bool) // called for every request; optional
}

// stateFile is the service's state file, in Terraform's folder.
const stateFile = "service.db"

// sharedURL is the URL of an endpoint of the other workspace, and of one of ours.
const sharedURL = "https://hooks.example.com/shared"

// canary is a value that must not be in any file or message.
const canary = "canary-write-only-7f3a9c"

// begin starts with the content of the folder from; empty: with only the other workspace.
func begin(t *testing.T, s schedule, from string) *world {
	t.Helper()
	w := &world{t: t, schedule: s, runner: acctest.NewTerraform(t), imports: map[string]string{},
		foreign: map[string]string{}, started: time.Now()}
	if from != "" {
		if err := os.CopyFS(w.runner.Dir, os.DirFS(from)); err != nil {
			t.Fatal(err)
		}
		w.decode("foreign.json", &w.foreign)
	}
	w.start(nil)
	t.Cleanup(func() { w.end() })
	w.runner.At(w.service)
	w.supervise(acctest.BuiltProvider())
	maps.Copy(w.runner.Env, map[string]string{"TF_VAR_canary": canary, "TF_VAR_revision": "1", "TF_VAR_rotation": "1",
		"TF_VAR_renewal":        "1",
		"BILLING_RETRY_TIMEOUT": "30s", "BILLING_REQUEST_TIMEOUT": "3s"})
	text, err := os.ReadFile(filepath.Join("testdata", "main.tf"))
	if err != nil {
		t.Fatal(err)
	}
	w.runner.Write("main.tf", string(text))
	if from == "" {
		w.seedForeign()
	}
	w.before = map[string]string{}
	for _, r := range w.runner.State() {
		if token, _ := r.Attributes["token"].(string); token != "" {
			w.before[fmt.Sprint(r.Attributes["id"])] = token
		}
	}
	return w
}

func (w *world) decode(name string, into any) {
	w.t.Helper()
	if err := json.Unmarshal([]byte(w.runner.Read(name)), into); err != nil {
		w.t.Fatal(err)
	}
}

// start starts the service with its state, at the same addresses as before.
func (w *world) start(before *acctest.Service) {
	w.t.Helper()
	service, end := acctest.Open(w.t, acctest.RunningClock, func(o *sandbox.Options) {
		o.Seed, o.MaxPerPage, o.NoExampleData = 0, 0, true
		o.StateFile = filepath.Join(w.runner.Dir, stateFile)
		o.HTTP2 = w.schedule.seed%2 == 0
		o.OnRequest = w.heard
		if before != nil {
			o.BillingPort, o.FinancePort, o.CollectionsPort = port(w.t, before.BaseURL), port(w.t, before.FinanceURL),
				port(w.t, before.CollectionsURL)
		} else if w.schedule.restart > 0 {
			o.BillingPort, o.FinancePort, o.CollectionsPort = free(w.t), free(w.t), free(w.t)
		}
	})
	w.mu.Lock()
	defer w.mu.Unlock()
	w.service, w.end = service, end
}

// free returns a port below those that systems give to clients: none of these gets it while the service is down.
func free(t *testing.T) int {
	t.Helper()
	for range 100 {
		number := 20000 + rand.IntN(12000)
		address := net.JoinHostPort("127.0.0.1", strconv.Itoa(number))
		listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", address)
		if err == nil {
			_ = listener.Close()
			return number
		}
	}
	t.Fatal("no port is free")
	return 0
}

func port(t *testing.T, address string) int {
	t.Helper()
	parsed, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	n, err := strconv.Atoi(parsed.Port())
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func (w *world) heard(r sandbox.Request) {
	w.mu.Lock()
	count := w.count
	w.requests++
	w.mu.Unlock()
	if count != nil {
		count(r.Method != "GET")
	}
}

func (w *world) onRequest(count func(write bool)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.count = count
}

// seedForeign creates objects of another workspace that look like ours.
func (w *world) seedForeign() {
	w.t.Helper()
	s := w.service
	customer := s.Must("POST", "/v1/customers",
		acctest.JSON{"name": "Helena Martins", "document_number": "111.444.777-35"})
	account, _ := customer["billing_account"].(acctest.JSON)
	person, _ := customer["customer"].(acctest.JSON)
	w.keep("/v1/customers/", person)
	w.keep("/v1/billing-accounts/", account)
	w.keep("/v1/subscriptions/", s.Must("POST", "/v1/subscriptions", acctest.JSON{"billing_account_id": account["id"],
		"plan_id": "5b0f7d52-8f0a-4a35-9d7e-6f6f1f0c2a01"}))
	w.keep("/api/v1/webhook-endpoints/", s.Must("POST", "/api/v1/webhook-endpoints",
		acctest.JSON{"url": sharedURL}))
	w.keep("/api/v1/api-keys/", s.Must("POST", "/api/v1/api-keys",
		acctest.JSON{"name": "ci", "scopes": []string{"charges:read"}}))
	w.keep("/v1/payables/",
		s.Must("POST", "/v1/payables",
			acctest.JSON{"name": "Rent", "company_id": "7b0d3c1e-52f4-4a63-8c1d-1f2e3d4c5b6a",
				"occurred_at": "2026-01-05", "amount": "1.00"}))
	text, err := json.Marshal(w.foreign)
	if err != nil {
		w.t.Fatal(err)
	}
	w.runner.Write("foreign.json", string(text))
}

func (w *world) keep(path string, object acctest.JSON) {
	w.t.Helper()
	path += fmt.Sprint(object["id"])
	w.foreign[path] = w.shown(path)
}

// shown returns an object of the service as JSON.
func (w *world) shown(path string) string {
	w.t.Helper()
	_, response := w.service.Call("GET", path, nil)
	text, err := json.Marshal(response["data"])
	if err != nil {
		w.t.Fatal(err)
	}
	return string(text)
}

func (w *world) isForeign(id string) bool {
	for path := range w.foreign {
		if strings.HasSuffix(path, "/"+id) {
			return true
		}
	}
	return false
}

// applied is the folder after an undisturbed apply.
type applied struct {
	dir string

	mu   sync.Mutex
	made bool
}

// folder returns the folder, and applies first if nobody has.
func (a *applied) folder(t *testing.T) string {
	t.Helper()
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.made {
		return a.dir
	}
	w := begin(t, schedule{phase: create}, "")
	if printed := w.terraform("apply", "-json", "-auto-approve"); len(printed.Errors) > 0 {
		t.Fatalf("the undisturbed apply fails: %v", printed.Errors)
	}
	w.end()
	w.end = func() {}
	for _, name := range []string{"terraform.tfstate", "foreign.json", stateFile, stateFile + ".ca.pem"} {
		if err := os.WriteFile(filepath.Join(a.dir, name), []byte(w.runner.Read(name)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	a.made = true
	return a.dir
}

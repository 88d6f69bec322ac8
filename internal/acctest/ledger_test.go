package acctest_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
)

// TestSweepLive runs make sweep.
func TestSweepLive(t *testing.T) {
	ledger := os.Getenv("BILLING_ACC_SWEEP")
	if ledger == "" {
		t.Skip("deletes objects of a live service: make sweep runs it")
	}
	if err := acctest.Start(t).Sweep(ledger, func(line string) { t.Log(line) }); err != nil {
		t.Fatal(err)
	}
}

// TestSweep checks that a sweep deletes or cancels what was created through the recording service, even if a test has
// protected it, and nothing else.
func TestSweep(t *testing.T) {
	t.Parallel()
	service, end := acctest.Open(t)
	defer end()
	ledger := filepath.Join(t.TempDir(), "created.txt")
	run := service.Recording(ledger)

	created := run.Must("POST", "/v1/customers", acctest.JSON{"name": "Swept"})
	account, _ := created["billing_account"].(acctest.JSON)["id"].(string)
	subscription, _ := run.Must("POST", "/v1/subscriptions", acctest.JSON{
		"billing_account_id": account, "plan_id": "5b0f7d52-8f0a-4a35-9d7e-6f6f1f0c2a01"})["id"].(string)
	run.Must("PATCH", "/v1/subscriptions/"+subscription, acctest.JSON{"allow_cancel": false})
	run.Must("POST", "/v1/billing-accounts", acctest.JSON{"customer": acctest.JSON{"name": "Swept with its account"}})
	run.Must("POST", "/api/v1/webhook-endpoints", acctest.JSON{"url": "https://hooks.example.com/swept"})
	key := run.Must("POST", "/api/v1/api-keys",
		acctest.JSON{"name": "swept", "scopes": []string{"webhook_endpoints:read"}})
	id, _ := key["id"].(string)
	if id == "" {
		t.Fatalf("got the key %v", key)
	}
	run.Must("POST", "/api/v1/api-keys/"+id+"/rotate", acctest.JSON{})
	run.Must("POST", "/v1/payables", acctest.JSON{"name": "swept", "amount": "1.00", "type": "debit",
		"occurred_at": "2026-03-14"})
	kept, _ := service.Must("POST", "/v1/customers", acctest.JSON{"name": "Kept"})["customer"].(acctest.JSON)
	payables := len(service.All("/v1/payables"))

	noted, err := os.ReadFile(ledger)
	if lines := strings.Count(string(noted), "\n"); err != nil || lines != 7 {
		t.Fatalf("the ledger has %d lines, %v:\n%s", lines, err, noted)
	}
	var said []string
	if err := service.Sweep(ledger, func(line string) { said = append(said, line) }); err != nil {
		t.Fatalf("%v\n%s", err, strings.Join(said, "\n"))
	}
	if _, err := os.Stat(ledger); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the ledger still exists: %v", err)
	}
	if _, page := service.Call("GET", "/v1/customers", nil); len(page["data"].([]any)) != 1 {
		t.Errorf("got the customers %v", page["data"])
	}
	if name := service.Must("GET", "/v1/customers/"+kept["id"].(string), nil)["name"]; name != "Kept" {
		t.Errorf("an object that the run did not create is now %v", name)
	}
	if status := service.Must("GET", "/v1/subscriptions/"+subscription, nil)["status"]; status != "canceled" {
		t.Errorf("the subscription is %v", status)
	}
	if left := len(service.All("/v1/payables")); left != payables-1 {
		t.Errorf("%d payables are left of %d", left, payables)
	}
	for _, path := range []string{"/api/v1/webhook-endpoints", "/api/v1/api-keys"} {
		_, page := service.Call("GET", path, nil)
		for _, item := range page["data"].([]any) {
			object := item.(acctest.JSON)
			if object["revokedAt"] == nil && (object["name"] == "swept" || object["url"] != nil) {
				t.Errorf("%s still has %v", path, object)
			}
		}
	}
	if err := service.Sweep(ledger, func(string) {}); err != nil {
		t.Errorf("a sweep without a ledger: %v", err)
	}
}

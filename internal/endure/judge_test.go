//go:build unix

package endure_test

import (
	"archive/zip"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
)

// violation is a violated invariant.
type violation struct{ class, what string }

func (w *world) breaks(class, format string, values ...any) {
	w.broken = append(w.broken, violation{class, fmt.Sprintf(format, values...)})
}

// judge checks the invariants.
func (w *world) judge() {
	w.t.Helper()
	w.foreigners()
	objects := w.objects()
	state := w.runner.State()
	w.duplicates(objects, state)
	w.secrets(state)
	w.graces()
	w.canaries(state)
	for _, bug := range []string{"Provider produced", "panic:", "Unexpected provider data", "Error decoding"} {
		if strings.Contains(w.printed.String(), bug) {
			w.breaks("bug", "the output contains %q", bug)
		}
	}
}

// foreigners checks that the objects of the other workspace are unchanged.
func (w *world) foreigners() {
	w.t.Helper()
	for _, path := range slices.Sorted(maps.Keys(w.foreign)) {
		if now := w.shown(path); now != w.foreign[path] {
			w.breaks("foreign object", "%s was %s and is now %s", path, w.foreign[path], now)
		}
	}
}

// object is one of our objects at the service that has not ended.
type object struct{ kind, name, id string }

// objects returns the objects of this workspace.
func (w *world) objects() (all []object) {
	w.t.Helper()
	text := func(v any) string {
		s, _ := v.(string)
		return s
	}
	add := func(kind, name string, o acctest.JSON) {
		if id := text(o["id"]); !w.isForeign(id) {
			all = append(all, object{kind, name, id})
		}
	}
	list := func(path string) (items []acctest.JSON) {
		status, response := w.service.Call("GET", path+"?per_page=100", nil)
		data, _ := response["data"].([]any)
		if status != 200 {
			w.t.Fatalf("GET %s: %d", path, status)
		}
		for _, item := range data {
			o, _ := item.(acctest.JSON)
			items = append(items, o)
		}
		return items
	}
	named := func(o acctest.JSON, instead string) string {
		if code := text(o["external_id"]); code != "" {
			return code
		}
		return instead
	}
	for _, o := range list("/v1/customers") {
		add("customer", named(o, text(o["name"])), o)
	}
	for _, o := range list("/v1/billing-accounts") {
		customer, _ := o["customer"].(acctest.JSON)
		if o["status"] != "closed" {
			add("account", named(o, "of customer "+text(customer["id"])), o)
		}
	}
	for _, o := range list("/v1/subscriptions") {
		if o["status"] != "canceled" {
			add("subscription", named(o, text(o["billing_account_id"])), o)
		}
	}
	for _, o := range list("/api/v1/webhook-endpoints") {
		add("webhook endpoint", text(o["url"]), o)
	}
	for _, o := range list("/api/v1/api-keys") {
		// The first key is the provider's own; a key with an expiry has been rotated.
		if o["revokedAt"] == nil && o["expiresAt"] == nil && text(o["name"]) != "" && text(o["source"]) == "api" {
			add("API key", text(o["name"]), o)
		}
	}
	for _, collection := range []string{"payables", "receivables"} {
		for _, o := range w.service.FinanceRecords(collection) {
			add("finance record", text(o["name"]), o)
		}
	}
	return all
}

// duplicates finds objects that were created twice, or are in no state. After a destroy no objects may remain.
func (w *world) duplicates(objects []object, state []acctest.Instance) {
	known := map[any]bool{}
	for _, r := range state {
		known[r.Attributes["id"]] = true
		known[r.Attributes["billing_account_id"]] = true
	}
	same := map[object][]string{}
	for _, o := range objects {
		// A new key whose response was lost is not adopted if the address already has a key: a message says to revoke it.
		replaces := w.schedule.phase == rotate || w.schedule.phase == renew
		if o.kind == "API key" && replaces && !known[o.id] && strings.Contains(w.named.String(), o.id) {
			continue
		}
		one := object{kind: o.kind, name: o.name}
		same[one] = append(same[one], o.id)
		if known[o.id] {
			continue
		}
		if strings.Contains(w.named.String(), o.id) {
			w.breaks("named orphan: "+o.kind, "%s %s", o.name, o.id)
		} else {
			w.breaks("unnamed orphan: "+o.kind, "%s %s", o.name, o.id)
		}
	}
	for one, ids := range same {
		if len(ids) > 1 {
			w.breaks("duplicate: "+one.kind, "%s: %v", one.name, ids)
		}
	}
}

// secrets checks that the state has the secrets that the service returns only once, and that they are correct.
func (w *world) secrets(state []acctest.Instance) {
	w.t.Helper()
	for _, r := range state {
		id, _ := r.Attributes["id"].(string)
		_, imported := w.imports[r.Address]
		switch kind, _, _ := strings.Cut(r.Address, "."); kind {
		case "billing_api_key":
			token, _ := r.Attributes["token"].(string)
			if token == "" && !imported {
				w.breaks("secret", "the token of %s is missing", r.Address)
			} else if token != "" {
				if status, _ := w.service.CallWithKey(token, "GET", "/api/v1/webhook-endpoints", nil); status == 401 {
					w.breaks("secret", "the token of %s is rejected", r.Address)
				}
			}
		case "billing_webhook_endpoint":
			secret, _ := r.Attributes["secret"].(string)
			if secret == "" && !imported {
				w.breaks("secret", "the secret of %s is missing", r.Address)
			} else if right, err := w.service.Sandbox.EndpointSecret(id); secret != "" && (err != nil || right != secret) {
				w.breaks("secret", "the secret of %s differs from that of the service (%v)", r.Address, err)
			}
		}
	}
}

// graces checks that replaced keys continue to work: only a destroy ends a key without a grace period.
func (w *world) graces() {
	w.t.Helper()
	if w.schedule.phase == destroy {
		return
	}
	_, response := w.service.Call("GET", "/api/v1/api-keys?per_page=100", nil)
	keys, _ := response["data"].([]any)
	for _, key := range keys {
		o, _ := key.(acctest.JSON)
		if token := w.before[fmt.Sprint(o["id"])]; token != "" {
			if status, _ := w.service.CallWithKey(token, "GET", "/api/v1/webhook-endpoints", nil); status == 401 {
				w.breaks("grace", "the key %v %v was ended", o["name"], o["id"])
			}
		}
	}
}

// canaries finds secrets in places where they must not be.
func (w *world) canaries(state []acctest.Instance) {
	w.t.Helper()
	everywhere := map[string]string{"write-only credential": canary}
	for _, variable := range []string{"BILLING_TOKEN", "BILLING_FINANCE_TOKEN", "BILLING_COLLECTIONS_API_KEY"} {
		value := w.runner.Env[variable]
		everywhere[variable] = value[strings.LastIndex(value, ".")+1:] // the signature of a JWT
	}
	shown := maps.Clone(everywhere) // output and log must not contain secrets of the state either
	for _, r := range state {
		for _, name := range []string{"token", "secret"} {
			if value, _ := r.Attributes[name].(string); value != "" {
				shown[name+" of "+r.Address] = value
			}
		}
	}
	look := func(where, text string, secrets map[string]string) {
		for _, name := range slices.Sorted(maps.Keys(secrets)) {
			if strings.Contains(text, secrets[name]) {
				w.breaks("canary", "%s contains the %s", where, name)
			}
		}
	}
	look("the output", w.printed.String(), shown)
	for _, name := range []string{"terraform.tfstate", "terraform.tfstate.backup", "trace.log"} {
		text, err := os.ReadFile(filepath.Join(w.runner.Dir, name))
		if err != nil {
			continue
		}
		if name == "trace.log" {
			look(name, string(text), shown)
		} else {
			look(name, string(text), everywhere)
		}
	}
	w.inPlan(func(text string) { look("the plan", text, everywhere) })
}

// inPlan reads the files in the last plan.
func (w *world) inPlan(read func(text string)) {
	w.t.Helper()
	archive, err := zip.OpenReader(filepath.Join(w.runner.Dir, "plan"))
	if err != nil {
		return // no plan
	}
	defer archive.Close()
	for _, file := range archive.File {
		content, err := file.Open()
		if err != nil {
			w.t.Fatal(err)
		}
		text, err := io.ReadAll(content)
		if err != nil {
			w.t.Fatal(err)
		}
		read(string(text))
	}
}

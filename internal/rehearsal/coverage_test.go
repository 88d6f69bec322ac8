package rehearsal_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/evidence"
	"github.com/recurring-billing/terraform-provider-billing/internal/rehearsal/coverage"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// A random organization is split over several states at random: each object is in exactly the set where it belongs.
func TestCoverageOfRandomSplits(t *testing.T) {
	t.Parallel()
	for seed := range uint64(20) {
		w := newWorld(t, 500+seed)
		for range 30 {
			w.step()
		}
		names := []string{"a.json", "b.json", "c.json"}[:1+w.random.IntN(3)]
		states := map[string][]fields{}
		want, named := map[string][]string{}, map[string]string{}
		for id, of := range w.state(w.server, w.server.Clock().Now()) {
			kind, _, _ := strings.Cut(id, " ")
			typeName := evidence.KindOf(kind).Type
			if typeName == "" || kind == evidence.Record {
				continue
			}
			entry := typeName + " " + fmt.Sprint(of["id"])
			switch kind {
			case evidence.Endpoint:
				named[entry], _, _ = strings.Cut(fmt.Sprint(of["url"]), "?")
			case evidence.Key:
				named[entry] = fmt.Sprint(of["name"])
			case evidence.Customer:
				if named[entry] = fmt.Sprint(of["name"]); of["external_id"] != nil {
					named[entry] = fmt.Sprint(of["external_id"])
				}
			}
			in := names[w.random.IntN(len(names))]
			add := func(name string) {
				states[name] = append(states[name], fields{"mode": "managed", "type": typeName,
					"values": fields{"id": of["id"]}})
			}
			switch w.random.IntN(4) {
			case 0:
				if over := of["status"] == "closed" || of["status"] == "canceled" || of["revokedAt"] != nil ||
					isPast(of["expiresAt"], w.server.Clock().Now()); !over {
					want["unmanaged"] = append(want["unmanaged"], entry)
				}
			case 1:
				add(in)
				add(names[w.random.IntN(len(names))])
				want["twice"] = append(want["twice"], entry)
			default:
				add(in)
				want["managed"] = append(want["managed"], entry)
			}
		}
		gone := fmt.Sprintf("7b0d3c1e-52f4-4a63-8c1d-%012d", seed)
		states[names[0]] = append(states[names[0]], fields{"mode": "managed", "type": "billing_customer",
			"values": fields{"id": gone}}, fields{"mode": "managed", "type": "other_thing", "values": fields{"id": "x"}})
		want["gone"] = []string{"billing_customer " + gone}
		documents := coverage.States{}
		for _, name := range names {
			documents[name] = stateOf(t, fields{"child_modules": []fields{{"resources": states[name]}}})
		}
		env := w.server.Env()
		c, err := coverage.Cover(t.Context(), func(name string) string { return env[name] }, documents, nil)
		if err != nil {
			t.Fatal(err)
		}
		for title, list := range map[string][]coverage.Covered{"managed": c.Managed, "unmanaged": c.Unmanaged,
			"twice": c.Twice, "gone": c.Gone} {
			var got []string
			for _, one := range list {
				entry := one.Type + " " + one.ID
				got = append(got, entry)
				if name := named[entry]; name != "" && one.Name != strings.Join(strings.Fields(name), " ") {
					t.Errorf("seed %d: the name of %s is %q, want %q", seed, entry, one.Name, name)
				}
			}
			slices.Sort(want[title])
			if !slices.Equal(got, want[title]) {
				t.Errorf("seed %d: %s: %v, want %v", seed, title, got, want[title])
			}
		}
		var imports bytes.Buffer
		if err := c.Imports(&imports); err != nil || strings.Count(imports.String(), "import {") != len(c.Unmanaged) {
			t.Errorf("imports: %s (%v)", imports.String(), err)
		}
		for _, one := range c.Unmanaged {
			if one.Name != "" && !strings.Contains(imports.String(), "# "+one.Name+"\nimport {") {
				t.Errorf("seed %d: no comment %q in %s", seed, one.Name, imports.String())
			}
		}
		none, err := coverage.Cover(t.Context(), func(name string) string { return env[name] }, documents,
			[]string{"* *", "billing_api_keys *"})
		if err != nil || len(none.Unmanaged) > 0 || !slices.Equal(none.IgnoresNothing, []string{"billing_api_keys *"}) {
			t.Errorf("ignored: %v, nothing: %q (%v)", none.Unmanaged, none.IgnoresNothing, err)
		}
		w.close()
	}
}

// The account of a customer is managed with it, and so are the old keys of a rotated one, unless they have a resource
// of their own.
func TestCoverageOfWhatBelongsToAnother(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	defer w.close()
	for range 30 {
		w.step()
	}
	var customer, account any
	var keys []any
	for id, of := range w.state(w.server, w.server.Clock().Now()) {
		switch kind, _, _ := strings.Cut(id, " "); kind {
		case "customer":
			customer = of["id"]
		case "account":
			account = of["id"]
		case "key":
			keys = append(keys, of["id"])
		}
	}
	env := w.server.Env()
	alone := fields{"mode": "managed", "type": "billing_customer",
		"values": fields{"id": customer, "billing_account_id": account}}
	own := fields{"mode": "managed", "type": "billing_account", "values": fields{"id": account}}
	rotated := fields{"mode": "managed", "type": "billing_api_key",
		"values": fields{"id": keys[0], "previous_keys": []fields{{"id": keys[1]}}}}
	old := fields{"mode": "managed", "type": "billing_api_key", "values": fields{"id": keys[1]}}
	for _, resources := range [][]fields{{alone}, {alone, own}, {own, alone}, {rotated}, {old, rotated}} {
		c := covered(t, env, resources)
		var text strings.Builder
		if err := c.Page().Text(&text); err != nil || len(c.Managed) != 2 ||
			!strings.HasPrefix(text.String(), fmt.Sprintf("2 managed, %d unmanaged, 0 twice, 0 gone; ", len(c.Unmanaged))) {
			t.Errorf("%v: managed %v, %s (%v)", resources, c.Managed, text.String(), err)
		}
	}
}

// covered compares a state with these resources with the organization.
func covered(t *testing.T, env map[string]string, resources []fields) *coverage.Coverage {
	t.Helper()
	c, err := coverage.Cover(t.Context(), func(name string) string { return env[name] },
		coverage.States{"a.json": stateOf(t, fields{"resources": resources})}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// What the token may not read is not gone; what it may read is gone, whatever else it may not read.
func TestCoverageOfWhatIsLeftOut(t *testing.T) {
	t.Parallel()
	record := []fields{{"mode": "managed", "type": "billing_finance_record",
		"values": fields{"id": "r", "collection": "payables"}}}
	customer := []fields{{"mode": "managed", "type": "billing_customer", "values": fields{"id": "c"}}}
	for _, c := range []struct {
		fails     string
		resources []fields
		gone      int
	}{{"records.list", record, 1}, {"finance.payables.list", record, 0}, {"customers.list", record, 1},
		{"customers.list", customer, 0}} {
		w := newWorld(t, 1)
		fault, err := sandbox.ParseFault("operation=" + c.fails + ",status=403,code=insufficient_scope,times=9")
		if err != nil {
			t.Fatal(err)
		}
		w.server.AddFault(fault)
		if got := covered(t, w.server.Env(), c.resources); len(got.Gone) != c.gone {
			t.Errorf("%s fails: gone %v, want %d", c.fails, got.Gone, c.gone)
		}
		w.close()
	}
}

// A file may have several states, and nothing else.
func TestCoverageOfSeveralStatesInAFile(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	defer w.close()
	state := func(id string) []byte {
		customer := fields{"mode": "managed", "type": "billing_customer", "values": fields{"id": id}}
		return stateOf(t, fields{"resources": []fields{customer}})
	}
	cover := func(parts ...[]byte) (*coverage.Coverage, error) {
		env := w.server.Env()
		return coverage.Cover(t.Context(), func(name string) string { return env[name] },
			coverage.States{"all.json": bytes.Join(parts, []byte("\n"))}, nil)
	}
	if c, err := cover(state("a"), state("b")); err != nil || len(c.Gone) != 2 {
		t.Errorf("%+v, %v, want both customers", c, err)
	}
	if _, err := cover(state("a"), []byte("the end")); err == nil {
		t.Error("a file with another text after the state is accepted")
	}
}

// stateOf is the JSON of a state with this root module.
func stateOf(t *testing.T, module fields) []byte {
	t.Helper()
	document, err := json.Marshal(fields{"format_version": "1.0", "values": fields{"root_module": module}})
	if err != nil {
		t.Fatal(err)
	}
	return document
}

// A managed account of a customer that was created with another one is listed with both.
func TestCoverageOfTwoAccounts(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	defer w.close()
	env := w.server.Env()
	customer := func(created bool) fields {
		return fields{"mode": "managed", "type": "billing_customer", "values": fields{"id": "c", "billing_account_id": "a",
			"create_billing_account": created}}
	}
	account := func(id string) fields {
		return fields{"mode": "managed", "type": "billing_account", "values": fields{"id": id, "customer_id": "c"}}
	}
	for name, test := range map[string]struct {
		resources []fields
		want      []coverage.TwoAccounts
	}{
		"two": {[]fields{customer(true), account("b")}, []coverage.TwoAccounts{{Customer: "c", Created: "a", Managed: "b",
			States: []string{"a.json"}}}},
		"imported": {[]fields{customer(true), account("a")}, nil},
		"none":     {[]fields{customer(false), account("b")}, nil},
	} {
		c := covered(t, env, test.resources)
		var text bytes.Buffer
		if err := c.Page().Text(&text); err != nil || !reflect.DeepEqual(c.TwoAccounts, test.want) ||
			strings.Contains(text.String(), "Two accounts") != (test.want != nil) {
			t.Errorf("%s: %v (%v)\n%s", name, c.TwoAccounts, err, text.String())
		}
	}
}

func isPast(v any, now time.Time) bool {
	at, err := time.Parse(time.RFC3339, fmt.Sprint(v))
	return err == nil && !at.After(now)
}

package subscription_test

import (
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
	"github.com/recurring-billing/terraform-provider-billing/internal/bend"
	"github.com/recurring-billing/terraform-provider-billing/internal/core"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/subscription"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// batch is the number of subscriptions of one organization.
const batch = 25

var someItems = []any{acctest.JSON{"product_id": productA, "price_id": priceA}}

// starts are the states from which an apply begins: the arguments, and what happens after the creation.
var starts = []struct {
	name  string
	set   acctest.JSON
	later acctest.JSON // a second apply
	// status is a status that no operation sets, and suspended a billing account that is suspended.
	status    string
	suspended bool
}{
	{name: "active"},
	{name: "with items", set: acctest.JSON{"items": someItems}},
	{name: "discounted", set: acctest.JSON{"discount_percent": "50"}},
	{name: "trialing", set: acctest.JSON{"trial_period_days": 14}},
	{name: "paused in its trial", set: acctest.JSON{"trial_period_days": 45, "pause": acctest.JSON{}}},
	{name: "paused", set: acctest.JSON{"pause": acctest.JSON{}}},
	{name: "paused for long", set: acctest.JSON{"pause": acctest.JSON{"resumes_at": "2026-05-20"}}},
	{name: "paused briefly", set: acctest.JSON{"pause": acctest.JSON{"resumes_at": "2026-04-01", "behavior": "void"}}},
	{name: "ending", set: acctest.JSON{"cancel_at_period_end": true}},
	{name: "paused and ending", set: acctest.JSON{"cancel_at_period_end": true, "pause": acctest.JSON{}}},
	{name: "pending", later: acctest.JSON{"plan_id": planB, "plan_change": acctest.JSON{"timing": "end_of_period"}}},
	{name: "paused and pending", set: acctest.JSON{"pause": acctest.JSON{}},
		later: acctest.JSON{"plan_id": planB, "plan_change": acctest.JSON{"timing": "end_of_period"}}},
	{name: "past due", status: "past_due"},
	{name: "suspended", status: "suspended"},
	{name: "suspended and ending", set: acctest.JSON{"cancel_at_period_end": true}, status: "suspended"},
	{name: "on a suspended account", suspended: true},
	{name: "invoiced manually", set: acctest.JSON{"collection_method": "manual_invoice"}},
	{name: "paused, invoiced manually", set: acctest.JSON{"collection_method": "manual_invoice", "pause": acctest.JSON{}}},
}

// changes are what one apply may do; nil removes an argument. destroyed removes the block.
var changes = []acctest.JSON{
	{"pause": nil},
	{"pause": acctest.JSON{}},
	{"pause": acctest.JSON{"resumes_at": "2026-04-20", "behavior": "keep_as_draft"}},
	{"plan_id": planB, "plan_change": acctest.JSON{"timing": "immediate"}},
	{"plan_id": planB, "plan_change": acctest.JSON{"timing": "end_of_period"}},
	{"plan_id": planA, "plan_change": acctest.JSON{"timing": "immediate"}},
	{"items": someItems},
	{"items": []any{}},
	{"discount_percent": "25"},
	{"discount_percent": nil},
	{"billing_cycle": "quarterly"},
	{"cancel_at_period_end": true},
	{"cancel_at_period_end": false},
	{"collection_method": "manual_invoice"},
	{"collection_method": "charge_automatically"},
	{"billing_account_id": "the other one"},
	{destroyed: true},
}

const destroyed = "destroyed"

// played is one subscription, and the apply that changes it.
type played struct {
	name     string
	start    int
	values   acctest.JSON
	changed  acctest.JSON
	id       string
	failed   bool
	warnings []string
	next     subscription.Next
	kept     bool // neither replaced nor destroyed: next is about it
	// days is the number of days between the end of the period and the next invoice. Only a copy of an organization can
	// have such a subscription.
	days int
}

// TestNext_ends: what follows for a subscription that ends with its period, with an invoice date before that end.
func TestNext_ends(t *testing.T) {
	t.Parallel()
	const end, early, late = "2026-03-10T00:00:00.000Z", "2026-03-07T00:00:00.000Z", "2026-03-20T00:00:00.000Z"
	for name, c := range map[string]struct {
		with map[string]any
		none string
	}{
		"active":                        {nil, ""},
		"paused without an end":         {map[string]any{"status": "paused", "pause": map[string]any{"behavior": "void"}}, "it ends"},
		"paused until after it ends":    {map[string]any{"status": "paused", "pause": map[string]any{"resumes_at": late}}, "it ends"},
		"paused until before it ends":   {map[string]any{"status": "paused", "pause": map[string]any{"resumes_at": early}}, ""},
		"in a trial as long as its end": {map[string]any{"status": "trialing", "trial_end": end}, "it ends"},
		"invoiced at the end":           {map[string]any{"cycle_billing_date": end}, "it ends"},
		"invoiced manually":             {map[string]any{"collection_method": "manual_invoice"}, "collection_method"},
		"canceled":                      {map[string]any{"status": "canceled"}, "it is canceled"},
	} {
		of := map[string]any{"status": "active", "current_period_end": end, "cycle_billing_date": early,
			"cancel_at_period_end": true}
		maps.Copy(of, c.with)
		n := subscription.Comes(of, of, core.Unknown, func(string) bool { return false })
		if !strings.HasPrefix(n.None, c.none) || (n.None == "") != (c.none == "") {
			t.Errorf("%s: %q, want %q", name, n.None, c.none)
		}
	}
}

// TestNext_trial: nothing is invoiced before the end of a trial. A trial that is over delays nothing, and neither does
// a configured trial that the service does not show.
func TestNext_trial(t *testing.T) {
	t.Parallel()
	const end = "2026-03-10T00:00:00.000Z"
	for _, c := range []struct {
		status, start any
		over          bool
		want          string
	}{
		{"trialing", nil, false, end}, {"paused", "2026-02-10T00:00:00.000Z", false, end},
		{"active", "2026-02-10T00:00:00.000Z", true, ""}, {"active", nil, false, ""}, {"paused", nil, false, ""},
	} {
		of := map[string]any{"status": c.status, "trial_start": c.start, "trial_end": end, "current_period_end": end,
			"cancel_at_period_end": false}
		if n := subscription.Comes(of, of, core.Unknown, func(string) bool { return c.over }); n.NotBefore != c.want {
			t.Errorf("%v: no invoice before %q, want %q", c, n.NotBefore, c.want)
		}
	}
}

// TestNext_played: what the plan says of the next invoice, its amount, the end and the pending plan comes true. Each
// row is a starting state with two to four changes in one apply; then 100 days pass. Every third organization is a
// copy, in which subscriptions are invoiced on another day than that of their period. SEED
// chooses other rows, and ROWS=3000 takes minutes.
func TestNext_played(t *testing.T) {
	t.Parallel()
	seed := uint64(1)
	if text := os.Getenv("SEED"); text != "" {
		seed, _ = strconv.ParseUint(text, 10, 64)
	}
	random := rand.New(rand.NewPCG(seed, 1)) //nolint:gosec // a test
	total, _ := strconv.Atoi(cmp.Or(os.Getenv("ROWS"), "300"))
	total = acctest.Few(total)
	t.Logf("SEED=%d ROWS=%d", seed, total)
	known, dated, said := 0, 0, 0
	for organization := range total / batch {
		rows := make([]*played, batch)
		for i := range rows {
			rows[i] = drawn(random, organization%3 == 2)
		}
		w := newWorld(t)
		w.play(rows)
		for _, r := range rows {
			for _, wrong := range w.judge(r) {
				t.Errorf("SEED=%d: %s\n%s\n%s", seed, r.name, wrong, strings.Join(r.warnings, "\n"))
			}
			if said += len(r.warnings); r.kept && r.next.None == "" {
				dated++
				if r.next.Cents != nil {
					known++
				}
			}
		}
		if w.close(); t.Failed() {
			return
		}
	}
	t.Logf("%d with a next invoice, of which %d with its amount; %d warnings", dated, known, said)
	if dated < total/10 || known == 0 {
		t.Error("too little is known")
	}
}

func drawn(random *rand.Rand, copied bool) *played {
	r := &played{start: random.IntN(len(starts)), changed: acctest.JSON{}}
	if copied {
		r.days = []int{-20, -3, 0, 10}[random.IntN(4)]
	}
	from := starts[r.start]
	r.values = acctest.JSON{"plan_id": planA,
		"deletion_policy": []string{"cancel", "abandon", "cancel_at_period_end"}[random.IntN(3)]}
	maps.Copy(r.values, from.set)
	names := []string{from.name, fmt.Sprintf("invoiced %d days later", r.days), fmt.Sprint(r.values["deletion_policy"])}
	order := random.Perm(len(changes))
	for _, i := range order[:2+random.IntN(3)] {
		maps.Copy(r.changed, changes[i])
		text, _ := json.Marshal(changes[i])
		names = append(names, string(text))
	}
	r.name = strings.Join(names, " + ")
	return r
}

// world is one organization.
type world struct {
	t         *testing.T
	service   *acctest.Service
	workspace *core.Workspace
	close     func()
	account   [3]string // of most, for a change, and one that is suspended
	// after the time has passed
	invoices      map[string][]acctest.JSON
	subscriptions map[string]acctest.JSON
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t}
	w.service, w.close = acctest.Open(t, func(o *sandbox.Options) { o.MaxPerPage = 100 })
	w.service.Serve = func() tfprotov6.ProviderServer { return provider.Server("test")() }
	w.workspace = w.service.Core()
	for i := range w.account {
		made := w.service.Must(http.MethodPost, "/v1/customers", acctest.JSON{"name": "Ana"})
		w.account[i], _ = made["billing_account"].(acctest.JSON)["id"].(string)
	}
	return w
}

func addressOf(i int) string { return fmt.Sprintf("billing_subscription.s%d", i) }

func (w *world) configuration(rows []*played, values func(*played) acctest.JSON) (c core.Configuration) {
	for i, r := range rows {
		of := values(r)
		if of[destroyed] != nil {
			continue
		}
		of = maps.Clone(of)
		maps.DeleteFunc(of, func(_ string, v any) bool { return v == nil })
		switch {
		case of["billing_account_id"] != nil:
			of["billing_account_id"] = w.account[1]
		case starts[r.start].suspended:
			of["billing_account_id"] = w.account[2]
		default:
			of["billing_account_id"] = w.account[0]
		}
		c.Blocks = append(c.Blocks, core.Block{Address: addressOf(i), Values: of})
	}
	return c
}

func (w *world) apply(plan *core.Plan) {
	w.t.Helper()
	if len(plan.Errors) > 0 {
		w.t.Fatal(plan.Errors)
	}
	if done := w.workspace.Apply(plan, false); len(done.Errors) > 0 {
		w.t.Fatal(done.Errors)
	}
}

// play brings the subscriptions to their starting states, applies the changes, and lets 100 days pass.
func (w *world) play(rows []*played) {
	w.t.Helper()
	before := func(r *played) acctest.JSON { return r.values }
	w.apply(w.workspace.Plan(w.configuration(rows, before)))
	var later []string
	for i, r := range rows {
		r.id, _ = w.workspace.State(addressOf(i))["id"].(string)
		if maps.Copy(r.values, starts[r.start].later); starts[r.start].later != nil {
			later = append(later, addressOf(i))
		}
		if status := starts[r.start].status; status != "" {
			w.become(r.id, status)
		}
	}
	w.service.Must(http.MethodPost, "/v1/billing-accounts/"+w.account[2]+"/suspend", acctest.JSON{})
	pending := w.configuration(rows, before)
	pending.Target = later
	w.apply(w.workspace.Plan(pending))
	w.move(rows)
	after := func(r *played) acctest.JSON {
		changed := maps.Clone(r.values)
		maps.Copy(changed, r.changed)
		return changed
	}
	plan := w.workspace.Plan(w.configuration(rows, after))
	for i, r := range rows {
		r.failed = slices.ContainsFunc(plan.Errors, func(text string) bool {
			return strings.HasPrefix(text, addressOf(i)+":")
		})
	}
	now := w.service.Sandbox.Clock().Now()
	plan.Errors = nil // what is rejected stays as it was; to plan the others again takes long
	w.apply(plan)
	for i, r := range rows {
		for _, text := range plan.Warnings {
			if strings.HasPrefix(text, addressOf(i)+":") {
				r.warnings = append(r.warnings, text)
			}
		}
		change := plan.Of(addressOf(i))
		if change == nil {
			continue
		}
		if r.kept = change.Action == core.Update || change.Action == core.NoOp; r.kept {
			r.next = subscription.Comes(change.Before, change.After, core.Unknown, func(date string) bool {
				at, ok := moment(date)
				return ok && !at.After(now)
			})
		}
	}
	w.service.Sandbox.Clock().Advance(100 * 24 * time.Hour)
	w.subscriptions, w.invoices = map[string]acctest.JSON{}, map[string][]acctest.JSON{}
	for _, s := range w.service.All("/v1/subscriptions") {
		w.subscriptions[s["id"].(string)] = s
	}
	for _, i := range w.service.All("/v1/invoices") {
		if i["status"] == "open" {
			of, _ := i["subscription_id"].(string)
			w.invoices[of] = append(w.invoices[of], i)
		}
	}
	for _, invoices := range w.invoices {
		slices.SortFunc(invoices, func(a, b acctest.JSON) int {
			return strings.Compare(a["created_at"].(string), b["created_at"].(string))
		})
	}
}

// move replaces the organization by a copy, in which the next invoices are due on other days, if a row needs that.
func (w *world) move(rows []*played) {
	w.t.Helper()
	days := map[any]int{}
	for _, r := range rows {
		if r.days != 0 {
			days[r.id] = r.days
		}
	}
	if len(days) == 0 {
		return
	}
	w.service.Sandbox.Bend(bend.Rule{Do: bend.Data(func(s acctest.JSON) {
		if due, isDate := moment(fmt.Sprint(s["cycle_billing_date"])); isDate {
			s["cycle_billing_date"] = due.AddDate(0, 0, days[s["id"]]).Format(time.RFC3339Nano)
		}
	})})
	copied, end, err := w.service.OpenCopy(nil, func(o *sandbox.Options) { o.MaxPerPage = 100 })
	if err != nil {
		w.t.Fatal(err)
	}
	copied.Serve = w.service.Serve
	closed := w.close
	w.close = func() { end(); closed() }
	*w.service = *copied
}

// become sets the status of a subscription, as a failed payment or the service's operator does.
func (w *world) become(id, status string) {
	w.t.Helper()
	pem, _ := os.ReadFile(w.service.CAFile)
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(pem)
	client := http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots},
		DisableKeepAlives: true}}
	body := fmt.Sprintf(`{"status":%q,"force":%t}`, status, status != "past_due")
	req, err := http.NewRequest(http.MethodPost, w.service.Sandbox.ControlURL()+"/subscriptions/"+id,
		strings.NewReader(body))
	if err != nil {
		w.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+w.service.Sandbox.ControlToken())
	req.Header.Set("Content-Type", "application/json")
	resp, err := client.Do(req)
	if err != nil || resp.StatusCode != http.StatusOK {
		w.t.Fatal(resp, err)
	}
	resp.Body.Close()
}

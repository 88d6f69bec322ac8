package rehearsal_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
	"github.com/recurring-billing/terraform-provider-billing/internal/rehearsal"
	"github.com/recurring-billing/terraform-provider-billing/internal/rehearsal/forecast"
	"github.com/recurring-billing/terraform-provider-billing/internal/rehearsal/internal/money"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/amounts"
)

var applies = flag.Int("applies", 3, "how many random changes of random configurations are rehearsed and applied")

// random is a configuration of subscriptions that is drawn from a seed.
type random struct {
	*rand.Rand
	blocks []string
}

// lines are the arguments of the n-th subscription that decide what it costs, and when. Every third one has no plan, as
// one that gets or loses its plan at the end of a period is rejected.
func (r *random) lines(n int) string {
	text := ""
	if n%3 > 0 {
		text += fmt.Sprintf("  plan_id = %q\n  plan_change = { timing = %q }\n", r.of(gold, silver),
			r.of("immediate", "immediate", "end_of_period"))
	}
	if text == "" || r.IntN(3) == 0 {
		text += fmt.Sprintf("  items = [{ product_id = %q, price_id = %q, quantity = %d%s }]\n",
			"31111111-1111-4111-8111-111111111111", "41111111-1111-4111-8111-111111111111", 1+r.IntN(2),
			r.of("", "", ", unit_amount_subcents = 105012"))
	} else {
		text += "  items = []\n"
	}
	text += r.of("", "", "", "", "", "  discount_percent = \"10\"\n", "  discount_percent = \"12.50\"\n")
	text += r.of("", "", "", "", "", "", "  billing_cycle = \"monthly\"\n", "  billing_cycle = \"quarterly\"\n")
	return text + r.of("", "", "", "", "  cancel_at_period_end = true\n")
}

func (r *random) of(texts ...string) string { return texts[r.IntN(len(texts))] }

func (r *random) configuration() string {
	text := "terraform {\n  required_providers {\n    billing = { source = \"recurring-billing/billing\" }\n  }\n}\n" + `
resource "billing_customer" "c" {
  name                   = "Aurora"
  create_billing_account = false
}
resource "billing_account" "a" {
  customer_id = billing_customer.c.id
}
`
	for i, lines := range r.blocks {
		if lines != "" {
			text += fmt.Sprintf("resource \"billing_subscription\" \"s%d\" {\n  billing_account_id = billing_account.a.id\n"+
				"  external_id = \"s-%d\"\n%s}\n", i, i, lines)
		}
	}
	return text
}

// What a forecast and a rehearsal say of a random change is what the service invoices after it, or they say that it is
// not known; and the plan of the copy is that of the service.
func TestForecastComesTrue(t *testing.T) {
	for n := range uint64(*applies) {
		seed := *seed - 1 + n
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			forecastComesTrue(t, seed)
		})
	}
}

func forecastComesTrue(t *testing.T, seed uint64) {
	t.Helper()
	r := &random{Rand: rand.New(rand.NewPCG(seed, 33))}
	service := acctest.Start(t, func(o *sandbox.Options) {
		o.Arithmetic = amounts.Arithmetic{Rounding: amounts.Rounding(r.IntN(5)), PerLine: r.IntN(3) == 0,
			Twice: r.IntN(3) == 0, Gross: r.IntN(3) == 0}
		if r.IntN(2) == 0 {
			o.SeedDocument = []byte(catalogued)
		}
	})
	service.NeedsSandbox("it plays the service")
	i := &infrastructure{Terraform: acctest.NewTerraform(t).At(service), t: t, service: service.Sandbox}
	i.folder = i.Dir
	for n := range 18 {
		r.blocks = append(r.blocks, r.lines(n))
	}
	i.Write("main.tf", r.configuration())
	i.run("apply", "-auto-approve", "-input=false", "-no-color")
	i.service.Clock().Advance(time.Duration(r.IntN(30*24)) * time.Hour)
	for n := range r.blocks {
		switch r.IntN(5) {
		case 0:
			r.blocks[n] = ""
		case 1, 2:
			r.blocks[n] = r.lines(n)
		}
	}
	for range 6 {
		r.blocks = append(r.blocks, r.lines(len(r.blocks)))
	}
	i.Write("main.tf", r.configuration())
	i.run("apply", "-refresh-only", "-auto-approve", "-input=false", "-no-color")
	if out, err := i.inFolder("plan", "-input=false", "-no-color", "-out=p.tfplan").CombinedOutput(); err != nil {
		t.Fatalf("seed %d: %s", seed, out)
	}
	document, err := i.inFolder("show", "-json", "p.tfplan").Output()
	if err != nil {
		t.Fatal(err)
	}
	expected, err := forecast.Read(document, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	report, err := i.rehearse(t.Context(), rehearsal.Options{Days: 200})
	if err != nil {
		t.Fatal(err)
	}
	before, since := len(i.service.Requests()), i.service.Clock().Now()
	applied, err := i.inFolder("apply", "-input=false", "-no-color", "p.tfplan").CombinedOutput()
	if refused := report.Result == rehearsal.Refused; refused != (err != nil) {
		t.Fatalf("rehearsed %s %+v, and really: %s", report.Result, report.Refused, applied)
	}
	writes := 0
	for _, q := range i.service.Requests()[before:] {
		if q.Method != "GET" {
			writes++
		}
	}
	if writes != len(report.Sent) {
		t.Errorf("rehearsed %d requests, really sent %d", len(report.Sent), writes)
	}
	i.service.Clock().Advance(200 * 24 * time.Hour)
	w := &world{t: t}
	states := w.state(i.service, since)
	months := map[string]int64{}
	last := map[string]fields{} // invoices by external_id
	for id, of := range states {
		if !strings.HasPrefix(id, "invoice ") || of["status"] != "open" {
			continue
		}
		months[fmt.Sprint(of["created_at"])[:7]] += centsOf(t, of)
		subscription := states["subscription "+fmt.Sprint(of["subscription_id"])]
		name := fmt.Sprint(subscription["external_id"], subscription["canceled_at"] != nil)
		if other := last[name]; other == nil || fmt.Sprint(other["created_at"]) < fmt.Sprint(of["created_at"]) {
			last[name] = of
		}
	}
	rehearsed := map[string]*money.Price{}
	for _, one := range report.Differences.Subscriptions {
		rehearsed[one.Name] = one.With
	}
	var counts tally
	for _, one := range expected.Subscriptions {
		invoiced := last[one.Name+"false"]
		switch {
		case one.With == nil && invoiced != nil:
			t.Errorf("seed %d: %s was forecast to end, and is invoiced: %v", seed, one.Name, invoiced)
		case one.With == nil || invoiced == nil: // or billed by hand, or ended
		case !counts.judge(one.With.Money, centsOf(t, invoiced)):
			t.Errorf("seed %d: %s was forecast to cost %+v, and is invoiced %v", seed, one.Name, *one.With, invoiced)
		}
		if also := rehearsed[one.Name]; also != nil && one.With != nil && also.Known && one.With.Known &&
			also.Estimated+one.With.Estimated == 0 && also.Cents != one.With.Cents {
			t.Errorf("seed %d: %s is forecast as %+v, and rehearsed as %+v", seed, one.Name, *one.With, *also)
		}
	}
	for _, m := range report.Differences.Months {
		if !new(tally).judge(m.With, months[m.Month]) {
			t.Errorf("seed %d: %s was rehearsed as %+v, and %d is invoiced", seed, m.Month, m.With, months[m.Month])
		}
	}
	t.Logf("seed %d: %+v amounts of the forecast; %d requests", seed, counts, writes)
}

func centsOf(t *testing.T, invoice fields) (cents int64) {
	t.Helper()
	if _, err := fmt.Sscan(fmt.Sprint(invoice["amount_cents"]), &cents); err != nil {
		t.Fatal(err)
	}
	return cents
}

// inFolder is a run of Terraform in the folder of the configuration.
func (i *infrastructure) inFolder(arguments ...string) *exec.Cmd {
	command := i.Command(arguments...)
	command.Dir = filepath.Clean(i.folder)
	return command
}

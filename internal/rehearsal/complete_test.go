package rehearsal_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/copier"
	"github.com/recurring-billing/terraform-provider-billing/internal/evidence"
	"github.com/recurring-billing/terraform-provider-billing/internal/rehearsal"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// copyOf copies the service, as "billing-sandbox copy" does.
func (i *infrastructure) copyOf(o copier.Options) []byte {
	i.t.Helper()
	source, err := copier.FromEnvironment(func(name string) string { return i.Env[name] }, nil, nil)
	if err != nil {
		i.t.Fatal(err)
	}
	var out bytes.Buffer
	if _, err := copier.Copy(i.t.Context(), source, o, &out); err != nil {
		i.t.Fatal(err)
	}
	return out.Bytes()
}

// What data sources read is copied, so that they make no difference. A file that lacks it is rejected by name.
func TestDataSourcesOfRehearsals(t *testing.T) {
	i := newApplied(t, teams(2, nil))
	for range 70 {
		i.service.Clock().Advance(24 * time.Hour)
	}
	i.Write("infra/more.tf", `
data "billing_invoices" "all" {}
data "billing_finance_payables" "all" {}
data "billing_records" "plans" { collection = "plans" }
resource "billing_customer" "report" {
  name  = "report"
  notes = "${length(data.billing_invoices.all.invoices)} invoices"
  tags  = ["${length(data.billing_finance_payables.all.items)} payables"]
}
`)
	i.run("apply", "-auto-approve", "-input=false")
	if report, err := i.rehearse(t.Context(), rehearsal.Options{Days: 1}); err != nil ||
		report.Result != rehearsal.Applied ||
		len(report.Sent) != 0 {
		t.Errorf("%v %+v", err, report)
	}
	_, err := i.rehearse(t.Context(), rehearsal.Options{Days: 1, Copy: i.copyOf(copier.Options{})})
	if want := "reads billing/invoices,payables, which the copy does not have: write it again with --collections " +
		"billing/invoices,payables"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
	whole := i.copyOf(copier.Options{Collections: []string{"billing/invoices", "payables"}})
	if report, err := i.rehearse(t.Context(), rehearsal.Options{Days: 1, Copy: whole}); err != nil ||
		len(report.Sent) != 0 {
		t.Errorf("%v %+v", err, report)
	}
	i.Write("infra/more.tf", "data \"billing_records\" \"none\" {\n  collection = \"nothings\"\n}\n")
	if report, err := i.rehearse(t.Context(), rehearsal.Options{Days: 1}); err != nil ||
		report.Result != rehearsal.Refused {
		t.Errorf("a collection that the service does not have: %v %+v", err, report)
	}
	i.Write("infra/more.tf", hooks+"data \"billing_webhook_deliveries\" \"all\" {\n  endpoint_id = "+
		"billing_webhook_endpoint.hooks.id\n}\n")
	i.run("apply", "-auto-approve", "-input=false")
	if _, err := i.rehearse(t.Context(), rehearsal.Options{Days: 1}); err == nil || !strings.Contains(err.Error(),
		"reads deliveries of webhooks") {
		t.Errorf("deliveries: %v", err)
	}
}

// A copy says what it knows in its own name: a plan that no list has may exist at the service, a state can be newer
// than the copy, or that of another organization.
func TestWhatACopyKnows(t *testing.T) {
	i := newApplied(t, teams(1, nil))
	early := i.copyOf(copier.Options{})
	hidden := "33333333-3333-4333-8333-333333333333"
	i.Write("infra/main.tf", teams(1, func(int) string { return "  name = \"team-0\"\n  plan = \"" + hidden + "\"\n" }))
	report, err := i.rehearse(t.Context(), rehearsal.Options{Days: 1})
	if err != nil || report.Result != rehearsal.Applied || len(report.Sent) != 1 {
		t.Errorf("%v %+v", err, report)
	}
	i.service.Clock().Advance(time.Hour)
	i.Write("infra/main.tf", teams(1, nil)+customer("new", "new")+`
ephemeral "billing_api_key" "short" {
  name   = "short"
  scopes = ["webhook_endpoints:*"]
}
`)
	i.run("apply", "-auto-approve", "-input=false")
	report, err = i.rehearse(t.Context(), rehearsal.Options{Days: 1, Copy: early})
	if err != nil || !strings.Contains(report.Stale, "The state is newer than the copy") {
		t.Errorf("%v %+v", err, report)
	}
	report, err = i.rehearse(t.Context(), rehearsal.Options{Days: 1})
	if err != nil || report.Stale != "" || report.Incomplete {
		t.Fatalf("%v %+v", err, report)
	}
	begins := 0
	for _, o := range report.Differences.Occurrences {
		if o.Kind == evidence.Key && o.What.Verb == "begins" {
			begins++
		}
	}
	if begins != 1 || len(report.Sent) != 2 { // created and revoked by the apply
		t.Errorf("the key begins %d times: %+v", begins, report)
	}
	theirs, err := i.service.NewOrganization(sandbox.Organization{Name: "Theirs"})
	if err != nil {
		t.Fatal(err)
	}
	if i.Env["BILLING_TOKEN"], err = i.service.NewToken(sandbox.Token{Organization: theirs.ID}); err != nil {
		t.Fatal(err)
	}
	if _, err = i.rehearse(t.Context(), rehearsal.Options{Days: 1}); err == nil ||
		!strings.Contains(err.Error(), "the state is that of organization") {
		t.Errorf("another organization: %v", err)
	}
}

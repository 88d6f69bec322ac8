package rehearsal_test

import (
	"strings"
	"testing"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/rehearsal"
	"github.com/recurring-billing/terraform-provider-billing/internal/rehearsal/internal/money"
)

// A condition holds by what is known, and also where what is not known may decide it.
func TestVerdict(t *testing.T) {
	t.Parallel()
	price := func(cents int64, cycle, currency string) *money.Price {
		return &money.Price{Money: money.Exactly(cents), Cycle: cycle, Currency: currency}
	}
	unknown := &money.Price{Money: money.Money{Unknown: 1}, Cycle: "monthly", Currency: "BRL"}
	what := func(kind string, verb rehearsal.Verb, with bool) rehearsal.Occurrence {
		return rehearsal.Occurrence{Kind: kind, What: rehearsal.What{Verb: verb}, With: with}
	}
	brl := rehearsal.Report{Differences: rehearsal.Differences{Subscriptions: []money.Amounts{
		{Without: price(12000, "monthly", "BRL"), With: price(9000, "quarterly", "BRL")}, // -90 a month
		{Without: price(1200, "annual", "BRL")}, {With: price(600, "semiannual", "BRL")}},
		Occurrences: []rehearsal.Occurrence{what("subscription", "ends", true), what("subscription", "ends", false),
			what("key", "ends", true), what("subscription", "begins", true), what("subscription", "is paused", true)}},
		Refused: []rehearsal.Diagnostic{{}}, LeftOut: []string{"a", "b"}, Later: []rehearsal.Later{{}}}
	missing := brl
	missing.Differences.Subscriptions = append([]money.Amounts{{Without: unknown, With: unknown}},
		brl.Differences.Subscriptions...)
	several := rehearsal.Report{Differences: rehearsal.Differences{Subscriptions: []money.Amounts{
		{With: price(100, "monthly", "BRL")}, {With: price(200, "monthly", "USD")}}}}
	for _, c := range []struct {
		of        rehearsal.Report
		condition string
		want      string // the value of one that holds, or an error; "" for one that does not hold
	}{
		{brl, "monthly < -50", "-90"}, {brl, "monthly < -90", ""}, {brl, "monthly <= -90", "-90"}, {brl, "monthly.BRL<-1.5", "-90"},
		{brl, "monthly.USD != 0", ""}, {brl, "ends = 1", "1"}, {brl, "ends > 1", ""}, {brl, "begins >= 1", "1"},
		{brl, "pauses != 0", "1"}, {brl, "refused > 0", "1"}, {brl, "left_out > 1", "2"}, {brl, "later > 0", "1"},
		{brl, "not_known > 0", ""}, {missing, "monthly > 1000", "-90 + 2 not known"}, {missing, "not_known > 0", "2"},
		{several, "monthly > 0", "write monthly.BRL or monthly.USD"}, {several, "monthly.USD > 1.99", "2"},
		{brl, "yearly > 0", `"yearly" is not a name of a condition`}, {brl, "monthly", "is not a condition"},
		{brl, "monthly > x", "is not a condition"}, {brl, "ends.BRL > 0", "is not a condition"},
	} {
		got := ""
		parsed, err := rehearsal.ParseCondition(c.condition)
		if err == nil {
			err = c.of.Judge([]rehearsal.Condition{parsed})
		}
		switch {
		case err != nil:
			got = err.Error()
		case len(c.of.FailedOn) > 0:
			got = c.of.FailedOn[0].Value
		}
		if got != c.want && (c.want == "" || !strings.Contains(got, c.want)) {
			t.Errorf("%s: %q, want %q", c.condition, got, c.want)
		}
	}
}

// What is scheduled for after the last day is in the first line and in a part of its own.
func TestRehearsalOfLater(t *testing.T) {
	i := newApplied(t, teams(2, nil))
	i.Write("modules/team/main.tf", strings.Replace(team, "plan_change        = { timing = var.timing }",
		"plan_change        = { timing = var.timing }\n  cancel_at_period_end = var.name == \"team-0\"", 1))
	report, err := i.rehearse(t.Context(), rehearsal.Options{Days: 3})
	if err != nil {
		t.Fatal(err)
	}
	if len(report.Later) != 1 || report.Later[0].What != "ends" || !report.Later[0].With || report.Later[0].Price == nil ||
		report.Later[0].At.Before(report.Until) {
		t.Fatalf("%+v", report.Later)
	}
	text := written(t, report)
	day := report.Later[0].At.Format(time.DateOnly)
	if !strings.HasPrefix(text, "1 scheduled for later\n") || !strings.Contains(text, "\nAfter "+
		report.Until.Format(time.DateOnly)+"\n  "+day+"  subscription \"team-0\" ends (") {
		t.Error(text)
	}
}

package rehearsal_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/rehearsal"
	"github.com/recurring-billing/terraform-provider-billing/internal/rehearsal/internal/money"
)

var ends = rehearsal.What{Verb: "ends"}

// hostile is a name that would break out of a table, mention somebody or add HTML.
const hostile = "a|b <img src=x> @team `c` [d](e) *f*\n# g"

func report() *rehearsal.Report {
	at := time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)
	return &rehearsal.Report{
		Result: rehearsal.Applied, Organization: "Padaria Aurora", From: at, Until: at.AddDate(0, 0, 90),
		Plan: rehearsal.Counts{Change: 1, Billing: 1},
		Sent: []rehearsal.Sent{{Verb: "update", Object: "customer \"" + hostile + "\"", Arguments: []string{"name"},
			Status: 200}},
		Differences: rehearsal.Differences{
			Months: []rehearsal.Month{
				{Month: "2026-02", Currency: "BRL", Without: money.Money{Cents: 79_201_050, Known: true},
					With: money.Money{Cents: 5, Known: true, Estimated: 1}, Difference: money.Money{Cents: -79_201_045,
						Known: true}},
				{Month: "2026-03", Currency: "BRL", Days: "1-15", Without: money.Money{Known: true},
					With: money.Money{Cents: 7, Unknown: 3}, Difference: money.Money{Unknown: 1}}},
			Subscriptions: []money.Amounts{{Name: "aurora",
				Without:    &money.Price{Money: money.Money{Cents: 1050, Known: true}, Cycle: "monthly", Currency: "BRL"},
				Difference: &money.Price{Money: money.Money{Cents: -1050, Known: true}, Cycle: "monthly", Currency: "BRL"}},
				{Name: "brisa", Without: &money.Price{Money: money.Money{Cents: 100, Known: true}, Cycle: "monthly", Currency: "BRL"},
					With: &money.Price{Money: money.Money{Cents: 1200, Known: true}, Cycle: "annual", Currency: "BRL"}}},
			Occurrences: []rehearsal.Occurrence{{At: at, Object: "subscription \"aurora\"", Kind: "subscription",
				What: ends, With: true}, {Object: "key \"k\"", Kind: "key", What: ends}},
			Events: []rehearsal.Event{{Event: "api_key.rotated", Endpoint: "https://hooks.example.com", With: 1}},
		},
		Assumed: []string{"That 1 subscription goes on."}, NotKnown: []string{"What discount codes are worth."},
	}
}

// The report names amounts exactly, and what is not known.
func TestReportText(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	if err := report().Page().Text(&out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"-BRL 10.50 a month; 1 subscription with another cycle or currency; 1 subscription ends today\n" +
			"Rehearsed on a copy of Padaria Aurora of 2026-01-31T12:00:00Z. Plan: 0 to add, 1 to change, 0 to destroy. " +
			"Applied with 1 request, and the next plan is empty.\n",
		"  Month           Without         With                      Difference\n  2026-02         BRL 792,010.50  ≈ BRL 0.05                -BRL 792,010.45\n",
		"2026-03 (1-15)  BRL 0.00        BRL 0.07 + 3 not known    not known\n",
		"total           BRL 792,010.50  ≈ BRL 0.12 + 3 not known  -BRL 792,010.45 + 1 not known\n",
		"aurora        BRL 10.50 monthly  –                 -BRL 10.50\n",
		"brisa         BRL 1.00 monthly   BRL 12.00 annual  another cycle or currency\n",
		"  2026-01-31  subscription \"aurora\" ends\n  no longer: key \"k\" ends\n",
		"api_key.rotated  https://hooks.example.com  0        1\n", "Assumed\n  That 1 subscription goes on.\n",
		"Not known\n  What discount codes are worth.\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in\n%s", want, out.String())
		}
	}
	if lines := strings.Count(out.String(), "\n"); lines > 40 {
		t.Errorf("%d lines do not fit on a screen", lines)
	}
}

// No name breaks a table, mentions anybody or adds HTML to a comment on a pull request.
func TestReportMarkdown(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	if err := report().Page().Markdown(&out); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(out.String()) {
		if strings.Contains(line, "img src") && (strings.Contains(line, "<img") || strings.Contains(line, "@team") ||
			strings.Count(strings.ReplaceAll(line, `\|`, ""), "|") != 5) {
			t.Errorf("the name breaks out of its cell: %s", line)
		}
		if strings.HasPrefix(line, "# ") {
			t.Errorf("the name makes a title: %s", line)
		}
	}
	if strings.Contains(out.String(), " more\n") {
		t.Errorf("a short report leaves something out: %s", out.String())
	}
}

// Lists are lists in JSON, also where they are empty.
func TestReportJSON(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	err := (&rehearsal.Report{Result: rehearsal.Applied}).Page().JSON(&out)
	if err != nil || strings.Contains(out.String(), "null") {
		t.Errorf("%s (%v)", out.String(), err)
	}
}

// A report is a comment of at most 60,000 bytes. Amounts, refusals and what is not known stay whole.
func TestLongMarkdown(t *testing.T) {
	t.Parallel()
	r := report()
	for n := range 2000 {
		r.Sent = append(r.Sent, rehearsal.Sent{Verb: "create", Object: fmt.Sprintf("customer %q", fmt.Sprint("customer ",
			n))})
	}
	for n := range 200 {
		r.NotKnown = append(r.NotKnown, fmt.Sprintf("sentence %d", n))
	}
	var out bytes.Buffer
	if err := r.Page().Markdown(&out); err != nil {
		t.Fatal(err)
	}
	text := out.String()
	if len(text) > 60_000 || !strings.Contains(text, "and 1") || !strings.Contains(text, "sentence 199") ||
		!strings.Contains(text, "792,010.50") {
		t.Errorf("%d bytes: %s", len(text), text[:2000])
	}
}

// The first line says in words what is not known.
func TestHeadline(t *testing.T) {
	t.Parallel()
	price := func(m money.Money, cycle string) *money.Price {
		return &money.Price{Money: m, Cycle: cycle, Currency: "BRL"}
	}
	at := time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)
	key := func(days int) rehearsal.Occurrence {
		return rehearsal.Occurrence{At: at.AddDate(0, 0, days), Kind: "key", Object: "API key \"k\"", What: ends, With: true}
	}
	for want, of := range map[string]rehearsal.Report{
		"No difference in what is billed until 2026-04-30": {Result: rehearsal.Applied},
		"1 object created; no difference in what is billed until 2026-04-30": {Result: rehearsal.Applied,
			Sent: []rehearsal.Sent{{Verb: "create", Status: 201}, {Verb: "create", Status: 422}, {Verb: "update", Status: 200}}},
		"Refused": {Result: rehearsal.Refused},
		"the price of 2 subscriptions is not known": {Differences: rehearsal.Differences{Subscriptions: []money.Amounts{
			{Difference: price(money.Money{Unknown: 1}, "monthly")}, {Difference: price(money.Money{Unknown: 1}, "monthly")}}}},
		"+BRL 10.00 + 1 not known a month; -BRL 0.05 a year; 1 key ends on 10 February": {Differences: rehearsal.Differences{
			Subscriptions: []money.Amounts{{Difference: price(money.Money{Cents: -5, Known: true}, "annual")},
				{Difference: price(money.Money{Cents: 1000, Known: true}, "monthly")},
				{Difference: price(money.Money{Unknown: 1}, "monthly")}},
			Occurrences: []rehearsal.Occurrence{key(10)}}},
		"1 subscription is paused today; 1 billing account is suspended today": {Differences: rehearsal.Differences{
			Occurrences: []rehearsal.Occurrence{{At: at, Kind: "account", Object: `billing account "a"`, What: rehearsal.What{Verb: "is suspended"}, With: true},
				{At: at, Kind: "subscription", Object: `subscription "s"`, What: rehearsal.What{Verb: "is paused"}, With: true},
				{At: at, Kind: "account", Object: `billing account "b"`, What: rehearsal.What{Verb: "is closed"}}}}},
		"2 keys end": {Differences: rehearsal.Differences{Occurrences: []rehearsal.Occurrence{key(10), key(11)}}},
	} {
		of.Until = at.AddDate(0, 0, 89)
		if of.From = at; of.Result == "" {
			of.Result = rehearsal.Applied
		}
		var out strings.Builder
		if err := of.Page().Text(&out); err != nil {
			t.Fatal(err)
		}
		if got, _, _ := strings.Cut(out.String(), "\n"); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

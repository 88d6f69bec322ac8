package subscription_test

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
)

func moment(text string) (time.Time, bool) {
	for _, layout := range []string{time.RFC3339Nano, time.DateOnly} {
		if at, err := time.Parse(layout, text); err == nil {
			return at, true
		}
	}
	return time.Time{}, false
}

func sameTime(a, b any) bool {
	one, ok := moment(fmt.Sprint(a))
	other, known := moment(fmt.Sprint(b))
	return ok && known && one.Equal(other)
}

// judge compares what was said with what has happened, and returns the differences.
func (w *world) judge(r *played) (wrong []string) {
	if r.failed {
		return nil
	}
	report := func(format string, of ...any) { wrong = append(wrong, fmt.Sprintf(format, of...)) }
	now, invoices := w.subscriptions[r.id], w.invoices[r.id]
	if r.kept {
		judgeNext(r, now, invoices, report)
	}
	for _, text := range r.warnings {
		judgeText(text, r, now, invoices, report)
	}
	pausedBefore, paused := r.values["pause"] != nil, r.changed["pause"]
	_, changesPause := r.changed["pause"]
	if r.kept && pausedBefore && changesPause && paused == nil && !says(r.warnings, "is resumed") {
		report("nothing is said about the end of the pause")
	}
	if r.kept && r.next.Plan != "" && r.values["plan_id"] == planA && now["plan_id"] != r.next.Plan && !stopped(now) &&
		!says(r.warnings, "ends before its pending plan starts") {
		report("nothing is said about a plan that never starts")
	}
	return wrong
}

// stopped reports whether a subscription has a status without documented changes: at the sandbox, nothing happens.
func stopped(now acctest.JSON) bool { return now["status"] == "suspended" }

func says(all []string, part string) bool {
	return slices.ContainsFunc(all, func(text string) bool { return strings.Contains(text, part) })
}

func judgeNext(r *played, now acctest.JSON, invoices []acctest.JSON, report func(string, ...any)) {
	n := r.next
	switch {
	case n.None != "":
		if len(invoices) > 0 {
			report("no invoice was to come (%s): %v", n.None, invoices[0])
		}
	case n.Invoice != "":
		if len(invoices) == 0 || !sameTime(invoices[0]["created_at"], n.Invoice) {
			report("an invoice was to come on %s: %v", n.Invoice, invoices)
		} else if n.Cents != nil && !starts[r.start].suspended &&
			fmt.Sprint(invoices[0]["amount_cents"]) != fmt.Sprint(*n.Cents) {
			report("an invoice over %d was to come: %v", *n.Cents, invoices[0])
		}
	case n.NotBefore != "" && len(invoices) > 0:
		first, _ := moment(fmt.Sprint(invoices[0]["created_at"]))
		if least, _ := moment(n.NotBefore); first.Before(least) {
			report("no invoice was to come before %s: %v", n.NotBefore, invoices[0])
		}
	}
	if n.Ends != (now["status"] == "canceled") && !stopped(now) || n.End != "" && !sameTime(now["canceled_at"], n.End) {
		report("ends: %v at %q, and it is %v at %v", n.Ends, n.End, now["status"], now["canceled_at"])
	}
	if n.Paused && n.Resumes == "" && !n.Ends && now["status"] != "paused" {
		report("it was to stay paused, and is %v", now["status"])
	}
}

var (
	nextSaid   = regexp.MustCompile(`[Nn]ext invoice: (\d\S*?)(?:;|,)`)
	amountSaid = regexp.MustCompile(`[Nn]ext invoice: \d.*?recurring amount: ([A-Z]{3} )?(-?[0-9.]+\d)(?:, billing cycle (\w+))?`)
	endSaid    = regexp.MustCompile(`(?:ends with its period \(|ends with this one \(|It ends at )(\d[^)\s]*Z)`)
)

// judgeText checks the words of a warning.
func judgeText(text string, r *played, now acctest.JSON, invoices []acctest.JSON, report func(string, ...any)) {
	if strings.Contains(text, "the next invoice would be") || strings.Contains(text, "billed again as a new one") {
		if now["status"] != "canceled" || len(invoices) > 0 {
			report("it goes on: %v", now["status"])
		}
		return
	}
	none := strings.Contains(text, "No invoice follows") || strings.Contains(text, "No further period is charged")
	if none && len(invoices) > 0 {
		report("%s\nbut %v", text, invoices[0])
	}
	if strings.Contains(text, "and charged again") && len(invoices) == 0 && !strings.Contains(text, "quarterly") &&
		r.changed["billing_cycle"] == nil {
		report("%s\nbut there is no invoice", text)
	}
	if starts[r.start].suspended && r.changed["billing_account_id"] == nil && nextSaid.MatchString(text) {
		report("%s\nbut nothing is known of the invoices of a suspended account", text)
	}
	if found := nextSaid.FindStringSubmatch(text); found != nil &&
		(len(invoices) == 0 || !sameTime(found[1], invoices[0]["created_at"])) {
		report("%s\nbut %v", text, invoices)
	}
	if found := amountSaid.FindStringSubmatch(text); found != nil {
		cents, _ := strconv.Atoi(strings.ReplaceAll(found[2], ".", ""))
		if len(invoices) == 0 || found[1] != "BRL " || fmt.Sprint(invoices[0]["amount_cents"]) != strconv.Itoa(cents) ||
			found[3] != now["billing_cycle"] {
			report("%s\nbut %v, %v", text, invoices, now["billing_cycle"])
		}
	}
	if found := endSaid.FindStringSubmatch(text); found != nil && !sameTime(found[1], now["canceled_at"]) {
		report("%s\nbut canceled at %v", text, now["canceled_at"])
	}
	switch {
	case strings.Contains(text, "is paused without an end") && now["status"] != "paused",
		strings.Contains(text, "is paused until it ends") && now["status"] != "canceled",
		strings.Contains(text, "ends before its pending plan starts") && now["plan_id"] == planB &&
			r.values["plan_id"] == planA && r.changed["plan_id"] == planA,
		strings.Contains(text, "stays at the service") && now["status"] == "canceled" && !strings.Contains(text, "ends"):
		report("%s\nbut it is %v with the plan %v", text, now["status"], now["plan_id"])
	}
}

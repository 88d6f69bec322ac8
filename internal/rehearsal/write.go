package rehearsal

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/evidence"
	"github.com/recurring-billing/terraform-provider-billing/internal/rehearsal/internal/money"
	"github.com/recurring-billing/terraform-provider-billing/internal/rehearsal/internal/render"
)

// Page is what the report says.
func (r *Report) Page() *render.Page {
	whole := *r
	whole.Warnings, whole.Sent, whole.Refused = render.List(r.Warnings), render.List(r.Sent), render.List(r.Refused)
	whole.SecondPlan, whole.Assumed = render.List(r.SecondPlan), render.List(r.Assumed)
	whole.NotKnown, whole.LeftOut, whole.Differs = render.List(r.NotKnown), render.List(r.LeftOut), render.List(r.Differs)
	whole.Later, whole.FailedOn, whole.Rows = render.List(r.Later), render.List(r.FailedOn), render.List(r.Rows)
	d := r.Differences
	whole.Differences = Differences{render.List(d.Months), render.List(d.Subscriptions), render.List(d.Events),
		render.List(d.Occurrences)}
	page := &render.Page{Headlines: []string{r.headline(), r.subtitle()}, Sections: r.sections(), Value: whole,
		Hidden: map[string]string{}}
	if r.Result == Nothing {
		page.Headlines = []string{"Nothing to rehearse", "Plan: " + r.Plan.String() + "."}
	}
	for instead, values := range map[string][]string{"(known after apply)": r.unknown, "(sensitive)": r.secrets} {
		for _, value := range values {
			page.Hidden[value] = instead
			if short := publicURL(value); short != "" {
				page.Hidden[short] = instead
			}
		}
	}
	return page
}

// headline says what the change means: money, subscriptions and keys.
func (r *Report) headline() string {
	var parts []string
	if r.NotRehearsed > 0 {
		parts = append(parts, fmt.Sprintf("%d of %s %s not rehearsed", r.NotRehearsed, render.Counted(r.Plan.Billing,
			"billing change"), isOrAre(r.NotRehearsed)))
	}
	if r.Result == Refused {
		parts = append(parts, "Refused")
		if len(r.Sent) > 0 {
			parts = append(parts, "after the part that was applied")
		}
	}
	parts = append(parts, perCycle(r.Differences.Subscriptions)...)
	parts = append(parts, r.happenings()...)
	if n := len(r.Later); n > 0 {
		parts = append(parts, fmt.Sprint(n, " scheduled for later"))
	}
	if len(parts) > 0 {
		return strings.Join(parts, "; ")
	}
	text := "no difference in what is billed until " + r.Until.Format(time.DateOnly)
	if n := r.created(); n > 0 {
		return render.Counted(n, "object") + " created; " + text
	}
	return "N" + text[1:]
}

// created counts the objects that the apply creates.
func (r *Report) created() (n int) {
	for _, s := range r.Sent {
		if s.Verb == "create" && s.accepted("") {
			n++
		}
	}
	return n
}

func isOrAre(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

// perCycle are the differences of the prices, one for each cycle and currency.
func perCycle(all []money.Amounts) (parts []string) {
	sums, others := map[[2]string]money.Money{}, 0
	for _, a := range all {
		if a.Difference == nil {
			others++
			continue
		}
		key := [2]string{a.Difference.Currency, a.Difference.Cycle}
		sums[key] = sums[key].Plus(a.Difference.Money)
	}
	keys := slices.Collect(maps.Keys(sums))
	slices.SortFunc(keys, func(a, b [2]string) int {
		return cmp.Or(cmp.Compare(a[0], b[0]), slices.Index(money.Cycles, a[1])-slices.Index(money.Cycles, b[1]),
			cmp.Compare(a[1], b[1]))
	})
	for _, key := range keys {
		switch sum := sums[key]; {
		case sum.None():
		case sum.Cents == 0 && sum.Unknown > 0:
			parts = append(parts, "the price of "+render.Counted(sum.Unknown, "subscription")+" is not known")
		default:
			parts = append(parts, strings.TrimSpace(sum.Signed(key[0])+" "+cmp.Or(cycleWords[key[1]], key[1])))
		}
	}
	if others > 0 {
		parts = append(parts, render.Counted(others, "subscription")+" with another cycle or currency")
	}
	return parts
}

var cycleWords = map[string]string{"monthly": "a month", "quarterly": "a quarter", "semiannual": "every six months",
	"annual": "a year"}

// headlined are the occurrences that the headline counts, with the plural of their verbs.
var headlined = []struct {
	kind     string
	verb     Verb
	ofPlural string
}{{evidence.Subscription, begins, "begin"}, {evidence.Subscription, ends, "end"},
	{evidence.Subscription, becomes("paused"), "are paused"}, {evidence.Subscription, continues, "continue"},
	{evidence.Account, becomes("suspended"), "are suspended"},
	{evidence.Account, reactivated, "are reactivated"}, {evidence.Account, becomes("closed"), "are closed"},
	{evidence.Key, ends, "end"}, {evidence.Key, becomes("revoked"), "are revoked"}}

// happenings count what subscriptions and keys go through with the apply: "2 subscriptions end today".
func (r *Report) happenings() (parts []string) {
	for _, h := range headlined {
		var days []string
		for _, o := range r.Differences.Occurrences {
			if o.With && o.What.Verb == h.verb && o.Kind == h.kind {
				days = append(days, r.dayOf(o.At))
			}
		}
		if len(days) == 0 {
			continue
		}
		text := render.Counted(len(days), strings.TrimPrefix(evidence.KindOf(h.kind).Noun, "API ")) + " "
		if len(days) == 1 {
			text += string(h.verb)
		} else {
			text += h.ofPlural
		}
		slices.Sort(days)
		if days = slices.Compact(days); len(days) == 1 {
			text += " " + days[0]
		}
		parts = append(parts, text)
	}
	return parts
}

// dayOf is a day of the report in words.
func (r *Report) dayOf(at time.Time) string {
	switch {
	case at.Format(time.DateOnly) == r.From.Format(time.DateOnly):
		return "today"
	case at.Year() == r.From.Year():
		return at.Format("on 2 January")
	}
	return at.Format("on 2 January 2006")
}

// subtitle says on what the change was rehearsed, and how that went.
func (r *Report) subtitle() string {
	a := "a"
	if r.Incomplete {
		a = "an incomplete"
	}
	text := fmt.Sprintf("Rehearsed on %s copy of %s of %s. Plan: %s. ", a, r.Organization, r.From.Format(time.RFC3339),
		r.Plan)
	switch r.Result {
	case Applied:
		return text + "Applied with " + render.Counted(len(r.Sent), "request") + ", and the next plan is empty."
	case NotEmpty:
		return text + "Applied, but the next plan has " + render.Counted(len(r.SecondPlan), "change") + "."
	case Other:
		return text + "Applied, but the plan on the copy is another one."
	}
	return text + "Refused."
}

// sections are the parts that have something to say, in their order.
func (r *Report) sections() (all []render.Section) {
	add := func(title string, header []string, rows [][]string) {
		if len(rows) > 0 {
			all = append(all, render.Section{Title: title, Header: header, Rows: rows})
		}
	}
	addLong := func(title string, header []string, rows [][]string) {
		if add(title, header, rows); len(rows) > 0 {
			all[len(all)-1].Long = true
		}
	}
	if r.Result == Nothing {
		return nil
	}
	if r.Stale != "" {
		add("The copy is too old", nil, render.Lines([]string{r.Stale}))
	}
	add("Refused", nil, diagnostics(r.Refused, true))
	add("Other than planned", nil, render.Lines(r.Differs))
	addLong("Warnings", nil, diagnostics(r.Warnings, false))
	addLong("Sent", []string{"Request", "Object", "Arguments", "Address"}, r.sentRows())
	addLong("Left to do after the apply", nil, changeRows(r.SecondPlan))
	until := " until " + r.Until.Format(time.DateOnly)
	d := r.Differences
	add("Invoices"+until, []string{"Month", "Without", "With", "Difference"}, monthRows(d.Months))
	add("Prices on "+r.Until.Format(time.DateOnly), []string{"Subscription", "Without", "With", "Difference",
		"Source"}, money.Rows(d.Subscriptions))
	addLong("What happens"+until, nil, occurrenceRows(d.Occurrences))
	addLong("After "+r.Until.Format(time.DateOnly), nil, laterRows(r.Later))
	addLong("Webhook deliveries"+until, []string{"Event", "Endpoint", "Without", "With"}, eventRows(d.Events))
	add("Assumed", nil, render.Lines(r.Assumed))
	add("Not known", nil, render.Lines(r.NotKnown))
	add("Left out", nil, render.Lines(r.LeftOut))
	return all
}

// diagnostics are summaries, with the first sentence of the detail where that is wanted.
func diagnostics(all []Diagnostic, whole bool) (rows [][]string) {
	for _, d := range all {
		text := d.Summary
		if at := cmp.Or(d.Address, d.Place); at != "" {
			text = at + ": " + text
		}
		if detail := strings.Join(strings.Fields(d.Detail), " "); detail != "" && whole {
			text += ": " + detail
		}
		rows = append(rows, []string{text})
	}
	return rows
}

func (r *Report) sentRows() (rows [][]string) {
	for _, s := range r.Sent {
		result := ""
		if s.Status >= 300 {
			result = fmt.Sprintf(" (rejected: %d %s)", s.Status, s.Code)
		}
		rows = append(rows, []string{s.Verb, s.Object + result, s.arguments(), s.Address})
	}
	return rows
}

// arguments are the arguments of a request, with the values that are known.
func (s Sent) arguments() string {
	var all []string
	for _, name := range s.Arguments {
		for _, v := range s.Values {
			switch {
			case v.Argument == name && v.From == "":
				name += " " + v.To
			case v.Argument == name:
				name += " " + v.From + " → " + v.To
			}
		}
		all = append(all, name)
	}
	return strings.Join(all, ", ")
}

func changeRows(changes []Change) (rows [][]string) {
	for _, c := range changes {
		text := c.Action + " " + c.Address
		if len(c.Arguments) > 0 {
			text += ": " + strings.Join(c.Arguments, ", ")
		}
		rows = append(rows, []string{text})
	}
	return rows
}

func monthRows(months []Month) (rows [][]string) {
	totals, differs := map[string]*Month{}, map[string]bool{}
	for _, m := range months {
		differs[m.Currency] = differs[m.Currency] || !m.Difference.None()
	}
	for _, m := range months {
		if !differs[m.Currency] {
			continue
		}
		label := m.Month
		if m.Days != "" {
			label += " (" + m.Days + ")"
		}
		rows = append(rows, []string{label, m.Without.In(m.Currency), m.With.In(m.Currency), m.Difference.Signed(m.Currency)})
		if totals[m.Currency] == nil {
			totals[m.Currency] = &Month{}
		}
		t := totals[m.Currency]
		t.Without, t.With, t.Difference = t.Without.Plus(m.Without), t.With.Plus(m.With), t.Difference.Plus(m.Difference)
	}
	for _, currency := range slices.Sorted(maps.Keys(totals)) {
		t := totals[currency]
		rows = append(rows, []string{"total", t.Without.In(currency), t.With.In(currency), t.Difference.Signed(currency)})
	}
	return rows
}

func occurrenceRows(all []Occurrence) (rows [][]string) {
	for _, o := range all {
		text := o.Object + " " + o.What.String()
		if !o.With {
			text = "no longer: " + text
		}
		if !o.At.IsZero() {
			text = o.At.Format(time.DateOnly) + "  " + text
		}
		rows = append(rows, []string{text})
	}
	return rows
}

func eventRows(all []Event) (rows [][]string) {
	for _, e := range all {
		rows = append(rows, []string{e.Event, e.Endpoint, fmt.Sprint(e.Without), fmt.Sprint(e.With)})
	}
	return rows
}

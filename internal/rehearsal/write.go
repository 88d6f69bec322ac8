package rehearsal

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/evidence"
)

// section is a part of a report: a title, and a line for each thing.
type section struct {
	title  string
	header []string // of a table; nil: the rows have one cell
	rows   [][]string
	long   bool // rows of it can be left out of Markdown: others say money, refusals or what is not known
}

// Text writes the report for people.
func (r *Report) Text(out io.Writer) error {
	return writeText(out, []string{r.headline(), r.subtitle()}, r.sections())
}

// Markdown writes the report for a comment on a pull request. Names cannot break out of it.
func (r *Report) Markdown(out io.Writer) error {
	return writeMarkdown(out, []string{r.headline(), r.subtitle()}, r.sections())
}

// JSON writes the report for programs.
func (r *Report) JSON(out io.Writer) error {
	whole := *r
	whole.Warnings, whole.Sent, whole.Refused = list(r.Warnings), list(r.Sent), list(r.Refused)
	whole.SecondPlan, whole.NotKnown, whole.LeftOut = list(r.SecondPlan), list(r.NotKnown), list(r.LeftOut)
	whole.Assumed = list(r.Assumed)
	d := r.Differences
	whole.Differences = Differences{list(d.Months), list(d.Subscriptions), list(d.Events), list(d.Occurrences)}
	return writeJSON(out, whole)
}

// list is a list that JSON shows as [] and not as null where it is empty.
func list[T any](all []T) []T { return append([]T{}, all...) }

func writeText(out io.Writer, headlines []string, sections []section) error {
	text := strings.Join(headlines, "\n") + "\n"
	for _, s := range sections {
		text += "\n" + s.title + "\n"
		widths := make([]int, len(s.header))
		rows := s.rows
		if s.header != nil {
			rows = append([][]string{s.header}, rows...)
		}
		for _, row := range rows {
			for i, cell := range row {
				if len(row) > 1 {
					widths[i] = max(widths[i], len([]rune(cell)))
				}
			}
		}
		for _, row := range rows {
			line := "  "
			for i, cell := range row {
				line += cell
				if i < len(row)-1 {
					line += strings.Repeat(" ", widths[i]-len([]rune(cell))+2)
				}
			}
			text += strings.TrimRight(line, " ") + "\n"
		}
	}
	_, err := io.WriteString(out, text)
	return err
}

// longList is from how many rows on a list is folded in Markdown.
const longList = 12

// longestMarkdown is the size of the largest comment, in bytes. GitHub takes 65,536 characters.
const longestMarkdown = 60_000

// writeMarkdown leaves out rows of long sections until the text is a comment on a pull request.
func writeMarkdown(out io.Writer, headlines []string, sections []section) error {
	most := 400
	text := markdown(headlines, sections, most)
	for len(text) > longestMarkdown && most > 0 {
		most /= 2
		text = markdown(headlines, sections, most)
	}
	_, err := io.WriteString(out, text)
	return err
}

func markdown(headlines []string, sections []section, most int) string {
	text := "### " + escaped(headlines[0]) + "\n"
	for _, more := range headlines[1:] {
		text += "\n" + escaped(more) + "\n"
	}
	for _, s := range sections {
		text += "\n"
		folded := len(s.rows) > longList
		if folded {
			text += fmt.Sprintf("<details><summary>%s (%d)</summary>\n\n", escaped(s.title), len(s.rows))
		} else {
			text += "**" + escaped(s.title) + "**\n\n"
		}
		if s.header != nil {
			text += "| " + strings.Join(s.header, " | ") + " |\n|" + strings.Repeat(" --- |", len(s.header)) + "\n"
		}
		rows, more := s.rows, 0
		if s.long && len(rows) > most {
			rows, more = rows[:most], len(rows)-most
		}
		for _, row := range rows {
			var cells []string
			for _, cell := range row {
				cells = append(cells, escaped(cell))
			}
			if s.header != nil {
				text += "| " + strings.Join(cells, " | ") + " |\n"
			} else {
				text += "- " + strings.Join(cells, " ") + "\n"
			}
		}
		if more > 0 {
			text += fmt.Sprintf("\nand %d more\n", more)
		}
		if folded {
			text += "\n</details>\n"
		}
	}
	return text
}

// escaped escapes a text for Markdown, on one line.
func escaped(text string) string {
	var out strings.Builder
	for _, c := range strings.Join(strings.Fields(text), " ") {
		switch {
		case c == '<':
			out.WriteString("&lt;")
		case c == '>':
			out.WriteString("&gt;")
		case c == '&':
			out.WriteString("&amp;")
		case c == '@':
			out.WriteString("@<!-- -->") // mentions nobody
		case strings.ContainsRune("\\`*_{}[]#|~", c):
			out.WriteString("\\" + string(c))
		default:
			out.WriteRune(c)
		}
	}
	return out.String()
}

func writeJSON(out io.Writer, value any) error {
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(value)
}

// headline says what the change means: money, subscriptions and keys.
func (r *Report) headline() string {
	var parts []string
	if r.NotRehearsed > 0 {
		parts = append(parts, fmt.Sprintf("%d of %s not rehearsed", r.NotRehearsed, counted(r.Plan.Billing,
			"billing change")))
	}
	if r.Result == Refused {
		parts = append(parts, "Refused")
		if len(r.Sent) > 0 {
			parts = append(parts, "after the part that was applied")
		}
	}
	parts = append(parts, perCycle(r.Differences.Subscriptions)...)
	parts = append(parts, r.happenings()...)
	if len(parts) == 0 {
		return "No difference"
	}
	return strings.Join(parts, "; ")
}

// perCycle are the differences of the prices, one for each cycle and currency.
func perCycle(all []Amounts) (parts []string) {
	sums, others := map[[2]string]Money{}, 0
	for _, a := range all {
		if a.Difference == nil {
			others++
			continue
		}
		key := [2]string{a.Difference.Currency, a.Difference.Cycle}
		sums[key] = sums[key].plus(a.Difference.Money)
	}
	keys := slices.Collect(maps.Keys(sums))
	slices.SortFunc(keys, func(a, b [2]string) int {
		return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(cycleOrder[a[1]], cycleOrder[b[1]]), cmp.Compare(a[1], b[1]))
	})
	for _, key := range keys {
		switch sum := sums[key]; {
		case sum.none():
		case sum.Cents == 0 && sum.Unknown > 0:
			parts = append(parts, "the price of "+counted(sum.Unknown, "subscription")+" is not known")
		default:
			parts = append(parts, strings.TrimSpace(sum.signed(key[0])+" "+cmp.Or(cycleWords[key[1]], key[1])))
		}
	}
	if others > 0 {
		parts = append(parts, counted(others, "subscription")+" with another cycle or currency")
	}
	return parts
}

var (
	cycleOrder = map[string]int{"monthly": 1, "quarterly": 2, "semiannual": 3, "annual": 4}
	cycleWords = map[string]string{"monthly": "a month", "quarterly": "a quarter", "semiannual": "every six months",
		"annual": "a year"}
)

// headlined are the occurrences that the headline counts, with the plural of their verbs.
var headlined = []struct {
	kind     string
	verb     Verb
	ofPlural string
}{{evidence.Subscription, begins, "begin"}, {evidence.Subscription, ends, "end"},
	{evidence.Subscription, becomes("paused"), "are paused"}, {evidence.Account, becomes("suspended"), "are suspended"},
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
		text := counted(len(days), strings.TrimPrefix(evidence.KindOf(h.kind).Noun, "API ")) + " "
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
		return text + "Applied with " + counted(len(r.Sent), "request") + ", and the next plan is empty."
	case NotEmpty:
		return text + "Applied, but the next plan has " + counted(len(r.SecondPlan), "change") + "."
	}
	return text + "Refused."
}

// counted is a number with its noun.
func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// sections are the parts that have something to say, in their order.
func (r *Report) sections() (all []section) {
	add := func(title string, header []string, rows [][]string) {
		if len(rows) > 0 {
			all = append(all, section{title: title, header: header, rows: rows})
		}
	}
	addLong := func(title string, header []string, rows [][]string) {
		if add(title, header, rows); len(rows) > 0 {
			all[len(all)-1].long = true
		}
	}
	if r.Stale != "" {
		add("The copy is too old", nil, lines([]string{r.Stale}))
	}
	add("Refused", nil, diagnostics(r.Refused, true))
	addLong("Warnings of the plan", nil, diagnostics(r.Warnings, false))
	addLong("Sent", []string{"Request", "Object", "Arguments", "Address"}, r.sentRows())
	addLong("Left to do after the apply", nil, changeRows(r.SecondPlan))
	until := " until " + r.Until.Format(time.DateOnly)
	d := r.Differences
	add("Invoices"+until, []string{"Month", "Without", "With", "Difference"}, monthRows(d.Months))
	add("Prices on "+r.Until.Format(time.DateOnly), []string{"Subscription", "Without", "With", "Difference",
		"Source"}, amountRows(d.Subscriptions))
	addLong("What happens"+until, nil, occurrenceRows(d.Occurrences))
	addLong("Webhook deliveries"+until, []string{"Event", "Endpoint", "Without", "With"}, eventRows(d.Events))
	if r.Result != Refused && len(d.Months)+len(d.Subscriptions)+len(d.Occurrences)+len(d.Events) == 0 {
		add("Nothing differs"+until, nil, [][]string{{"No invoice, subscription, key or event differs."}})
	}
	add("Assumed", nil, lines(r.Assumed))
	add("Not known", nil, lines(r.NotKnown))
	add("Left out", nil, lines(r.LeftOut))
	return all
}

func lines(texts []string) (rows [][]string) {
	for _, text := range texts {
		rows = append(rows, []string{text})
	}
	return rows
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
			if v.Argument == name {
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
	totals := map[string]*Month{}
	for _, m := range months {
		label := m.Month
		if m.Days != "" {
			label += " (" + m.Days + ")"
		}
		rows = append(rows, []string{label, m.Without.in(m.Currency), m.With.in(m.Currency), m.Difference.signed(m.Currency)})
		if totals[m.Currency] == nil {
			totals[m.Currency] = &Month{}
		}
		t := totals[m.Currency]
		t.Without, t.With, t.Difference = t.Without.plus(m.Without), t.With.plus(m.With), t.Difference.plus(m.Difference)
	}
	for _, currency := range slices.Sorted(maps.Keys(totals)) {
		t := totals[currency]
		rows = append(rows, []string{"total", t.Without.in(currency), t.With.in(currency), t.Difference.signed(currency)})
	}
	return rows
}

func amountRows(all []Amounts) (rows [][]string) {
	for _, a := range all {
		difference := "another cycle or currency"
		if a.Difference != nil {
			difference = a.Difference.signed(a.Difference.Currency)
		}
		source := a.With
		if source == nil {
			source = a.Without
		}
		rows = append(rows, []string{a.Name, a.Without.text(), a.With.text(), difference, source.from()})
	}
	return rows
}

func occurrenceRows(all []Occurrence) (rows [][]string) {
	for _, o := range all {
		text := o.Object + " " + o.What.String()
		if o.Cause != "" {
			cause := o.Cause + ": " + o.Action
			if o.Reason != "" {
				cause += ", reason: " + o.Reason
			}
			text += " (" + cause + ")"
		}
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
		with := fmt.Sprint(e.With)
		if e.Varies {
			with += " (or not, by the order of requests)"
		}
		rows = append(rows, []string{e.Event, e.Endpoint, fmt.Sprint(e.Without), with})
	}
	return rows
}

package rehearsal

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"
)

// section is a part of a report: a title, and a line for each thing.
type section struct {
	title  string
	header []string // of a table; nil: the rows have one cell
	rows   [][]string
}

// Text writes the report for people.
func (r *Report) Text(out io.Writer) error { return writeText(out, r.headline(), r.sections()) }

// Markdown writes the report for a comment on a pull request. Names cannot break out of it.
func (r *Report) Markdown(out io.Writer) error { return writeMarkdown(out, r.headline(), r.sections()) }

// JSON writes the report for programs.
func (r *Report) JSON(out io.Writer) error {
	whole := *r
	whole.Warnings, whole.Sent, whole.Refused = list(r.Warnings), list(r.Sent), list(r.Refused)
	whole.SecondPlan, whole.NotKnown, whole.LeftOut = list(r.SecondPlan), list(r.NotKnown), list(r.LeftOut)
	d := r.Differences
	whole.Differences = Differences{list(d.Months), list(d.Subscriptions), list(d.Events), list(d.Occurrences)}
	return writeJSON(out, whole)
}

// list is a list that JSON shows as [] and not as null where it is empty.
func list[T any](all []T) []T { return append([]T{}, all...) }

func writeText(out io.Writer, headline string, sections []section) error {
	text := headline + "\n"
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

func writeMarkdown(out io.Writer, headline string, sections []section) error {
	text := "### " + escaped(headline) + "\n"
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
		for _, row := range s.rows {
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
		if folded {
			text += "\n</details>\n"
		}
	}
	_, err := io.WriteString(out, text)
	return err
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

// headline is the result in one line.
func (r *Report) headline() string {
	a := "a"
	if r.Incomplete {
		a = "an incomplete"
	}
	of := fmt.Sprintf(" on %s copy of %s of %s", a, r.Organization, r.From.Format(time.RFC3339))
	if r.NotRehearsed > 0 {
		of = fmt.Sprintf(" without %d of %s", r.NotRehearsed, counted(r.Plan.Billing, "billing change")) + of
	}
	switch r.Result {
	case Applied:
		return "Rehearsed" + of + ": applied with " + counted(len(r.Sent), "request") + ", and the next plan is empty"
	case NotEmpty:
		return "Rehearsed" + of + ": applied, but the next plan has " + counted(len(r.SecondPlan), "change")
	}
	return "Rehearsed" + of + ": refused"
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
			all = append(all, section{title, header, rows})
		}
	}
	if r.Stale != "" {
		add("The copy is too old", nil, lines([]string{r.Stale}))
	}
	add("Refused", nil, diagnostics(r.Refused, true))
	add("Warnings of the plan", nil, diagnostics(r.Warnings, false))
	add("Sent", []string{"Request", "Object", "Arguments"}, r.sentRows())
	add("Left to do after the apply", nil, changeRows(r.SecondPlan))
	until := " until " + r.Until.Format(time.DateOnly)
	d := r.Differences
	add("Invoices"+until, []string{"Month", "Without", "With", "Difference"}, monthRows(d.Months))
	add("Subscriptions", []string{"Subscription", "Cycle", "Now", "Then"}, amountRows(d.Subscriptions))
	add("What happens"+until, nil, occurrenceRows(d.Occurrences))
	add("Webhook deliveries"+until, []string{"Event", "Endpoint", "Without", "With"}, eventRows(d.Events))
	if r.Result != Refused && len(d.Months)+len(d.Subscriptions)+len(d.Occurrences)+len(d.Events) == 0 {
		add("Nothing differs"+until, nil, [][]string{{"No invoice, subscription, key or event differs."}})
	}
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
		rows = append(rows, []string{s.Verb, s.Object + result, strings.Join(s.Arguments, ", ")})
	}
	return rows
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
	for _, m := range months {
		difference := notKnownText
		if m.Without.Known && m.With.Known {
			difference = signed(m.With.Cents-m.Without.Cents, m.Currency)
		}
		rows = append(rows, []string{m.Month, m.Without.in(m.Currency), m.With.in(m.Currency), difference})
	}
	return rows
}

func amountRows(all []Amounts) (rows [][]string) {
	shown := func(m *Money, currency string) string {
		if m == nil {
			return "–"
		}
		return m.in(currency)
	}
	for _, a := range all {
		cycle := a.Cycle
		if a.CycleNow != "" {
			cycle = a.CycleNow + " → " + cycle
		}
		now := shown(a.Now, cmp.Or(a.CurrencyNow, a.Currency))
		rows = append(rows, []string{a.Name, cycle, now, shown(a.Then, a.Currency)})
	}
	return rows
}

func occurrenceRows(all []Occurrence) (rows [][]string) {
	for _, o := range all {
		text := o.Object + " " + o.What
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
		rows = append(rows, []string{e.Event, e.Endpoint, fmt.Sprint(e.Without), fmt.Sprint(e.With)})
	}
	return rows
}

const notKnownText = "not known"

// in is an amount with its currency.
func (m Money) in(currency string) string {
	if !m.Known {
		return notKnownText
	}
	return strings.TrimSpace(currency + " " + decimal(m.Cents))
}

// decimal is an amount of cents in units.
func decimal(cents int64) string {
	sign := ""
	if cents < 0 {
		sign, cents = "-", -cents
	}
	return fmt.Sprintf("%s%d.%02d", sign, cents/100, cents%100)
}

func signed(cents int64, currency string) string {
	text := decimal(cents)
	if cents > 0 {
		text = "+" + text
	}
	return strings.TrimSpace(currency + " " + text)
}

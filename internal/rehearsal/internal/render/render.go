// Package render writes a report for people, for comments on pull requests, and for programs.
package render

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// Page is what a report says.
type Page struct {
	Headlines []string
	Sections  []Section
	Value     any // for programs
	// Hidden are texts that must not appear, and what appears instead.
	Hidden map[string]string
}

// write writes a finished text without what is hidden, in whatever form the text has it.
func (p *Page) write(out io.Writer, text string) error {
	for _, hidden := range slices.SortedFunc(maps.Keys(p.Hidden), func(a, b string) int { return len(b) - len(a) }) {
		quoted, _ := json.Marshal(hidden) //nolint:errchkjson // a text
		for _, form := range []string{hidden, string(quoted[1 : len(quoted)-1]), escaped(hidden)} {
			text = strings.ReplaceAll(text, form, p.Hidden[hidden])
		}
	}
	_, err := io.WriteString(out, text)
	return err
}

// Section is a part of a report: a title, and a line for each thing.
type Section struct {
	Title  string
	Header []string // of a table; nil: the rows have one cell
	Rows   [][]string
	Long   bool // rows of it can be left out of Markdown: others say money, refusals or what is not known
}

// List is a list that JSON shows as [] and not as null where it is empty.
func List[T any](all []T) []T { return append([]T{}, all...) }

// Text writes the page for people.
func (p *Page) Text(out io.Writer) error {
	text := strings.Join(p.Headlines, "\n") + "\n"
	for _, s := range p.Sections {
		text += "\n" + s.Title + "\n"
		widths := make([]int, len(s.Header))
		rows := s.Rows
		if s.Header != nil {
			rows = append([][]string{s.Header}, rows...)
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
	return p.write(out, text)
}

// longList is from how many rows on a list is folded in Markdown.
const longList = 12

// longestMarkdown is the size of the largest comment, in bytes. GitHub takes 65,536 characters.
const longestMarkdown = 60_000

// Markdown writes the page for a comment on a pull request, and leaves out rows of long sections until the text fits
// there. Names cannot break out of it.
func (p *Page) Markdown(out io.Writer) error {
	most := 400
	text := p.markdown(most)
	for len(text) > longestMarkdown && most > 0 {
		most /= 2
		text = p.markdown(most)
	}
	return p.write(out, text)
}

func (p *Page) markdown(most int) string {
	text := "### " + escaped(p.Headlines[0]) + "\n"
	for _, more := range p.Headlines[1:] {
		text += "\n" + escaped(more) + "\n"
	}
	for _, s := range p.Sections {
		text += "\n"
		folded := len(s.Rows) > longList
		if folded {
			text += fmt.Sprintf("<details><summary>%s (%d)</summary>\n\n", escaped(s.Title), len(s.Rows))
		} else {
			text += "**" + escaped(s.Title) + "**\n\n"
		}
		if s.Header != nil {
			text += "| " + strings.Join(s.Header, " | ") + " |\n|" + strings.Repeat(" --- |", len(s.Header)) + "\n"
		}
		rows, more := s.Rows, 0
		if s.Long && len(rows) > most {
			rows, more = rows[:most], len(rows)-most
		}
		for _, row := range rows {
			var cells []string
			for _, cell := range row {
				cells = append(cells, escaped(cell))
			}
			if s.Header != nil {
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

// JSON writes the page for programs.
func (p *Page) JSON(out io.Writer) error {
	var text strings.Builder
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(p.Value); err != nil {
		return err
	}
	return p.write(out, text.String())
}

// Counted is a number with its noun.
func Counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// Lines are the rows of a list.
func Lines(texts []string) (rows [][]string) {
	for _, text := range texts {
		rows = append(rows, []string{text})
	}
	return rows
}

// Some are names for a sentence.
func Some(names []string) string {
	more := ""
	if len(names) > mostNames {
		names, more = names[:mostNames], fmt.Sprintf(" and %d more", len(names)-mostNames)
	}
	return strings.Join(names, ", ") + more
}

// mostNames is how many names a sentence lists.
const mostNames = 10

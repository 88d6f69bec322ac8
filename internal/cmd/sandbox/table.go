package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"
)

// column is a column of a list, as people read it.
type column[T any] struct {
	title string
	cell  func(row T) string
}

// listing says how a list is written.
type listing[T any] struct {
	columns []column[T]
	none    string // for people, on standard error, when the list is empty
	json    bool   // one JSON object a line
}

// jsonFlag defines --json, which is the same for every list.
func jsonFlag(set *flags, into *bool) {
	set.BoolVar(into, "json", false, "write one JSON object a line, for tools")
}

// write writes a list: a table under column headers, or lines of JSON. Nothing goes to standard output for an empty
// list, so that whatever reads a pipe finds nothing.
func write[T any](p program, l listing[T], rows []T) error {
	if l.json {
		encoder := json.NewEncoder(p.out)
		encoder.SetEscapeHTML(false)
		for _, row := range rows {
			if err := encoder.Encode(row); err != nil {
				return err
			}
		}
		return nil
	}
	if len(rows) == 0 {
		fmt.Fprintln(p.err, l.none)
		return nil
	}
	var titles []string
	for _, c := range l.columns {
		titles = append(titles, c.title)
	}
	lines := [][]string{titles}
	for _, row := range rows {
		var cells []string
		for _, c := range l.columns {
			cell := c.cell(row)
			if cell == "" {
				cell = "-" // every line has the same fields, for awk
			}
			cells = append(cells, cell)
		}
		lines = append(lines, cells)
	}
	_, err := fmt.Fprint(p.out, aligned(lines))
	return err
}

// aligned puts cells below each other. The last column has no width: what is long belongs there.
func aligned(lines [][]string) string {
	widths := make([]int, len(lines[0]))
	for _, cells := range lines {
		for i, cell := range cells {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	var out strings.Builder
	for _, cells := range lines {
		for i, cell := range cells {
			if i > 0 {
				out.WriteString("  ")
			}
			out.WriteString(cell)
			if i < len(cells)-1 {
				out.WriteString(strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell)))
			}
		}
		out.WriteByte('\n')
	}
	return out.String()
}

package main

import (
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"
)

// listing defines the format of a list.
type listing[T any] struct {
	titles string // column titles of the table
	cells  func(row T) []string
	under  func(row T) []any // values shown below a row, as JSON
	none   string            // for people, on standard error, when the list is empty
	json   bool              // one JSON object a line
}

func show[T any](usage string, list listing[T], rows func(ctx context.Context, c *controller) ([]T, error)) action {
	return action{
		usage: usage, flags: func(set *flag.FlagSet) { jsonFlag(set, &list.json) },
		run: func(ctx context.Context, c *controller, _ []string) error {
			found, err := rows(ctx, c)
			if err != nil {
				return err
			}
			return write(c.p, list, found)
		},
	}
}

// jsonFlag defines --json, which is the same for all lists.
func jsonFlag(set *flag.FlagSet, into *bool) {
	set.BoolVar(into, "json", false, "write one JSON object per line")
}

func writeJSON(out io.Writer, value any) error {
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(value)
}

// write prints a list as a table or as JSON lines. An empty list prints nothing to standard output, for use in pipes.
func write[T any](p program, l listing[T], rows []T) error {
	if l.json {
		for _, row := range rows {
			if err := writeJSON(p.out, row); err != nil {
				return err
			}
		}
		return nil
	}
	if len(rows) == 0 {
		fmt.Fprintln(p.err, l.none)
		return nil
	}
	lines := [][]string{strings.Fields(l.titles)}
	for _, row := range rows {
		cells := l.cells(row)
		for i, cell := range cells {
			cells[i] = cmp.Or(cell, "-") // keep the number of fields constant for awk
		}
		lines = append(lines, cells)
	}
	for i, line := range slices.Collect(strings.Lines(aligned(lines))) {
		if _, err := fmt.Fprint(p.out, line); err != nil {
			return err
		}
		if i == 0 || l.under == nil {
			continue
		}
		for _, detail := range l.under(rows[i-1]) {
			fmt.Fprint(p.out, "    ")
			if err := writeJSON(p.out, detail); err != nil {
				return err
			}
		}
	}
	return nil
}

// aligned aligns cells in columns. The last column has no width, so it takes long texts.
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

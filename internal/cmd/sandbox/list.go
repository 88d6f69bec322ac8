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

// listing says how a list is written.
type listing[T any] struct {
	titles string // of the columns, for people
	cells  func(row T) []string
	under  func(row T) []any // what is shown below a row, as JSON
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

func rowsOf[T any](path string) func(ctx context.Context, c *controller) ([]T, error) {
	return func(ctx context.Context, c *controller) ([]T, error) { return get[[]T](ctx, c, path) }
}

// jsonFlag defines --json, which is the same for every list.
func jsonFlag(set *flag.FlagSet, into *bool) {
	set.BoolVar(into, "json", false, "write one JSON object per line")
}

func writeJSON(out io.Writer, value any) error {
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(value)
}

// write writes a list: a table under column headers, or lines of JSON. Nothing goes to standard output for an empty
// list, so that whatever reads a pipe finds nothing.
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
			cells[i] = cmp.Or(cell, "-") // every line has the same fields, for awk
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

package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
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

// show is an action that writes a list.
func show[T any](
	usage, none string, rows func(ctx context.Context, c *controller) ([]T, error), columns ...column[T],
) action {
	list := listing[T]{columns: columns, none: none}
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

// rowsOf are the rows of a list of the control listener.
func rowsOf[T any](path string) func(ctx context.Context, c *controller) ([]T, error) {
	return func(ctx context.Context, c *controller) ([]T, error) { return get[[]T](ctx, c, path) }
}

// jsonFlag defines --json, which is the same for every list.
func jsonFlag(set *flag.FlagSet, into *bool) {
	set.BoolVar(into, "json", false, "write one JSON object per line")
}

// writeJSON writes one JSON object on a line.
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
	lines := make([][]string, len(rows)+1)
	for _, c := range l.columns {
		lines[0] = append(lines[0], c.title)
		for i, row := range rows {
			cell := c.cell(row)
			if cell == "" {
				cell = "-" // every line has the same fields, for awk
			}
			lines[i+1] = append(lines[i+1], cell)
		}
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

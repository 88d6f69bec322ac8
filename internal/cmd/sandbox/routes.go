package main

import (
	"context"
	"encoding/json"
	"flag"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// routed returns the actions of a command that follow from the routes of the control listener.
func (p program) routed(name string) (actions []action) {
	for _, c := range sandbox.ControlCommands() {
		if first, rest, _ := strings.Cut(c.Words, " "); first == name {
			actions = append(actions, p.sends(c, rest))
		}
	}
	return actions
}

// sends returns the action of one route.
func (p program) sends(c sandbox.ControlCommand, usage string) action {
	list := listing[json.RawMessage]{titles: c.Titles, none: c.None}
	query := url.Values{}
	a := action{usage: usage, run: func(ctx context.Context, to *controller, values []string) error {
		path := c.Path
		for _, value := range values {
			from, until := strings.Index(path, "{"), strings.Index(path, "}")
			path = path[:from] + url.PathEscape(value) + path[until+1:]
		}
		if len(query) > 0 {
			path += "?" + query.Encode()
		}
		if c.Method != http.MethodGet {
			return to.do(ctx, c.Method, path, nil)
		}
		document, err := get[json.RawMessage](ctx, to, path)
		if err != nil {
			return err
		}
		rows, cells, err := c.Cells(document)
		if err != nil {
			return err
		}
		list.cells = func(json.RawMessage) (row []string) {
			row, cells = cells[0], cells[1:]
			return row
		}
		return write(p, list, rows)
	}}
	if c.Method == http.MethodGet {
		a.flags = func(set *flag.FlagSet) {
			jsonFlag(set, &list.json)
			for _, f := range c.Flags {
				parameterFlag(set, f, query)
			}
		}
	}
	return a
}

// lowered begins a sentence as the continuation of another.
func lowered(text string) string { return strings.ToLower(text[:1]) + text[1:] }

func parameterFlag(set *flag.FlagSet, f sandbox.ControlFlag, query url.Values) {
	about := lowered(strings.TrimSuffix(f.About, "."))
	if f.Values == nil {
		set.Func(f.Name, about, func(value string) error { query.Set(f.Name, value); return nil })
		return
	}
	set.Func(f.Name, about+": "+strings.Join(f.Values, ", "), func(value string) error {
		query.Set(f.Name, value)
		return oneOf(value, f.Values)
	})
}

// parameterValues are the values of a parameter of a command; nil if any text is valid.
func parameterValues(command, name string) []string {
	for _, c := range sandbox.ControlCommands() {
		i := slices.IndexFunc(c.Flags, func(f sandbox.ControlFlag) bool { return f.Name == name })
		if first, _, _ := strings.Cut(c.Words, " "); first == command && i >= 0 {
			return c.Flags[i].Values
		}
	}
	return nil
}

package main

import (
	"cmp"
	"fmt"
	"net/http"
	"os"
	"runtime"
	"strconv"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// outcome is what became of a request, at a glance: a mark in the margin, and
// on a terminal a colour.
type outcome struct {
	mark   string
	colour string // the parameter of an ANSI escape sequence
	failed bool
}

var (
	responded = outcome{mark: " ", colour: "32"}               // green
	refused   = outcome{mark: "!", colour: "33", failed: true} // yellow
	broken    = outcome{mark: "X", colour: "31", failed: true} // red
	dropped   = outcome{mark: "-", colour: "35", failed: true} // magenta
)

func outcomeOf(r sandbox.Request) outcome {
	switch {
	case r.Dropped:
		return dropped
	case r.Status >= http.StatusInternalServerError:
		return broken
	case r.Status >= http.StatusBadRequest:
		return refused
	default:
		return responded
	}
}

// requestFormat are the columns of a request. They have fixed widths, because more requests may follow; the path is the
// last one, because a query string can be long.
const requestFormat = "%-12s %-6s%s %-31s %-6s %-36s %-20s %-8s %s"

// requestHeader names the columns.
var requestHeader = " " + fmt.Sprintf(requestFormat, "TIME", "STATUS", "", "OPERATION", "METHOD", "REQUEST-ID", "TOKEN",
	"FAULT", "PATH")

// requestLine is a request on one line.
func requestLine(r sandbox.Request, colours bool) string {
	status := strconv.Itoa(r.Status)
	if r.Dropped {
		status = "---" // nothing went out, whatever had been processed
	}
	target := r.Path
	if r.Query != "" {
		target += "?" + r.Query
	}
	o := outcomeOf(r)
	begin, end := "", ""
	if colours {
		begin, end = "\x1b["+o.colour+"m", "\x1b[0m"
	}
	return begin + o.mark + fmt.Sprintf(requestFormat, r.Time.Format("15:04:05.000"), status, end,
		cmp.Or(r.Operation, "-"), r.Method, r.RequestID, cmp.Or(r.Token, "-"), cmp.Or(r.Fault, "-"), target)
}

// colours reports whether what goes to a terminal, or to none, may be coloured.
// The Windows console may show the sequences instead, except in Windows
// Terminal.
func (p program) colours(terminal bool) bool {
	return terminal && p.getenv("NO_COLOR") == "" && p.getenv("TERM") != "dumb" &&
		(runtime.GOOS != "windows" || p.getenv("WT_SESSION") != "")
}

// isTerminal reports whether a file is a terminal, or at least looks like one.
func isTerminal(file *os.File) bool {
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

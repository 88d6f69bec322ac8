package main

import (
	"flag"
	"fmt"
	"io"
	"strings"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// describe lists flags under a title, but for those in except. Without any it
// writes nothing.
func describe(w io.Writer, title string, set *flag.FlagSet, except map[string]bool) {
	width := 0
	var shown []*flag.Flag
	set.VisitAll(func(f *flag.Flag) {
		if !except[f.Name] {
			shown = append(shown, f)
			width = max(width, len(written(f)))
		}
	})
	if len(shown) == 0 {
		return
	}
	fmt.Fprintf(w, "\n%s:\n", title)
	for _, f := range shown {
		_, usage := flag.UnquoteUsage(f)
		if f.DefValue != "" && f.DefValue != "0" && f.DefValue != "false" {
			usage += " (default " + f.DefValue + ")"
		}
		name := written(f)
		for _, line := range wrapped(usage, textWidth-width-4) {
			fmt.Fprintf(w, "  %-*s  %s\n", width, name, line)
			name = ""
		}
	}
}

// written is how a flag is written on a command line.
func written(f *flag.Flag) string {
	value, _ := flag.UnquoteUsage(f)
	return strings.TrimRight("--"+f.Name+" "+value, " ")
}

// wrapped breaks a text into lines of at most so many letters, or of one word.
func wrapped(text string, width int) []string {
	var lines []string
	line := ""
	for word := range strings.FieldsSeq(text) {
		switch {
		case line == "":
			line = word
		case len(line)+1+len(word) <= width:
			line += " " + word
		default:
			lines, line = append(lines, line), word
		}
	}
	return append(lines, line)
}

// meant asks whether one of the known words was meant, in words to go behind
// a complaint.
func meant(prefix, word string, known []string) string {
	if near, ok := sandbox.Nearest(word, known); ok {
		return "; did you mean " + prefix + near + "?"
	}
	return ""
}

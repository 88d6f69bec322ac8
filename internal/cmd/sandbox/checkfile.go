package main

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/claims"
)

// counter counts the requests of a check.
type counter struct {
	http.RoundTripper

	sent atomic.Int64
}

func (c *counter) RoundTrip(request *http.Request) (*http.Response, error) {
	c.sent.Add(1)
	return c.RoundTripper.RoundTrip(request)
}

// checkFile is the report of a check as a file for the owner of the service, in Markdown.
type checkFile struct {
	name   string
	begun  time.Time
	target claims.Target
	sent   *counter
	lines  []checkLine
}

// write replaces the file.
func (f *checkFile) write() error {
	return writeBeside(f.name, func(out io.Writer) error {
		_, err := (&screen{Writer: out}).Write(f.text())
		return err
	})
}

// of returns the lines with that result.
func (f *checkFile) of(result string) (found []checkLine) {
	for _, line := range f.lines {
		if line.Result == result {
			found = append(found, line)
		}
	}
	return found
}

func (f *checkFile) text() []byte {
	var text bytes.Buffer
	failed, tolerated, skipped := f.of("failed"), f.of("tolerated"), f.of("skipped")
	fmt.Fprintf(&text, "# Check of the billing services\n\n")
	fmt.Fprintf(&text, "- Date: %s\n", f.begun.UTC().Format(time.RFC3339))
	fmt.Fprintf(&text, "- Program: billing-sandbox %s\n", builtVersion())
	for _, one := range []struct{ service, address string }{
		{"Recurring billing", f.target.BaseURL}, {"Financial management", f.target.FinanceBaseURL},
		{"Collections", f.target.CollectionsBaseURL},
	} {
		fmt.Fprintf(&text, "- %s: %s\n", one.service, cmp.Or(publicAddress(one.address), "not checked"))
	}
	only := ""
	if f.target.ReadOnly {
		only = ", all of them GET"
	}
	fmt.Fprintf(&text, "- Requests: %d%s\n", f.sent.sent.Load(), only)
	fmt.Fprintf(&text, "- Result: %d hold, %d violated, %d tolerated, %d not judged\n\n",
		len(f.of("ok")), len(failed), len(tolerated), len(skipped))
	text.WriteString("Each claim is a numbered statement about a service, on which the Terraform provider relies.\n")
	writeFound(&text, "Violated", failed)
	writeFound(&text, "Tolerated", tolerated)
	writeNotJudged(&text, skipped)
	return text.Bytes()
}

// publicAddress returns an address without user, password and query.
func publicAddress(address string) string {
	parsed, err := url.Parse(address)
	if err != nil || address == "" {
		return ""
	}
	query := ""
	if parsed.RawQuery != "" {
		query = "?…"
	}
	return (&url.URL{Scheme: parsed.Scheme, Host: parsed.Host, Path: parsed.Path}).String() + query
}

// writeFound writes the claims that do not hold, each with its evidence.
func writeFound(text *bytes.Buffer, title string, lines []checkLine) {
	fmt.Fprintf(text, "\n## %s\n", title)
	if len(lines) == 0 {
		text.WriteString("\nNone.\n")
	}
	for _, line := range lines {
		fmt.Fprintf(text, "\n### Claim %d: %s\n\n", line.Claim, line.Text)
		if line.FollowsFrom != nil {
			fmt.Fprintf(text, "Follows from claim %s.\n", numberList(line.FollowsFrom))
		}
		fmt.Fprintf(text, "Source: %s (%s).\n", line.Source, line.Service)
		fmt.Fprintf(text, "Effect on users of the provider: %s\n\n", line.Means)
		found := "\n  found       " + line.Reason
		if line.Exchange != nil {
			found += exchangeText(*line.Exchange)
		}
		// An indented block shows any text as it is.
		for part := range strings.SplitSeq(strings.TrimPrefix(found, "\n"), "\n") {
			fmt.Fprintln(text, strings.TrimRight("    "+strings.TrimPrefix(part, "  "), " "))
		}
	}
}

// writeNotJudged writes the claims that were not judged, by reason.
func writeNotJudged(text *bytes.Buffer, lines []checkLine) {
	text.WriteString("\n## Not judged\n\n")
	if len(lines) == 0 {
		text.WriteString("None.\n")
	}
	by := map[string][]int{}
	for _, line := range lines {
		by[line.Reason] = append(by[line.Reason], line.Claim)
	}
	reasons := slices.SortedFunc(maps.Keys(by), func(a, b string) int {
		return cmp.Or(cmp.Compare(len(by[b]), len(by[a])), cmp.Compare(a, b))
	})
	for _, reason := range reasons {
		noun := "claims"
		if len(by[reason]) == 1 {
			noun = "claim"
		}
		fmt.Fprintf(text, "- %d %s (%s): %s\n", len(by[reason]), noun, numberList(by[reason]), reason)
	}
}

// numberList joins numbers.
func numberList(numbers []int) string {
	var words []string
	for _, n := range slices.Sorted(slices.Values(numbers)) {
		words = append(words, strconv.Itoa(n))
	}
	return strings.Join(words, ", ")
}

package page

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/server"
)

// viewRequests are the newest requests, and as many older ones that were writes or have failed: a plan of a large
// configuration is hundreds of reads.
func (v viewer) viewRequests() List[Request] {
	list := List[Request]{Total: len(v.requests)}
	newer := 0
	for _, r := range slices.Backward(v.requests) {
		shown := Request{
			Sequence: r.Sequence, At: r.Time, Service: string(r.Service), Operation: r.Operation, Method: r.Method,
			Address: r.Path, RequestID: r.RequestID, Token: r.Token, Client: r.Client, Fault: r.Fault, Status: r.Status,
			Dropped: r.Dropped, Older: newer >= shownRequests,
		}
		newer++
		if r.Query != "" {
			shown.Address += "?" + r.Query
		}
		if shown.Older && !shown.Write() && !shown.Failed() {
			continue
		}
		if list.Shown = append(list.Shown, shown); len(list.Shown) >= 2*shownRequests {
			break
		}
	}
	return list
}

// readable is a body for people: JSON with line breaks. The query of an address is where receivers like to have a
// password, so that it is left out as everywhere on the page.
func readable(body []byte) string {
	value, err := server.Decode(body)
	if err != nil {
		return string(body)
	}
	hideQueries(value)
	return indented(value)
}

func indented(value any) string {
	document, err := server.Encode(value)
	if err != nil {
		return err.Error()
	}
	var text bytes.Buffer
	if err := json.Indent(&text, document, "", "  "); err != nil {
		return err.Error()
	}
	return text.String()
}

// hideQueries cuts the query off each url, wherever it is.
func hideQueries(value any) {
	switch value := value.(type) {
	case map[string]any:
		for key, inner := range value {
			if text, ok := inner.(string); ok && key == "url" {
				value[key] = withoutQuery(text)
			}
			hideQueries(inner)
		}
	case []any:
		for _, inner := range value {
			hideQueries(inner)
		}
	}
}

func withoutQuery(address string) string {
	address, _, cut := strings.Cut(address, "?")
	if cut {
		address += "?…"
	}
	return address
}

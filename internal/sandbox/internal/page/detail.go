package page

import (
	"net/url"
	"strconv"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/server"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/store"
)

// Detail is one object, or one request, in full.
type Detail struct {
	Title string
	Facts [][2]string // name and value
	Parts []Part
}

// Part is a text under a heading.
type Part struct{ Heading, Text string }

// object is the JSON of an object as its service returns it, its fields in alphabetical order and without credentials.
// ok is false when there is no such object.
func (s *Page) object(query url.Values) (shown Detail, ok bool) {
	kind, id := query.Get("type"), query.Get("id")
	var found any
	// The function given to View returns no error, so View returns none.
	_ = s.Billing.DB.View(func(tx *store.Tx) error {
		found, ok = s.find(tx, kind, id)
		return nil
	})
	if !ok {
		return Detail{}, false
	}
	document, err := server.Encode(found)
	if err != nil {
		return Detail{}, false
	}
	return Detail{Title: kind + " " + id, Parts: []Part{{"JSON", readable(document)}}}, true
}

func (s *Page) find(tx *store.Tx, kind, id string) (found any, ok bool) {
	switch kind {
	case "customer":
		row, ok := s.Billing.Customers.Get(tx, id)
		return row.Customer, ok && !row.Deleted
	case "account":
		row, ok := s.Billing.Accounts.Get(tx, id)
		return row.Account, ok
	case "subscription":
		row, ok := s.Billing.Subscriptions.Get(tx, id)
		return map[string]any{"subscription": row.Subscription, "items": row.Items}, ok
	case "invoice":
		row, ok := s.Billing.Invoices.Get(tx, id)
		return row.Invoice, ok
	case "endpoint":
		row, ok := s.Collections.Endpoints.Get(tx, id)
		return row.Endpoint, ok
	case "key":
		row, ok := s.Collections.Keys.Get(tx, id)
		return row.Key, ok
	case "record":
		for _, row := range s.Finance.Records.All(tx) {
			if row.ID == id {
				fields, err := row.Decoded()
				return fields, err == nil
			}
		}
	}
	return nil, false
}

// request is a request with its bodies, as far as the log keeps them.
func (s *Page) request(query url.Values) (shown Detail, ok bool) {
	sequence, err := strconv.ParseUint(query.Get("sequence"), 10, 64)
	if err != nil || sequence == 0 {
		return Detail{}, false
	}
	rest := s.Server.Log.Since(sequence - 1)
	if len(rest) == 0 || rest[0].Sequence != sequence {
		return Detail{}, false
	}
	r := rest[0]
	address := r.Path
	if r.Query != "" {
		address += "?" + r.Query
	}
	shown = Detail{Title: r.Method + " " + address, Facts: [][2]string{
		{"Status", outcome(r)}, {"Time", clock(r.Time)}, {"Service", string(r.Service)}, {"Operation", r.Operation},
		{"Client", r.Client}, {"Token", r.Token}, {"Fault", r.Fault}, {"Request-Id", r.RequestID},
	}}
	for _, part := range []Part{{"Request body", readable(r.Body)}, {"Response body", readable(r.Response)}} {
		if part.Text == "" {
			part.Text = "none, or not kept"
		}
		shown.Parts = append(shown.Parts, part)
	}
	return shown, true
}

// outcome is the status of a request in the log, and what else became of it.
func outcome(r server.Request) string {
	text := strconv.Itoa(r.Status)
	if r.Dropped {
		text += ", dropped"
	}
	return text
}

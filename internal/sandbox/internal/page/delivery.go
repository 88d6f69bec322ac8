package page

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/collections"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/collections/delivery"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/server"
)

func deliveryAge(r collections.DeliveryRow) (time.Time, int64) { return r.CreatedAt, r.Number }

// deliveries returns a page of the deliveries, those of removed endpoints included.
func (v *viewer) deliveries() list[collections.DeliveryRow] {
	is := func(name, value string) bool { return v.query.Get(name) == "" || v.query.Get(name) == value }
	all := slices.DeleteFunc(sorted(v, v.Collections.Deliveries.All(v.tx), deliveryAge),
		func(r collections.DeliveryRow) bool {
			return !is("endpoint", r.EndpointID) || !is("event", r.Event) || !is("status", string(r.State.Status))
		})
	return pageOf(v, "deliveries", "deliveries", all, shownObjects)
}

// failedDeliveries counts those that have not succeeded, and are not waiting for their first attempt.
func (v *viewer) failedDeliveries() (n int) {
	for _, r := range v.Collections.Deliveries.All(v.tx) {
		if r.State.Redeliverable() {
			n++
		}
	}
	return n
}

// choice is a parameter that selects deliveries, with its values.
type choice struct {
	Name    string
	Options []option
}

type option struct {
	Value, Text string
	Current     bool
}

// choices are the endpoints, events and statuses that deliveries have. A parameter with one value selects nothing.
func (v *viewer) choices() (all []choice) {
	values := map[string]map[string]string{"endpoint": {}, "event": {}, "status": {}} // texts by value
	for _, r := range v.Collections.Deliveries.All(v.tx) {
		if values["endpoint"][r.EndpointID] == "" {
			values["endpoint"][r.EndpointID] = v.urlOf(r)
		}
		values["event"][r.Event] = r.Event
		values["status"][string(r.State.Status)] = string(r.State.Status)
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		of, now := choice{Name: name}, v.query.Get(name)
		if now != "" {
			values[name][now] = cmp.Or(values[name][now], now)
		}
		for value, text := range values[name] {
			of.Options = append(of.Options, option{value, text, now == value})
		}
		slices.SortFunc(of.Options, func(a, b option) int {
			return cmp.Or(cmp.Compare(a.Text, b.Text), cmp.Compare(a.Value, b.Value))
		})
		if len(of.Options) > 1 || now != "" {
			all = append(all, of)
		}
	}
	return all
}

// urlOf returns the address of a delivery's endpoint.
func (v *viewer) urlOf(r collections.DeliveryRow) string {
	endpoint, removed := v.Collections.EndpointOf(v.tx, r.EndpointID)
	text := cmp.Or(withoutQuery(endpoint.Endpoint.URL), "endpoint "+v.short(r.EndpointID).String())
	if removed {
		text += " (removed)"
	}
	return text
}

// delivery shows the request of a delivery and the receiver's response to each attempt.
func (v *viewer) delivery(row collections.DeliveryRow) (facts [][2]string, parts []part) {
	endpoint, _ := v.Collections.EndpointOf(v.tx, row.EndpointID)
	lastError := row.State.LastError
	for _, a := range row.State.Trail {
		lastError = withoutURL(lastError, a.URL) // the endpoint may have another one since
	}
	facts = [][2]string{
		{"Event", row.Event}, {"Event id", row.EventID}, {"Status", string(row.State.Status)},
		{"Endpoint", v.urlOf(row)}, {"Created", clock(row.CreatedAt)}, {"Cause", v.causeOf(row)},
		{"Last error", lastError},
	}
	if row.State.Due != nil {
		facts = append(facts, [2]string{"Next attempt", clock(*row.State.Due)})
	}
	if !v.canResend(row) {
		why := "no: only a failed or exhausted delivery can be sent again"
		if row.State.Redeliverable() {
			why = "no: the endpoint is inactive or removed"
		}
		facts = append(facts, [2]string{"Can be sent again", why})
	} else {
		parts = append(parts, part{Heading: "Send it again", IsCommand: true,
			Text: "billing-sandbox deliveries resend " + row.ID})
	}
	payload := v.Collections.Payload(v.tx, row.EventID)
	var formatted bytes.Buffer
	_ = json.Indent(&formatted, payload, "", "  ") // in the order that was sent
	parts = append(parts, part{Heading: "Payload", Text: formatted.String()},
		part{Heading: "Payload, as sent", Text: string(payload), Closed: true})
	parts = append(parts, signatureOf(row, endpoint, payload)...)
	for _, a := range slices.Backward(row.State.Trail) {
		sent, returned := exchange(a)
		parts = append(parts, part{Heading: attemptTitle(a), Label: "Request", Text: sent},
			part{Label: "Response", Text: returned})
	}
	return facts, parts
}

// signatureOf explains the signatures of a delivery that has been sent.
func signatureOf(row collections.DeliveryRow, endpoint collections.EndpointRow, payload []byte) []part {
	last := len(row.State.Trail) - 1
	if last < 0 {
		return nil
	}
	attempt := row.State.Trail[last]
	how := fmt.Sprintf("t is the time of the attempt in seconds. v1 is the HMAC-SHA256, in hexadecimal, over t, a dot "+
		"and the payload as sent, with the whole secret of the endpoint (%s) as the key.", hint(endpoint.Secret))
	if delivery.Signature(endpoint.Secret, attempt.At, payload) != attempt.RequestHeaders[delivery.SignatureHeader] {
		return []part{{Heading: "Signature", IsProse: true, Text: how + " The secret has been rotated since."}}
	}
	return []part{{Heading: "Signature", IsProse: true, Text: how}, {
		Heading: "Compute v1 of the last attempt", IsCommand: true,
		Text: fmt.Sprintf(`printf '%%s' %s | openssl dgst -sha256 -hmac "$SECRET"`,
			quoted(fmt.Sprintf("%d.%s", attempt.At.Unix(), payload)))}}
}

// canResend reports whether the service would send a delivery again.
func (v *viewer) canResend(row collections.DeliveryRow) bool {
	endpoint, _ := v.Collections.Endpoints.Get(v.tx, row.EndpointID)
	return endpoint.Endpoint.Active && row.State.Redeliverable()
}

// causeOf returns what made the event of a delivery.
func (v *viewer) causeOf(row collections.DeliveryRow) string {
	state := v.Collections.StateOf(v.tx, row)
	for _, r := range v.requests {
		if state.RequestID != "" && r.RequestID == state.RequestID {
			return "request " + r.Operation + " by " + cmp.Or(clientName(r.Client), "unnamed client")
		}
	}
	if state.Cause == server.ByCommand {
		return "billing-sandbox event emit, or Emit on this page"
	}
	return cmp.Or(strings.TrimSpace(state.Cause+" "+state.RequestID), "unknown")
}

// hint is enough of a secret to recognize it.
func hint(secret string) string {
	const head, tail, least = 10, 4, 32
	if len(secret) < least {
		return "not shown"
	}
	return secret[:head] + "…" + secret[len(secret)-tail:]
}

func attemptTitle(a delivery.Attempt) string {
	title := fmt.Sprintf("Attempt %d", a.Number)
	if a.Cycle > 0 {
		title += fmt.Sprintf(" of redelivery %d", a.Cycle)
	}
	outcome := "no response"
	if a.HTTPCode != 0 {
		outcome = fmt.Sprint(a.HTTPCode)
	}
	return title + " · " + outcome + " · " + clock(a.At)
}

// exchange formats an attempt as sent, without the body, which is shown as the payload, and what the receiver returned.
func exchange(a delivery.Attempt) (sent, returned string) {
	var request, response strings.Builder
	request.WriteString("POST " + withoutQuery(a.URL) + "\n")
	writeHeaders(&request, a.RequestHeaders)
	if a.HTTPCode != 0 {
		fmt.Fprintf(&response, "%d %s\n", a.HTTPCode, http.StatusText(a.HTTPCode))
		writeHeaders(&response, a.ResponseHeaders)
		if a.ResponseBody != "" {
			response.WriteString("\n" + a.ResponseBody + "\n")
		}
	}
	if a.Error != "" {
		response.WriteString(withoutURL(a.Error, a.URL) + "\n")
	}
	return strings.TrimSpace(request.String()), strings.TrimSpace(response.String())
}

// withoutURL hides the query of an attempt's address in a text.
func withoutURL(text, url string) string {
	if url == "" {
		return text
	}
	return strings.ReplaceAll(text, url, withoutQuery(url))
}

func writeHeaders(to *strings.Builder, headers map[string]string) {
	for _, name := range slices.Sorted(maps.Keys(headers)) {
		fmt.Fprintf(to, "%s: %s\n", name, headers[name])
	}
}

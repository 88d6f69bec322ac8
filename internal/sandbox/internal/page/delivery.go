package page

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/collections"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/collections/delivery"
)

// delivery shows the request of a delivery and the receiver's response to each attempt.
func (v *viewer) delivery(row collections.DeliveryRow) (facts [][2]string, parts []part) {
	endpoint, _ := v.Collections.Endpoints.Get(v.tx, row.EndpointID)
	url := endpoint.Endpoint.URL
	facts = [][2]string{
		{"Event", row.Event}, {"Event id", row.EventID}, {"Status", string(row.State.Status)},
		{"Endpoint", cmp.Or(withoutQuery(url), "removed")}, {"Created", clock(row.CreatedAt)},
	}
	if row.State.Due != nil {
		facts = append(facts, [2]string{"Next attempt", clock(*row.State.Due)})
	}
	if row.State.Redeliverable() {
		parts = append(parts, part{Heading: "Send it again", IsCommand: true,
			Text: fmt.Sprintf("billing-sandbox call POST /api/v1/webhook-endpoints/%s/deliveries/%s/retry", row.EndpointID,
				row.ID)})
	}
	for _, a := range slices.Backward(row.State.Trail) {
		parts = append(parts, part{Heading: attemptTitle(a), Text: exchange(a, endpoint, url)})
	}
	return facts, append(parts, part{Heading: "Payload, as sent", Text: string(v.Collections.Payload(v.tx, row.EventID))})
}

func attemptTitle(a delivery.Attempt) string {
	title := fmt.Sprintf("Attempt %d", a.Number)
	if a.Cycle > 0 {
		title += fmt.Sprintf(" of redelivery %d", a.Cycle)
	}
	return title + ", " + clock(a.At)
}

// exchange formats an attempt as sent, without the body, which is shown as the payload. The record has no signature, so
// it is recalculated. It differs from the original if the secret has since been rotated.
func exchange(a delivery.Attempt, endpoint collections.EndpointRow, url string) string {
	var text strings.Builder
	sent := maps.Clone(a.RequestHeaders)
	if endpoint.Secret != "" && sent[delivery.SignatureHeader] != "" {
		sent[delivery.SignatureHeader] = delivery.Signature(endpoint.Secret, a.At, []byte(a.RequestBody)) +
			" (with the current secret)"
	}
	text.WriteString("POST " + withoutQuery(url) + "\n")
	writeHeaders(&text, sent)
	text.WriteString("\n")
	if a.HTTPCode != 0 {
		fmt.Fprintf(&text, "%d\n", a.HTTPCode)
		writeHeaders(&text, a.ResponseHeaders)
		if a.ResponseBody != "" {
			text.WriteString("\n" + a.ResponseBody + "\n")
		}
	}
	if a.Error != "" {
		text.WriteString(strings.ReplaceAll(a.Error, url, withoutQuery(url)) + "\n")
	}
	return strings.TrimSpace(text.String())
}

func writeHeaders(to *strings.Builder, headers map[string]string) {
	for _, name := range slices.Sorted(maps.Keys(headers)) {
		fmt.Fprintf(to, "%s: %s\n", name, headers[name])
	}
}

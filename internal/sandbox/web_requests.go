package sandbox

import (
	"slices"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/page"
)

// viewRequests are the newest requests, without their bodies.
func (v viewer) viewRequests() page.List[page.Request] {
	list := page.List[page.Request]{Total: len(v.requests)}
	for _, r := range slices.Backward(v.requests[max(0, len(v.requests)-shownRequests):]) {
		shown := page.Request{
			At: r.Time, Service: string(r.Service), Operation: r.Operation, Method: r.Method, Address: r.Path,
			RequestID: r.RequestID, Token: r.Token, Fault: r.Fault, Status: r.Status, Dropped: r.Dropped,
		}
		if r.Query != "" {
			shown.Address += "?" + r.Query
		}
		list.Shown = append(list.Shown, shown)
	}
	return list
}

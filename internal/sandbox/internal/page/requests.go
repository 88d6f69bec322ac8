package page

import (
	"slices"
)

// viewRequests are the newest requests, without their bodies.
func (v viewer) viewRequests() List[Request] {
	list := List[Request]{Total: len(v.requests)}
	for _, r := range slices.Backward(v.requests[max(0, len(v.requests)-shownRequests):]) {
		shown := Request{
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

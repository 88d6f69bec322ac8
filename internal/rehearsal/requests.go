package rehearsal

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/recurring-billing/terraform-provider-billing/internal/evidence"
	"github.com/recurring-billing/terraform-provider-billing/internal/orgcopy"
	"github.com/recurring-billing/terraform-provider-billing/internal/rehearsal/internal/tfjson"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// requestLog is a log of the requests that change something, and of the collections that others read. That of the
// sandbox keeps only the newest requests, and the responses of even fewer.
type requestLog struct {
	mu       sync.Mutex
	requests []sandbox.Request
	reads    []string
}

func (l *requestLog) add(q sandbox.Request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if q.Method != http.MethodGet {
		l.requests = append(l.requests, q)
	} else if name := collectionOf(q); name != "" && !slices.Contains(l.reads, name) {
		l.reads = append(l.reads, name)
	}
}

// deliveries is the name of the list of deliveries among the collections. A copy never has them.
const deliveries = "deliveries"

// collectionOf returns the collection that a request reads, as in orgcopy.Collections; "" for other requests.
func collectionOf(q sandbox.Request) string {
	path, _, _ := strings.Cut(strings.TrimPrefix(q.Path, "/v1/"), "/")
	switch {
	case q.Operation == "webhook_deliveries.list":
		return deliveries
	case q.Operation == "invoices.list", q.Operation == "records.list":
		return orgcopy.BillingPrefix + path
	case strings.HasPrefix(q.Operation, "finance.") && !strings.HasPrefix(q.Operation, "finance.openapi"):
		return path
	}
	return ""
}

// since returns the requests from the nth one on.
func (l *requestLog) since(n int) []sandbox.Request {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.requests[n:])
}

func (l *requestLog) count() int { return len(l.since(0)) }

// lacks returns the collections that were read and are not in a copy.
func (l *requestLog) lacks(copied orgcopy.Collections) (names []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, name := range l.reads {
		if !slices.Contains(copied.Copied, name) && !slices.Contains(copied.Absent, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// created returns the ids of objects that requests have created.
func created(requests []sandbox.Request) map[string]bool {
	ids := map[string]bool{}
	for _, q := range requests {
		var response struct {
			Data fields `json:"data"`
		}
		if strings.HasSuffix(q.Operation, ".create") && json.Unmarshal(q.Response, &response) == nil {
			ids[tfjson.Text(response.Data["id"])] = true
		}
	}
	return ids
}

// nounOfReference are the nouns of the members that refer to the catalogue.
var nounOfReference = map[string]string{"plan_id": "plan", "product_id": "product", "price_id": "price"}

// references returns a sentence for each plan, product and price that the apply refers to and the copy does not have.
// The service may have it: a list can omit archived ones.
func (r *rehearsal) references() (sentences []string) {
	known, listed := map[string]bool{}, map[string]bool{}
	know := func(_, id string) { known[id] = true }
	for _, o := range r.objects {
		know("", o.ID())
		listed[o.Collection] = true
		if o.Kind == evidence.Subscription {
			eachReference(o.Object, know)
			eachReference(o.Items, know)
		}
	}
	for _, q := range r.log.since(0) {
		eachReference(q.Body, func(noun, id string) {
			if listed[noun+"s"] && !known[id] {
				known[id] = true
				sentences = append(sentences, fmt.Sprintf("Whether the service accepts the %s %s: neither the organization's "+
					"list of %ss nor a subscription has it.", noun, id, noun))
			}
		})
	}
	slices.Sort(sentences)
	return sentences
}

// eachReference calls visit for each reference to the catalogue in a document.
func eachReference(document []byte, visit func(noun, id string)) {
	var whole any
	if json.Unmarshal(document, &whole) != nil {
		return // without a body there is none
	}
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case []any:
			for _, one := range v {
				walk(one)
			}
		case fields:
			for member, one := range v {
				if id, ok := one.(string); ok && nounOfReference[member] != "" {
					visit(nounOfReference[member], id)
				}
				walk(one)
			}
		}
	}
	walk(whole)
}

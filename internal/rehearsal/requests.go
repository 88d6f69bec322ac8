package rehearsal

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"sync"

	"github.com/recurring-billing/terraform-provider-billing/internal/evidence"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// requestLog is a log of the requests that change something. That of the sandbox keeps only the newest requests, and
// the responses of even fewer.
type requestLog struct {
	mu       sync.Mutex
	requests []sandbox.Request
}

func (l *requestLog) add(q sandbox.Request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if q.Method != http.MethodGet {
		l.requests = append(l.requests, q)
	}
}

// since returns the requests from the nth one on.
func (l *requestLog) since(n int) []sandbox.Request {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.requests[n:])
}

func (l *requestLog) count() int { return len(l.since(0)) }

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

package evidence

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Event is one delivery of the collections service to a webhook endpoint, in wire format.
type Event struct {
	// Name is the name of the entry, such as "collections/events/api_key_rotated".
	Name string `json:"-"`
	// Source names the sections of the service description on which the delivery is based, and the tool that signed it.
	Source string `json:"source"`
	// Event is the event's name, such as "api_key.rotated".
	Event string `json:"event"`
	// Secret is the endpoint's secret. It is invented.
	Secret  string          `json:"secret"`
	Request DeliveryRequest `json:"request"`
}

// DeliveryRequest is the request of a delivery.
type DeliveryRequest struct {
	Method  string            `json:"method"`
	Headers map[string]string `json:"headers"`
	// Body is text rather than JSON, because the signature covers its exact bytes.
	Body string `json:"body"`
}

// eventsPrefix is the prefix of deliveries' names.
const eventsPrefix = "collections/events/"

// Events returns the recorded deliveries, sorted by name. It panics if one is invalid; the package's tests prevent
// that.
func Events() []Event {
	var events []Event
	for _, name := range slices.Sorted(maps.Keys(entries())) {
		if !strings.HasPrefix(name, eventsPrefix) {
			continue
		}
		event := Event{Name: name}
		if err := readEvidence(name, &event); err != nil {
			panic(fmt.Errorf("event %q: %w", name, err))
		}
		events = append(events, event)
	}
	return events
}

// signaturesName is the entry with the signatures.
const signaturesName = "collections/signatures"

// Signature is a test vector of Collections §5: the X-Webhook-Signature of a body.
type Signature struct {
	// Name describes the vector's special feature.
	Name string `json:"name"`
	// Secret is the endpoint's secret, with its prefix. It is invented.
	Secret string `json:"secret"`
	// Timestamp is the time of sending in Unix seconds.
	Timestamp int64 `json:"timestamp"`
	// Body is the raw body.
	Body string `json:"body"`
	// Header is the whole value of the header.
	Header string `json:"header"`
}

// Signatures returns the vectors, which an external tool has computed. It panics if they are invalid; the package's
// tests prevent that.
func Signatures() []Signature {
	var all struct {
		Source  string      `json:"source"`
		Vectors []Signature `json:"vectors"`
	}
	if err := readEvidence(signaturesName, &all); err != nil {
		panic(fmt.Errorf("signatures: %w", err))
	}
	return all.Vectors
}

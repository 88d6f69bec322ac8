package evidence

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Event is one delivery of the collections service to a webhook endpoint, as it
// is on the wire.
type Event struct {
	// Name is, for example, "collections/events/api_key_rotated".
	Name string `json:"-"`
	// Source names the sections of the service description that the delivery was
	// written from, and the tool that signed it.
	Source string `json:"source"`
	// Event is the event's name, for example "api_key.rotated".
	Event string `json:"event"`
	// Secret is what the endpoint was given when it was made. It is invented.
	Secret  string          `json:"secret"`
	Request DeliveryRequest `json:"request"`
}

// DeliveryRequest is the request that carries an event.
type DeliveryRequest struct {
	Method  string            `json:"method"`
	Headers map[string]string `json:"headers"`
	// Body is text and not JSON, because the signature is one of these very bytes.
	Body string `json:"body"`
}

// eventsPrefix begins the names of deliveries.
const eventsPrefix = "collections/events/"

// Events returns the recorded deliveries, sorted by name. It panics when one
// cannot be read, which the package's own tests rule out.
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

// signaturesName is the one entry next to the exchanges and deliveries that is neither.
const signaturesName = "collections/signatures"

// Signature is a test vector of Collections §5: the X-Webhook-Signature of a body.
type Signature struct {
	// Name says what is special about the vector.
	Name string `json:"name"`
	// Secret is the endpoint's, with its prefix. It is invented.
	Secret string `json:"secret"`
	// Timestamp is the time of sending in seconds since 1970.
	Timestamp int64 `json:"timestamp"`
	// Body is the raw body.
	Body string `json:"body"`
	// Header is the whole value of the header.
	Header string `json:"header"`
}

// Signatures returns the vectors, which a tool that is not part of this project
// has computed. It panics when they cannot be read, which the package's own tests rule out.
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

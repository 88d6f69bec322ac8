package contract_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// event is what has happened, as it stands in every delivery of it.
type event struct {
	id, name string
	body     []byte
}

func newEvent(f *faithful, name string, data object) event {
	body, err := json.Marshal(object{
		"event": name, "timestamp": f.moment(), "organizationId": "1cb000fc-4a11-4fd3-a30d-65e5eccf7d56", "data": data,
	})
	if err != nil {
		panic(err)
	}
	return event{newUUID(), name, body}
}

// delivery is an event on its way to an endpoint.
type delivery struct {
	endpoint any // its id
	event    event
	record   object
	attempts int
	due      time.Time // of the next attempt; zero when there is none
}

// sending is one attempt, before it is made.
type sending struct {
	server    *faithful
	delivery  *delivery
	method    string
	url       string
	header    http.Header
	body      []byte
	at        time.Time
	secret    string
	redirects bool
}

func (f *faithful) schedule(endpoint object, what event) *delivery {
	one := &delivery{endpoint: endpoint["id"], event: what, due: f.now, record: object{
		"id": newUUID(), "event": what.name, "eventId": what.id, "status": "pending", "httpCode": nil, "attempts": 0,
		"createdAt": f.moment(), "lastError": nil, "requestBody": nil, "responseBody": nil, "deliveredAt": nil, "nextRetryAt": nil,
	}}
	f.deliveries = append(f.deliveries, one)
	return one
}

// work sends what is due now.
func (f *faithful) work() {
	if !f.async {
		f.deliverUntil(f.now)
		return
	}
	go func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.deliverUntil(f.now)
	}()
}

// deliverUntil makes the attempts that are due by then, each at its time.
func (f *faithful) deliverUntil(then time.Time) {
	for {
		var next *delivery
		for _, one := range f.deliveries {
			if !one.due.IsZero() && !one.due.After(then) && (next == nil || one.due.Before(next.due)) {
				next = one
			}
		}
		if next == nil {
			return
		}
		f.attempt(next)
	}
}

// backoff is the wait after so many attempts.
func backoff(attempts int) time.Duration { return 4 * time.Minute << (attempts - 1) }

// attempt sends a delivery and records what came of it.
func (f *faithful) attempt(one *delivery) {
	at := one.due
	one.due = time.Time{}
	one.record["nextRetryAt"] = nil
	endpoint, _ := find(f.endpoints, one.endpoint)
	if endpoint == nil || endpoint["active"] != true {
		one.record["status"], one.record["lastError"] = "exhausted", "the endpoint is inactive"
		return
	}
	one.attempts++
	one.record["attempts"], one.record["requestBody"] = one.attempts, string(one.event.body)
	wrong := f.send(f.prepare(one, endpoint, at))
	if wrong == "" {
		one.record["status"], one.record["deliveredAt"], one.record["lastError"] = "success", moment(at), nil
		return
	}
	one.record["status"], one.record["lastError"] = "exhausted", wrong
	if one.attempts < f.tries {
		one.due = at.Add(f.wait(one.attempts))
		one.record["status"], one.record["nextRetryAt"] = "failed", moment(one.due)
	}
}

func (f *faithful) prepare(one *delivery, endpoint object, at time.Time) *sending {
	out := &sending{
		server: f, delivery: one, method: http.MethodPost, url: endpoint["url"].(string), header: http.Header{},
		body: one.event.body, at: at, secret: f.secrets[one.endpoint],
	}
	for name, value := range map[string]string{
		"Content-Type": "application/json", "User-Agent": "faithful/1.0", "X-Webhook-Event": one.event.name,
		"X-Webhook-Event-Id": one.event.id, "X-Webhook-Delivery-Id": one.record["id"].(string),
		"X-Webhook-Attempt": strconv.Itoa(one.attempts), "X-Webhook-Timestamp": moment(at),
	} {
		out.header.Set(name, value)
	}
	sent := f.withheld[one.endpoint]
	text := func(name string) string { text, _ := sent[name].(string); return text }
	switch sent["type"] {
	case "basic":
		out.header.Set("Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte(text("username")+":"+text("password"))))
	case "bearer":
		out.header.Set("Authorization", "Bearer "+text("token"))
	case "header":
		out.header.Set(text("name"), text("value"))
	}
	return out
}

// send makes the request and returns what is wrong with the answer.
func (f *faithful) send(out *sending) string {
	if f.tamper != nil {
		f.tamper(out)
	}
	if out.header.Get("X-Webhook-Signature") == "" {
		out.header.Set("X-Webhook-Signature", signed(out.secret, out.at.Unix(), string(out.body)))
	}
	request, err := http.NewRequest(out.method, out.url, bytes.NewReader(out.body))
	if err != nil {
		return err.Error()
	}
	request.Header = out.header
	record := out.delivery.record
	record["httpCode"], record["responseBody"], record["requestHeaders"] = nil, nil, f.redact(out.header, out.delivery)
	client := *f.client
	if !out.redirects {
		client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	}
	response, err := client.Do(request)
	if err != nil {
		return "the connection broke"
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return "the connection broke"
	}
	record["httpCode"], record["responseBody"], record["responseHeaders"] = response.StatusCode, string(body), f.redact(response.Header, out.delivery)
	if response.StatusCode/100 != 2 {
		return fmt.Sprintf("the endpoint answered %d", response.StatusCode)
	}
	return ""
}

// redact is headers as a delivery shows them.
func (f *faithful) redact(header http.Header, one *delivery) object {
	own, _ := f.withheld[one.endpoint]["name"].(string)
	shown := object{}
	for name := range header {
		shown[name] = header.Get(name)
		if slices.Contains([]string{"X-Webhook-Signature", "Authorization", "Set-Cookie", http.CanonicalHeaderKey(own)}, name) {
			shown[name] = "[REDACTED]"
		}
	}
	return shown
}

// records lists an endpoint's deliveries or sends one again; rest is "" or
// "/{deliveryId}/retry".
func (f *faithful) records(r *http.Request, endpoint object, rest string) reply {
	var records []object
	for _, one := range f.deliveries {
		if one.endpoint != endpoint["id"] {
			continue
		}
		records = append(records, one.record)
		if rest != "/"+one.record["id"].(string)+"/retry" {
			continue
		}
		if endpoint["active"] != true {
			return reply{status: http.StatusConflict, err: "ENDPOINT_INACTIVE"}
		}
		one.attempts, one.due = 0, f.now
		one.record["status"], one.record["attempts"], one.record["nextRetryAt"] = "pending", 0, nil
		return reply{status: http.StatusAccepted, body: object{"data": one.record}}
	}
	if strings.HasSuffix(rest, "/retry") {
		return notFound
	}
	return list(records, r.URL.Query(), f.most)
}

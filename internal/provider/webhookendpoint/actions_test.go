package webhookendpoint_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
	"github.com/recurring-billing/terraform-provider-billing/internal/acctest/golden"
	"github.com/recurring-billing/terraform-provider-billing/internal/bend"
	"github.com/recurring-billing/terraform-provider-billing/internal/core"
	"github.com/recurring-billing/terraform-provider-billing/internal/hook"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

const endpoints = "/api/v1/webhook-endpoints"

var same, says = acctest.Same, acctest.Says

func sorted(names ...string) []string { return slices.Sorted(slices.Values(names)) }

// consumer is an endpoint that was registered outside, its consumer, and a service to invoke actions on.
type consumer struct {
	*acctest.Service
	t        *testing.T
	receiver *hook.Receiver
	id       string
}

// consume stops the clock, so that attempts are only made when a test moves it.
func consume(t *testing.T, body acctest.JSON) *consumer {
	t.Helper()
	receiver := acctest.NewReceiver(t)
	service := acctest.Start(t, acctest.Receiving(receiver))
	if body == nil {
		body = acctest.JSON{}
	}
	body["url"] = receiver.URL
	id := service.Must("POST", endpoints, body)["id"].(string)
	return &consumer{service, t, receiver, id}
}

// test fires a test event by the action and follows it.
func (c *consumer) test(lines acctest.JSON) ([]string, []*tfprotov6.Diagnostic) {
	c.t.Helper()
	config := acctest.JSON{"endpoint_id": c.id}
	for name, value := range lines {
		config[name] = value
	}
	return c.Core().Invoke("billing_webhook_test", config)
}

var waiting = acctest.JSON{"wait": true}

// TestTestAction_success: each step is told, and at the end what the consumer returned.
func TestTestAction_success(t *testing.T) {
	t.Parallel()
	c := consume(t, nil)
	c.receiver.Respond(hook.Status(202, "thank you"))
	said, diagnostics := c.test(waiting)
	if len(diagnostics) > 0 || len(said) != 3 {
		t.Fatalf("said %q, %s", said, core.Errors(diagnostics))
	}
	delivery := c.Sandbox.Deliveries()[0]
	says(t, said[0], "Sent a test event", c.id, delivery.ID, delivery.EventID)
	says(t, said[1], "Waiting up to 20s for the outcome", "20s")
	says(t, said[2], "Delivery "+delivery.ID+" is success", "Attempts: 1", "Last HTTP status: 202", "Response: thank you")
	// Without waiting, the action ends when the event is on its way, whatever becomes of it.
	c.Sandbox.ResetRequests()
	for _, lines := range []acctest.JSON{nil, {"wait": false}} {
		if said, diagnostics := c.test(lines); len(diagnostics) > 0 || len(said) != 1 ||
			c.Count("webhook_deliveries.list") != 0 {
			t.Errorf("said %q, %s", said, core.Errors(diagnostics))
		}
	}
	if got := c.receiver.Got(); len(got) == 0 || got[0].Header.Get("X-Webhook-Event") != "webhook.test" {
		t.Errorf("the consumer got %v", got)
	}
}

// TestTestAction_fails: what keeps the event from arriving fails the action, with what is known of it and no secret.
func TestTestAction_fails(t *testing.T) {
	t.Parallel()
	fault := func(f sandbox.Fault) func(*consumer) { return func(c *consumer) { c.Sandbox.AddFault(f) } }
	for name, f := range map[string]struct {
		body  acctest.JSON
		spoil func(c *consumer)
	}{
		"test-rejected": {spoil: func(c *consumer) { c.receiver.Respond(hook.Status(401, "bad signature")) }},
		"test-answered-with-credentials": {acctest.JSON{"authentication": acctest.JSON{"type": "bearer",
			"token": "t0ken-of-the-test"}},
			func(c *consumer) { c.receiver.Respond(hook.Status(403, "no access with t0ken-of-the-test")) }},
		"test-redirected":  {spoil: func(c *consumer) { c.receiver.Respond(hook.Status(302, "")) }},
		"test-of-inactive": {acctest.JSON{"active": false}, func(*consumer) {}},
		"test-of-none":     {spoil: func(c *consumer) { c.id = "6f2d1c30-5c4e-4f2a-9a41-5d0b6c7d8e9f" }},
		"test-of-no-id":    {spoil: func(c *consumer) { c.id = "aurora" }},
		"test-not-followed": {spoil: fault(sandbox.Fault{Operation: "webhook_deliveries.list", Status: 403,
			Code: "insufficient_scope"})},
		"test-not-named": {spoil: fault(sandbox.Fault{Operation: "webhook_endpoints.test", After: true, Empty: true,
			Status: 202})},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := consume(t, f.body)
			f.spoil(c)
			_, diagnostics := c.test(waiting)
			golden.Said(t, name, diagnostics)
		})
	}
}

// TestTestAction_inactive: nothing is on its way to an endpoint that is not active, also where nobody waits for it.
func TestTestAction_inactive(t *testing.T) {
	t.Parallel()
	c := consume(t, acctest.JSON{"active": false})
	said, diagnostics := c.test(nil)
	if len(said) != 0 {
		t.Errorf("said %q", said)
	}
	golden.Said(t, "test-of-inactive-not-awaited", diagnostics)
}

// TestTestAction_followed: a second test event does no harm, so a request whose response is lost is sent again, and the
// event of the second response is followed, by the event alone where the service does not name its delivery.
func TestTestAction_followed(t *testing.T) {
	t.Parallel()
	c := consume(t, nil)
	c.Sandbox.AddFault(sandbox.Fault{Operation: "webhook_endpoints.test", Times: 1, DropAfter: true})
	for n := 2; n <= 3; n++ {
		said, diagnostics := c.test(waiting)
		deliveries := c.Sandbox.Deliveries()
		if text := core.Errors(diagnostics); text != "" || len(deliveries) != n {
			t.Fatalf("%d test events: %s", len(deliveries), text)
		}
		says(t, said[0], "event "+deliveries[n-1].EventID)
		says(t, said[len(said)-1], "Delivery "+deliveries[n-1].ID+" is success")
		c.Shows(bend.Data(func(object acctest.JSON) { delete(object, "deliveryId") }))
	}
}

// exhaust makes a business event happen that the consumer rejects, and lets its attempts run out when all is true.
func (c *consumer) exhaust(event string, all bool) {
	c.t.Helper()
	c.receiver.Respond(hook.Status(503, ""))
	if _, err := c.Sandbox.Emit(event, nil); err != nil {
		c.t.Fatal(err)
	}
	c.settle()
	for all && c.Sandbox.Deliveries()[len(c.Sandbox.Deliveries())-1].State.Open() {
		c.Sandbox.Clock().Advance(5 * time.Hour)
		c.settle()
	}
}

func (c *consumer) settle() {
	c.t.Helper()
	if err := c.Sandbox.WaitDeliveries(c.t.Context()); err != nil {
		c.t.Fatal(err)
	}
}

// statuses lists the deliveries at the service, oldest first.
func (c *consumer) statuses() []string {
	var all []string
	for _, d := range c.Sandbox.Deliveries() {
		all = append(all, string(d.State.Status))
	}
	return all
}

// TestRedelivery_all: all failed and exhausted deliveries are sent again, over all pages, and nothing else is; the
// events keep their ids.
func TestRedelivery_all(t *testing.T) {
	t.Parallel()
	c := consume(t, nil)
	c.exhaust("charge.paid", true)
	c.exhaust("dispute.opened", true)
	c.exhaust("agreement.accepted", false)
	c.receiver.Respond(hook.Status(200, ""))
	if _, err := c.Sandbox.Emit("charge.paid", nil); err != nil {
		t.Fatal(err)
	}
	c.settle()
	same(t, "before", c.statuses(), "exhausted", "exhausted", "failed", "success")
	before := c.receiver.Got()
	c.Sandbox.ResetRequests()
	said, diagnostics := c.Core().Invoke("billing_webhook_redelivery", acctest.JSON{"endpoint_id": c.id})
	if text := core.Errors(diagnostics); text != "" || len(said) != 4 {
		t.Fatalf("said %q, %s", said, text)
	}
	says(t, said[0], "Failed or exhausted deliveries", ": 3.", c.id)
	for i, line := range said[1:] {
		says(t, line, c.Sandbox.Deliveries()[i].ID, " again (", string(rune('1'+i))+" of 3")
	}
	c.settle()
	same(t, "after", c.statuses(), "success", "success", "success", "success")
	var events []string
	for _, d := range c.receiver.Got()[len(before):] {
		events = append(events, d.Header.Get("X-Webhook-Event-Id"))
	}
	var want []string
	for _, d := range c.Sandbox.Deliveries()[:3] {
		want = append(want, d.EventID)
	}
	same(t, "events sent again", sorted(events...), sorted(want...)...)
	// Nothing is left to do, which is not an error.
	said, diagnostics = c.Core().Invoke("billing_webhook_redelivery", acctest.JSON{"endpoint_id": c.id})
	if len(diagnostics) > 0 || len(said) != 1 || !strings.Contains(said[0], ": 0") {
		t.Errorf("said %q, %s", said, core.Errors(diagnostics))
	}
}

// TestRedelivery_one: only the delivery that is named is sent again.
func TestRedelivery_one(t *testing.T) {
	t.Parallel()
	c := consume(t, nil)
	c.exhaust("charge.paid", true)
	c.exhaust("charge.paid", true)
	c.receiver.Respond(hook.Status(200, ""))
	second := c.Sandbox.Deliveries()[1].ID
	said, diagnostics := c.Core().Invoke("billing_webhook_redelivery",
		acctest.JSON{"endpoint_id": c.id, "delivery_id": second})
	if text := core.Errors(diagnostics); text != "" || len(said) != 1 {
		t.Fatalf("said %q, %s", said, text)
	}
	says(t, said[0], second, "1 of 1")
	c.settle()
	same(t, "after", c.statuses(), "exhausted", "success")
	for name, id := range map[string]string{"redelivery-of-none": "6f2d1c30-5c4e-4f2a-9a41-5d0b6c7d8e9f",
		"redelivery-of-no-id": " "} {
		_, diagnostics = c.Core().Invoke("billing_webhook_redelivery", acctest.JSON{"endpoint_id": c.id, "delivery_id": id})
		golden.Said(t, name, diagnostics)
	}
}

// TestRedelivery_stops: a rejection in the middle reports how many were sent before it, and that of an inactive
// endpoint says what to do.
func TestRedelivery_stops(t *testing.T) {
	t.Parallel()
	c := consume(t, nil)
	c.exhaust("charge.paid", true)
	c.exhaust("charge.paid", true)
	c.receiver.Respond(hook.Status(200, ""))
	c.Sandbox.AddFault(sandbox.Fault{Operation: "webhook_deliveries.retry", Skip: 1, Times: 1, Status: 403,
		Code: "insufficient_scope"})
	said, diagnostics := c.Core().Invoke("billing_webhook_redelivery", acctest.JSON{"endpoint_id": c.id})
	golden.Said(t, "redelivery-stopped", diagnostics)
	if !slices.ContainsFunc(said, func(line string) bool { return strings.Contains(line, "1 of 2") }) {
		t.Errorf("said %q", said)
	}
	c.settle()
	same(t, "after", c.statuses(), "success", "exhausted")
	c.Must("PATCH", endpoints+"/"+c.id, acctest.JSON{"active": false})
	_, diagnostics = c.Core().Invoke("billing_webhook_redelivery", acctest.JSON{"endpoint_id": c.id})
	golden.Said(t, "redelivery-to-inactive", diagnostics)
	_, diagnostics = c.Core().Invoke("billing_webhook_redelivery",
		acctest.JSON{"endpoint_id": "6f2d1c30-5c4e-4f2a-9a41-5d0b6c7d8e9f"})
	golden.Said(t, "redelivery-to-none", diagnostics)
	c.Sandbox.AddFault(sandbox.Fault{Operation: "webhook_deliveries.list", Status: 403, Code: "insufficient_scope"})
	_, diagnostics = c.Core().Invoke("billing_webhook_redelivery", acctest.JSON{"endpoint_id": c.id})
	golden.Said(t, "redelivery-not-listed", diagnostics)
}

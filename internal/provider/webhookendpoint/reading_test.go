package webhookendpoint_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
	"github.com/recurring-billing/terraform-provider-billing/internal/bend"
	"github.com/recurring-billing/terraform-provider-billing/internal/core"
	"github.com/recurring-billing/terraform-provider-billing/internal/hook"
)

// registered are three endpoints, two of them with the same url; it returns their ids.
func registered(service *acctest.Service) []string {
	var ids []string
	for _, body := range []acctest.JSON{
		{"url": "https://one.example.com/", "description": "first", "events": []string{"charge.paid"}, "active": false,
			"authentication": acctest.JSON{"type": "header", "name": "X-A", "value": "v"}},
		{"url": "https://two.example.com/"},
		{"url": "https://two.example.com/"},
	} {
		ids = append(ids, service.Must("POST", endpoints, body)["id"].(string))
	}
	return ids
}

// TestDataSources: an endpoint is found by id or url, none and more than one are errors that help, and the list has all
// pages, oldest first.
func TestDataSources(t *testing.T) {
	t.Parallel()
	service := acctest.Start(t)
	if none, _ := service.Core().Read("billing_webhook_endpoints", nil); fmt.Sprint(none["endpoints"]) != "[]" {
		t.Errorf("without any there is %v", none)
	}
	ids := registered(service)
	for _, config := range []acctest.JSON{{"id": ids[0]}, {"url": "https://one.example.com/"}} {
		found, said := service.Core().Read("billing_webhook_endpoint", config)
		if text := core.Errors(said); text != "" || found["created_at"] == nil || found["updated_at"] == nil {
			t.Fatalf("%v: %v, %s", config, found, text)
		}
		same(t, "found", []string{fmt.Sprint(found["id"], found["url"], found["description"], found["active"],
			found["events"], found["authentication"])}, fmt.Sprint(ids[0], "https://one.example.com/", "first",
			false, []any{"charge.paid"},
			acctest.JSON{"type": "header", "username": nil, "name": "X-A"}))
	}
	for _, c := range []struct {
		config acctest.JSON
		says   []string
	}{
		{acctest.JSON{"url": "https://two.example.com/"}, []string{"More than one webhook endpoint", ids[1], ids[2]}},
		{acctest.JSON{"url": "https://none.example.com/"}, []string{"No such webhook endpoint"}},
		{acctest.JSON{"id": "6f2d1c30-5c4e-4f2a-9a41-5d0b6c7d8e9f"}, []string{"No such webhook endpoint"}},
		{acctest.JSON{}, []string{"Set exactly one of"}},
	} {
		_, said := service.Core().Read("billing_webhook_endpoint", c.config)
		says(t, core.Errors(said), c.says...)
	}
	for limit, want := range map[any][]string{nil: ids, 2: ids[:2]} {
		read, _ := service.Core().Read("billing_webhook_endpoints", acctest.JSON{"limit": limit})
		var have []string
		for _, one := range read["endpoints"].([]any) {
			have = append(have, fmt.Sprint(one.(acctest.JSON)["id"]))
		}
		same(t, "the list", have, want...)
	}
	listed, said := service.Core().List("billing_webhook_endpoint", acctest.JSON{}, true)
	first := listed["https://one.example.com/"]
	if text := core.Errors(said); text != "" || len(listed) != 2 || first["secret"] != nil || first["active"] != false {
		t.Errorf("the query lists %v, %s", listed, text)
	}
	service.Shows(func(x *bend.Exchange) {
		response, _ := x.Got.(acctest.JSON)
		if paging, ok := response["meta"].(acctest.JSON); ok {
			paging["total"] = 1
		}
	})
	listed, said = service.Core().List("billing_webhook_endpoint", acctest.JSON{}, false)
	if len(said) != 1 || len(listed) != 2 {
		t.Errorf("with a total of 1, the query lists %v, %v", listed, said)
	} else {
		says(t, said[0].Detail, "a total of 1, but at least")
	}
}

// TestDeliveries: what became of the events, newest first unless asked otherwise, filtered by status and by event, in
// every field.
func TestDeliveries(t *testing.T) {
	t.Parallel()
	c := consume(t, nil)
	c.exhaust("charge.paid", true)
	c.exhaust("dispute.opened", false)
	c.receiver.Respond(hook.Status(201, "done"))
	if _, err := c.Sandbox.Emit("charge.paid", acctest.JSON{"id": "c-1"}); err != nil {
		t.Fatal(err)
	}
	c.settle()
	read := func(config acctest.JSON) ([]any, string) {
		config["endpoint_id"] = c.id
		read, said := c.Core().Read("billing_webhook_deliveries", config)
		all, _ := read["deliveries"].([]any)
		return all, core.Errors(said) + core.Warnings(said)
	}
	for _, q := range []struct {
		config acctest.JSON
		want   string
	}{
		{acctest.JSON{}, "success failed exhausted"},
		{acctest.JSON{"limit": 1}, "success"},
		{acctest.JSON{"limit": 2}, "success failed"},
		{acctest.JSON{"newest_first": true}, "success failed exhausted"},
		{acctest.JSON{"newest_first": false}, "exhausted failed success"},
		{acctest.JSON{"newest_first": false, "limit": 1}, "exhausted"},
		{acctest.JSON{"status": "success"}, "success"},
		{acctest.JSON{"status": "failed"}, "failed"},
		{acctest.JSON{"event": "charge.paid"}, "success exhausted"},
		{acctest.JSON{"event": "charge.paid", "status": "exhausted"}, "exhausted"},
		{acctest.JSON{"event": "nothing"}, ""},
	} {
		deliveries, text := read(q.config)
		var have []string
		for _, one := range deliveries {
			have = append(have, fmt.Sprint(one.(acctest.JSON)["status"]))
		}
		if strings.Join(have, " ") != q.want || text != "" {
			t.Errorf("%v: %v, want %s; it says %s", q.config, have, q.want, text)
		}
	}
	_, text := read(acctest.JSON{"status": "lost"}) // a warning: the service may know it
	says(t, text, `Unknown status of deliveries of webhook endpoint `+c.id)
	all, _ := read(acctest.JSON{})
	last, first := all[0].(acctest.JSON), all[2].(acctest.JSON)
	same(t, "the first", []string{fmt.Sprint(first["attempts"]), fmt.Sprint(first["http_code"]),
		fmt.Sprint(first["next_retry_at"]), fmt.Sprint(first["delivered_at"])}, "8", "503", "<nil>", "<nil>")
	if failed := all[1].(acctest.JSON); first["last_error"] == nil || failed["next_retry_at"] == nil {
		t.Errorf("after failures: %v, %v", first, failed)
	}
	same(t, "the last", []string{fmt.Sprint(last["event"]), fmt.Sprint(last["response_body"])}, "charge.paid", "done")
	for _, name := range []string{"id", "event_id", "created_at", "delivered_at"} {
		if last[name] == nil {
			t.Errorf("there is no %s", name)
		}
	}
	says(t, fmt.Sprint(last["request_body"]), `"c-1"`)
	_, said := c.Core().Read("billing_webhook_deliveries", acctest.JSON{"endpoint_id": "foo"})
	says(t, core.Errors(said), "It is not a UUID")
}

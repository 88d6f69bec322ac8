package webhookendpoint_test

import (
	"fmt"
	"regexp"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/querycheck"
	"github.com/hashicorp/terraform-plugin-testing/querycheck/queryfilter"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
	"github.com/hashicorp/terraform-plugin-testing/tfversion"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
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
		ids = append(ids, service.MustCollections("POST", endpoints, body)["id"].(string))
	}
	return ids
}

// TestAccWebhookEndpointDataSource: found by id or url; none and more than one are errors that help.
func TestAccWebhookEndpointDataSource(t *testing.T) {
	t.Parallel()
	service := acctest.Start(t)
	ids := registered(service)
	data := func(lines string) string {
		return service.Config("data \"billing_webhook_endpoint\" \"test\" {\n  " + lines + "\n}\n")
	}
	found := func(lines string) resource.TestStep {
		known := func(name string, want knownvalue.Check) statecheck.StateCheck {
			return statecheck.ExpectKnownValue("data.billing_webhook_endpoint.test", at(name), want)
		}
		return resource.TestStep{Config: data(lines), ConfigStateChecks: []statecheck.StateCheck{
			known("id", knownvalue.StringExact(ids[0])), known("url", knownvalue.StringExact("https://one.example.com/")),
			known("description", knownvalue.StringExact("first")), known("active", knownvalue.Bool(false)),
			known("events", knownvalue.SetExact([]knownvalue.Check{knownvalue.StringExact("charge.paid")})),
			known("authentication", knownvalue.ObjectExact(map[string]knownvalue.Check{
				"type": knownvalue.StringExact("header"), "username": knownvalue.Null(), "name": knownvalue.StringExact("X-A")})),
			known("created_at", knownvalue.NotNull()), known("updated_at", knownvalue.NotNull()),
		}}
	}
	refused := func(lines, says string) resource.TestStep {
		return resource.TestStep{Config: data(lines), ExpectError: regexp.MustCompile("(?s)" + says)}
	}
	run(t,
		found(`id = "`+ids[0]+`"`),
		refused(`url = "https://two.example.com/"`, `More than one webhook endpoint.*`+ids[1]+`.*`+ids[2]),
		refused(`url = "https://none.example.com/"`, `No such webhook endpoint`),
		refused(`id = "6f2d1c30-5c4e-4f2a-9a41-5d0b6c7d8e9f"`, `No such webhook endpoint`),
		refused("", `Set\s+exactly\s+one\s+of`),
		found(`url = "https://one.example.com/"`),
	)
}

// TestAccWebhookEndpointsDataSource: all endpoints over all pages, oldest first, unless the limit says otherwise.
func TestAccWebhookEndpointsDataSource(t *testing.T) {
	t.Parallel()
	service := acctest.Start(t)
	empty := service.Config(`data "billing_webhook_endpoints" "test" {}`)
	const address = "data.billing_webhook_endpoints.test"
	var ids []string
	run(t,
		resource.TestStep{Config: empty,
			ConfigStateChecks: []statecheck.StateCheck{statecheck.ExpectKnownValue(address, at("endpoints"),
				knownvalue.ListSizeExact(0))}},
		resource.TestStep{PreConfig: func() { ids = registered(service) }, Config: empty,
			ConfigStateChecks: []statecheck.StateCheck{
				statecheck.ExpectKnownValue(address, at("endpoints"), knownvalue.ListSizeExact(3)),
				statecheck.ExpectKnownValue(address, at("endpoints").AtSliceIndex(0).AtMapKey("id"), known(&ids, 0)),
				statecheck.ExpectKnownValue(address, at("endpoints").AtSliceIndex(2).AtMapKey("id"), known(&ids, 2)),
				statecheck.ExpectKnownValue(address, at("endpoints").AtSliceIndex(1).AtMapKey("authentication").AtMapKey("type"),
					knownvalue.StringExact("none")),
			}},
		resource.TestStep{Config: service.Config("data \"billing_webhook_endpoints\" \"test\" {\n  limit = 2\n}\n"),
			ConfigStateChecks: []statecheck.StateCheck{
				statecheck.ExpectKnownValue(address, at("endpoints"), knownvalue.ListSizeExact(2))}},
	)
}

// later is one of the ids, which are only known when the step runs.
type later struct {
	ids *[]string
	i   int
}

func known(ids *[]string, i int) knownvalue.Check { return later{ids, i} }

// CheckValue implements knownvalue.Check.
func (l later) CheckValue(value any) error {
	if want := (*l.ids)[l.i]; value != want {
		return fmt.Errorf("have %v, want %s", value, want)
	}
	return nil
}

// String implements knownvalue.Check.
func (l later) String() string { return fmt.Sprintf("id %d", l.i) }

// TestAccWebhookDeliveriesDataSource: what became of the events, newest first unless asked otherwise, filtered by
// status and by event, in every field.
func TestAccWebhookDeliveriesDataSource(t *testing.T) {
	t.Parallel()
	c := consume(t, nil)
	c.exhaust("charge.paid", true)
	c.exhaust("dispute.opened", false)
	c.receiver.Respond(201, "done")
	if _, err := c.Sandbox.Emit("charge.paid", acctest.JSON{"id": "c-1"}); err != nil {
		t.Fatal(err)
	}
	c.settle()
	text := func(lines string) string {
		return c.Config("data \"billing_webhook_deliveries\" \"test\" {\n  endpoint_id = \"" + c.id + "\"\n  " +
			lines + "\n}\n")
	}
	const address = "data.billing_webhook_deliveries.test"
	deliveries := at("deliveries")
	is := func(path tfjsonpath.Path, want knownvalue.Check) statecheck.StateCheck {
		return statecheck.ExpectKnownValue(address, path, want)
	}
	step := func(lines string, n int, checks ...statecheck.StateCheck) resource.TestStep {
		return resource.TestStep{Config: text(lines),
			ConfigStateChecks: append(checks, is(deliveries, knownvalue.ListSizeExact(n)))}
	}
	first, last := deliveries.AtSliceIndex(0), deliveries.AtSliceIndex(2)
	run(t,
		resource.TestStep{Config: c.Config("data \"billing_webhook_deliveries\" \"test\" {\n  endpoint_id = \"foo\"\n}\n"),
			PlanOnly: true, ExpectError: regexp.MustCompile(`"foo"\s+is\s+not\s+a\s+UUID`)},
		step("limit = 1", 1, is(first.AtMapKey("response_body"), knownvalue.StringExact("done"))),
		step("", 3, is(first.AtMapKey("status"), knownvalue.StringExact("success")),
			is(last.AtMapKey("status"), knownvalue.StringExact("exhausted"))),
		step("newest_first = false\n  limit = 1", 1, is(first.AtMapKey("status"), knownvalue.StringExact("exhausted"))),
		step("newest_first = false", 3,
			is(first.AtMapKey("status"), knownvalue.StringExact("exhausted")),
			is(first.AtMapKey("attempts"), knownvalue.Int64Exact(8)),
			is(first.AtMapKey("http_code"), knownvalue.Int64Exact(503)), is(first.AtMapKey("last_error"), knownvalue.NotNull()),
			is(first.AtMapKey("next_retry_at"), knownvalue.Null()), is(first.AtMapKey("delivered_at"), knownvalue.Null()),
			is(deliveries.AtSliceIndex(1).AtMapKey("next_retry_at"), knownvalue.NotNull()),
			is(last.AtMapKey("status"), knownvalue.StringExact("success")),
			is(last.AtMapKey("event"), knownvalue.StringExact("charge.paid")),
			is(last.AtMapKey("event_id"), knownvalue.NotNull()), is(last.AtMapKey("id"), knownvalue.NotNull()),
			is(last.AtMapKey("delivered_at"), knownvalue.NotNull()), is(last.AtMapKey("created_at"), knownvalue.NotNull()),
			is(last.AtMapKey("response_body"), knownvalue.StringExact("done")),
			is(last.AtMapKey("request_body"), knownvalue.StringRegexp(regexp.MustCompile(`"c-1"`))),
		),
		step(`status = "success"`, 1),
		step(`status = "failed"`, 1),
		step(`event = "charge.paid"`, 2),
		step("event = \"charge.paid\"\n  status = \"exhausted\"", 1),
		step("limit = 2", 2),
		step(`status = "lost"`, 0), // a warning: the service may know it
		step(`event = "nothing"`, 0),
	)
}

// TestAccWebhookEndpointList: a query lists every endpoint with its identity and the whole resource.
func TestAccWebhookEndpointList(t *testing.T) {
	t.Parallel()
	service := acctest.Start(t)
	ids := registered(service)
	const listed = "billing_webhook_endpoint.all"
	query := func(lines string) string {
		return "list \"billing_webhook_endpoint\" \"all\" {\n  provider = billing\n  " + lines + "\n}\n"
	}
	first := map[string]knownvalue.Check{"id": knownvalue.StringExact(ids[0]), "url": knownvalue.Null()}
	runFrom(t, tfversion.SkipBelow(tfversion.Version1_14_0),
		resource.TestStep{Config: service.Config("")},
		resource.TestStep{Query: true, Config: query(""),
			QueryResultChecks: []querycheck.QueryResultCheck{querycheck.ExpectLength(listed, 3)}},
		resource.TestStep{Query: true, Config: query("limit = 2"),
			QueryResultChecks: []querycheck.QueryResultCheck{querycheck.ExpectLength(listed, 2)}},
		resource.TestStep{Query: true, Config: query("include_resource = true"),
			QueryResultChecks: []querycheck.QueryResultCheck{
				querycheck.ExpectIdentity(listed, first),
				querycheck.ExpectResourceDisplayName(listed, queryfilter.ByResourceIdentity(first),
					knownvalue.StringExact("https://one.example.com/")),
				querycheck.ExpectResourceKnownValues(listed, queryfilter.ByResourceIdentity(first), []querycheck.KnownValueCheck{
					{Path: at("url"), KnownValue: knownvalue.StringExact("https://one.example.com/")},
					{Path: at("active"), KnownValue: knownvalue.Bool(false)},
					{Path: at("secret"), KnownValue: knownvalue.Null()},
					{Path: at("authentication").AtMapKey("name"), KnownValue: knownvalue.StringExact("X-A")},
				}),
			}},
	)
}

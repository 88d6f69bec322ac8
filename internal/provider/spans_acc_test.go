package provider_test

import (
	"encoding/hex"
	"fmt"
	"maps"
	"net"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

const traced = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

// TestAccSpans: of a plan, applies with failures, and a destroy the collector has a span of each request that the
// sandbox has got, in the caller's trace, with the type that has caused it and no secret.
func TestAccSpans(t *testing.T) {
	t.Parallel()
	const credential = "cr3dential-of-the-consumer"
	receiver := acctest.NewReceiver(t)
	service := acctest.Start(t, acctest.RunningClock, acctest.Receiving(receiver))
	service.NeedsSandbox("its requests are compared")
	collector := acctest.NewCollector(t)
	terraform := newCommand(t, clearConfig(receiver.URL)).at(service)
	terraform.env["OTEL_EXPORTER_OTLP_ENDPOINT"], terraform.env["TRACEPARENT"] = collector.URL, traced
	terraform.env["TF_VAR_credential"] = credential
	apply := func(version string) {
		terraform.write("main.tf", required+strings.ReplaceAll(clearConfig(receiver.URL), "VERSION", version))
		terraform.must("apply", "-auto-approve")
	}
	service.Sandbox.AddFault(sandbox.Fault{Operation: "finance.records.create", Times: 1, DropAfter: true})
	apply("1")
	service.Sandbox.AddFault(sandbox.Fault{Operation: "customers.update", Times: 1, Status: 503, Body: "canary"})
	service.Sandbox.AddFault(sandbox.Fault{Operation: "api_keys.rotate", Times: 1, Status: 429})
	apply("2")
	terraform.must("plan")
	terraform.must("destroy", "-auto-approve")

	requests, sent := map[string]int{}, map[string]int{}
	for _, r := range service.Sandbox.Requests() {
		requests[requestLine(r.Operation, r.Status, r.RequestID, r.Dropped)]++
	}
	types := map[string][]string{}
	for _, span := range collector.Spans() {
		operation, _ := span.Values["billing.operation"].(string)
		status, responded := span.Values["http.response.status_code"].(int64)
		id, _ := span.Values["billing.request_id"].(string)
		sent[requestLine(operation, int(status), id, !responded)]++
		if typeName := fmt.Sprint(span.Values["terraform.type"]); !slices.Contains(types[operation], typeName) {
			types[operation] = append(types[operation], typeName)
		}
		if got := hex.EncodeToString(span.GetTraceId()); got != traced[3:35] {
			t.Errorf("the trace is %s", got)
		}
		for _, secret := range []string{credential, terraform.env["BILLING_TOKEN"], terraform.env["BILLING_FINANCE_TOKEN"],
			terraform.env["BILLING_COLLECTIONS_API_KEY"], "whsec_", "ck_sandbox_", "canary", "?", "127.0.0.1"} {
			if text := fmt.Sprint(span.Values, span.GetStatus(), span.GetEvents()); strings.Contains(text, secret) {
				t.Errorf("a span has %q: %s", secret, text)
			}
		}
	}
	if !maps.Equal(requests, sent) {
		t.Errorf("the sandbox has got %v\nand the collector %v", requests, sent)
	}
	for operation, want := range map[string]string{"customers.create": "billing_customer",
		"finance.accounts.list":           "data.billing_finance_accounts",
		"webhook_endpoints.rotate_secret": "billing_webhook_endpoint",
	} {
		if !slices.Equal(types[operation], []string{want}) {
			t.Errorf("%s is of %v", operation, types[operation])
		}
	}
	if !slices.Contains(types["api_keys.create"], "ephemeral.billing_api_key") {
		t.Errorf("api_keys.create is of %v", types["api_keys.create"])
	}
}

// requestLine is a request as the sandbox and a span both show it: the client does not see the response to a dropped
// one.
func requestLine(operation string, status int, id string, dropped bool) string {
	if dropped {
		return operation + " dropped"
	}
	return fmt.Sprintf("%s %d %s", operation, status, id)
}

// TestAccSpans_silent: a collector that does not respond costs an apply about a second, and one line in the log of each
// process that has spans.
func TestAccSpans_silent(t *testing.T) {
	t.Parallel()
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { silent.Close() })
	service := acctest.Start(t)
	terraform := newCommand(t, `data "billing_organization" "this" {}`).at(service)
	terraform.env["TF_LOG_PROVIDER"], terraform.env["TF_LOG_PATH"] = "INFO", "provider.log"
	took := func() time.Duration {
		began := time.Now()
		terraform.must("plan")
		return time.Since(began)
	}
	without := took()
	terraform.env["OTEL_EXPORTER_OTLP_ENDPOINT"], terraform.env["TRACEPARENT"] = "http://"+silent.Addr().String(), traced
	if with := took(); with > without+2*time.Second {
		t.Errorf("a plan takes %s with the collector, and %s without", with, without)
	}
	log := terraform.read("provider.log")
	if lines := regexp.MustCompile(`\[WARN\].*Spans are not sent`).FindAllString(log, -1); len(lines) != 1 {
		t.Errorf("%d lines in the log:\n%s", len(lines), log)
	}
}

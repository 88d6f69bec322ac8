package provider

import (
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/metadata"
)

// FuzzSettings: whatever the environment says, an argument is an error or within its limits, and no error repeats a
// secret.
func FuzzSettings(f *testing.F) {
	for _, seed := range []string{"", "30s", "-1s", "1e9h", "5m0.5s", "0", "20", "21", "NaN", "Inf", "-0", "0x10", "1_000",
		"https://u:hush-hush-42@a.example", "sandbox", "\xff", "9223372036854775807", "1ns"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		everything := func(variable string) string {
			if strings.HasSuffix(variable, "_TOKEN") || strings.HasSuffix(variable, "_KEY") {
				return "hush-hush-42\n" + text
			}
			return text
		}
		s, diags := resolve(t.Context(), providerModel{DefaultCustomMetadata: metadata.Null()}, everything)
		wrong := map[string]bool{}
		for _, d := range diags {
			_, argument, _ := strings.Cut(d.Summary(), "argument ")
			wrong[argument] = true
			if strings.Contains(d.Summary()+d.Detail(), "hush-hush-42") && !strings.Contains(text, "hush-hush") {
				t.Errorf("an error repeats a secret: %s", d.Detail())
			}
		}
		if !wrong["request_timeout"] && s.requestTimeout != 0 && (s.requestTimeout < lowestRequestTimeout ||
			s.requestTimeout > highestRequestTimeout) {
			t.Errorf("%q is a request_timeout of %s", text, s.requestTimeout)
		}
		if !wrong["retry_timeout"] && (s.retryTimeout < 0 || s.retryTimeout > time.Hour) {
			t.Errorf("%q is a retry_timeout of %s", text, s.retryTimeout)
		}
		if !wrong["max_retries"] && (s.maxRetries < api.NoRetryLimit || s.maxRetries > highestMaxRetries) {
			t.Errorf("%q is max_retries %d", text, s.maxRetries)
		}
		if inRange := s.requestsPerSecond >= 0 && s.requestsPerSecond <= highestRequestRate; !wrong["requests_per_second"] &&
			!inRange {
			t.Errorf("%q is requests_per_second %f", text, s.requestsPerSecond)
		}
	})
}

// FuzzOperationsArgument: an override that is wrong is an error at its own key.
func FuzzOperationsArgument(f *testing.F) {
	f.Add("customers.get", "GET /v2/customers/{id}")
	f.Add("customers.gte", "GET /v2/customers/{id}")
	f.Add("", "")
	f.Add("\x00\n", "GET /{id}\n")
	f.Fuzz(func(t *testing.T, name, value string) {
		r := &resolver{getenv: func(string) string { return "" }}
		r.operations(types.MapValueMust(types.StringType, map[string]attr.Value{name: types.StringValue(value)}))
		if _, err := api.ParseOperations(map[string]string{name: value}); (err != nil) != r.diags.HasError() {
			t.Errorf("%q = %q: %v, %v", name, value, err, r.diags)
		}
	})
}

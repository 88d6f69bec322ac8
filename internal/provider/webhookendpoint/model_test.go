package webhookendpoint

import (
	"encoding/json"
	"maps"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest/modeltest"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/collections"
	"github.com/recurring-billing/terraform-provider-billing/internal/evidence"
)

// recorded is the response of a recorded exchange.
func recorded(t *testing.T, name string) []byte {
	t.Helper()
	exchange, err := evidence.Load("collections/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return exchange.Response.Body
}

// TestFromAPI: what the service returns is in the attributes of the same name; what it never returns is null.
func TestFromAPI(t *testing.T) {
	t.Parallel()
	never := map[string]any{"rotate_secret_when_changed": map[string]any{}, "age_recipients": []any{},
		"secret": nil, "encrypted_secret": nil, "deletion_policy": "delete"}
	auth := func(kind, username, name any) map[string]any {
		return map[string]any{"type": kind, "username": username, "name": name, "password_wo": nil, "token_wo": nil,
			"value_wo": nil, "credentials_wo_version": json.Number("1")}
	}
	for name, differs := range map[string]map[string]any{
		"webhook_endpoint_create":        {"authentication": nil}, // of type none
		"webhook_endpoint_create_basic":  {"authentication": auth("basic", "integracao", nil)},
		"webhook_endpoint_create_bearer": {"authentication": auth("bearer", nil, nil)},
		"webhook_endpoint_create_header": {"authentication": auth("header", nil, "X-Gateway-Key")},
		"webhook_endpoint_get":           {"authentication": auth("basic", "integracao", nil)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var endpoint collections.WebhookEndpoint
			want := modeltest.Wire(t, recorded(t, name), &endpoint)
			maps.Copy(want, never)
			maps.Copy(want, differs)
			modeltest.Same(t, modeltest.Attributes(t, fromAPI(&endpoint)), want)
		})
	}
}

// TestDataFromAPI: a data source shows how the service authenticates itself, and no secret.
func TestDataFromAPI(t *testing.T) {
	t.Parallel()
	for name, kind := range map[string]string{"webhook_endpoint_create": "none",
		"webhook_endpoint_create_header": "header"} {
		var endpoint collections.WebhookEndpoint
		want := modeltest.Wire(t, recorded(t, name), &endpoint)
		delete(want, "secret")
		shown, _ := want["authentication"].(map[string]any)
		want["authentication"] = map[string]any{"type": kind, "username": shown["username"], "name": shown["name"]}
		have, err := dataFromAPI(&endpoint)
		if err != nil {
			t.Fatal(err)
		}
		modeltest.Same(t, modeltest.Attributes(t, have), want)
	}
	bare, err := dataFromAPI(&collections.WebhookEndpoint{ID: "1"})
	if err != nil || bare.Authentication.Attributes()["type"] != types.StringValue("none") || !bare.URL.IsNull() ||
		len(bare.Events.Elements()) != 0 {
		t.Errorf("an endpoint of an id alone: %+v, %v", bare, err)
	}
}

// TestDeliveryFromAPI: each recorded delivery, with and without the members that may be null.
func TestDeliveryFromAPI(t *testing.T) {
	t.Parallel()
	var page struct{ Data []json.RawMessage }
	if err := json.Unmarshal(recorded(t, "webhook_deliveries_list"), &page); err != nil || len(page.Data) == 0 {
		t.Fatal(err)
	}
	for _, raw := range page.Data {
		var delivery collections.Delivery
		want := modeltest.Wire(t, raw, &delivery)
		have, err := deliveryFromAPI(&delivery)
		if err != nil {
			t.Fatal(err)
		}
		modeltest.Same(t, modeltest.Attributes(t, have), want)
	}
}

// TestKeeping: what the service does not return stays as it was.
func TestKeeping(t *testing.T) {
	t.Parallel()
	basic := func(username string, version int64) types.Object {
		return authentication{kind: types.StringValue("basic"), username: types.StringValue(username),
			version: types.Int64Value(version)}.object()
	}
	prior := model{Secret: types.StringValue("old"), Authentication: basic("ana", 7)}
	responded := func(username string) *collections.WebhookEndpoint {
		return &collections.WebhookEndpoint{URL: "https://a.example",
			Authentication: &collections.Authentication{Type: "basic", Username: &username}}
	}
	kept := prior.keep(responded("ana"))
	if kept.Secret.ValueString() != "old" ||
		!kept.Authentication.Equal(prior.Authentication) {
		t.Errorf("kept %+v", kept)
	}
	if kept = prior.keep(responded("bea")); !kept.Authentication.Equal(basic("bea", firstVersion)) {
		t.Errorf("kept %+v", kept)
	}
}

package apikey

import (
	"encoding/json"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest/modeltest"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/collections"
	"github.com/recurring-billing/terraform-provider-billing/internal/evidence"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/conn"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/private"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/value"
)

// recorded is the response of a recorded exchange, as the client has it and as it is on the wire.
func recorded(t *testing.T, name string) (collections.APIKey, map[string]any) {
	t.Helper()
	exchange, err := evidence.Load("collections/" + name)
	if err != nil {
		t.Fatal(err)
	}
	var key collections.APIKey
	return key, modeltest.Wire(t, exchange.Response.Body, &key)
}

// TestFromAPI: what the service returns is in the attributes of the same name; what only the provider knows is
// null.
func TestFromAPI(t *testing.T) {
	t.Parallel()
	for name, differs := range map[string]map[string]any{
		"api_key_create":      {"description": nil}, // returned empty
		"api_key_create_full": {},
		"api_key_get":         {"token": nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			key, want := recorded(t, name)
			// What changes with every use is not part of the resource, and a revoked key is none.
			delete(want, "last_used_at")
			delete(want, "revoked_at")
			maps.Copy(want, map[string]any{"grace_period_days": json.Number("7"), "rotate_when_changed": map[string]any{},
				"expires_after_days": nil, "deletion_policy": "revoke", "rotate_after_days": nil,
				"revoke_previous_keys": false, "allow_own_key": false, "key_expires_at": want["expires_at"], "age_recipients": []any{},
				"encrypted_token": nil, "token": nil, "rotated_at": nil, "rotation_due_at": nil, "previous_keys": []any{}})
			maps.Copy(want, differs)
			modeltest.Same(t, modeltest.Attributes(t, fromAPI(&key)), want)
		})
	}
}

// TestDataFromAPI: a data source shows use and revocation, and no token.
func TestDataFromAPI(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"api_key_create_full", "api_key_get_rotated", "api_key_get_revoked"} {
		key, want := recorded(t, name)
		delete(want, "token")
		want["status"] = nil // needs the service's clock
		if want["description"] == "" {
			want["description"] = nil
		}
		have, err := dataFromAPI(&key)
		if err != nil {
			t.Fatal(err)
		}
		modeltest.Same(t, modeltest.Attributes(t, have), want)
	}
}

// TestUpdate_unshownKey: an apply never creates a key that its plan has not shown. It has no client here.
func TestUpdate_unshownKey(t *testing.T) {
	t.Parallel()
	key, _ := recorded(t, "api_key_create_full")
	ctx := private.With(t.Context(), private.Map{})
	r := &Resource{base{Connected: conn.Connected{Conn: &conn.Conn{
		Collections: conn.Service[*collections.Service]{Ready: true}}}, Scheme: scheme}}
	var described resource.SchemaResponse
	r.Schema(ctx, resource.SchemaRequest{}, &described)
	state := tfsdk.State{Schema: described.Schema, Raw: tftypes.NewValue(described.Schema.Type().TerraformType(ctx), nil)}
	before := fromAPI(&key)
	planned := tfsdk.Plan{Schema: described.Schema, Raw: state.Raw}
	after := before
	after.Name = types.StringValue("another")
	if diags := append(value.Set(ctx, &state, before), value.Set(ctx, &planned, after)...); diags.HasError() {
		t.Fatal(diags)
	}
	resp := resource.UpdateResponse{State: state}
	r.Update(ctx, resource.UpdateRequest{Config: tfsdk.Config{Schema: described.Schema, Raw: planned.Raw}, Plan: planned,
		State: state}, &resp)
	errs := resp.Diagnostics.Errors()
	if len(errs) != 1 || !strings.Contains(errs[0].Summary(), "did not show a new key") ||
		!resp.State.Raw.Equal(state.Raw) {
		t.Errorf("%v", resp.Diagnostics)
	}
}

// TestGraceUntil: the end that the service chose counts; only a response without one, at a known time, is calculated.
func TestGraceUntil(t *testing.T) {
	t.Parallel()
	const chosen = "2026-01-03T00:00:00Z"
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		response *string
		now      time.Time
		want     types.String
	}{
		"chosen":       {new(chosen), now, types.StringValue(chosen)},
		"calculated":   {nil, now, types.StringValue("2026-01-08T00:00:00.000Z")},
		"unknown time": {nil, time.Time{}, types.StringNull()},
	} {
		if have := graceUntil(&collections.APIKey{GraceUntil: c.response}, 7, c.now); !have.Equal(c.want) {
			t.Errorf("%s: %s", name, have)
		}
	}
}

package apikey

import (
	"maps"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api/collections"
	"github.com/recurring-billing/terraform-provider-billing/internal/evidence"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/modeltest"
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
			maps.Copy(want, map[string]any{"grace_period_days": nil, "rotate_when_changed": map[string]any{},
				"rotate_after_days": nil, "revoke_previous_keys": nil, "allow_own_key": nil, "age_recipients": []any{},
				"encrypted_token": nil, "rotated_at": nil, "rotation_due_at": nil, "previous_keys": []any{}})
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

// TestKeeping: what the service never returns stays as it was; a token that it does return wins.
func TestKeeping(t *testing.T) {
	t.Parallel()
	prior := model{Token: types.StringValue("old"), GracePeriodDays: types.Int64Value(3),
		RotateAfterDays: types.Int64Value(90)}
	kept := model{}.preserve(prior)
	if kept.Token.ValueString() != "old" || kept.GracePeriodDays.ValueInt64() != 3 ||
		kept.RotateAfterDays.ValueInt64() != 90 {
		t.Errorf("kept %+v", kept)
	}
	if kept = (model{Token: types.StringValue("new")}).preserve(prior); kept.Token.ValueString() != "new" {
		t.Errorf("kept the token %s", kept.Token)
	}
}

// TestDueAt: age counts from the last rotation, else from the creation, in whole days.
func TestDueAt(t *testing.T) {
	t.Parallel()
	const made, rotated = "2026-01-31T12:00:00.000Z", "2026-03-01T09:30:00-03:00"
	text := types.StringValue
	for name, c := range map[string]struct {
		m    model
		want types.String
	}{
		"no age": {model{shared: shared{CreatedAt: text(made)}}, types.StringNull()},
		"from its creation": {model{shared: shared{CreatedAt: text(made)}, RotateAfterDays: types.Int64Value(30)},
			text("2026-03-02T12:00:00Z")},
		"from its last rotation": {model{shared: shared{CreatedAt: text(made)}, RotatedAt: text(rotated),
			RotateAfterDays: types.Int64Value(1)}, text("2026-03-02T12:30:00Z")},
		"an age not known yet": {model{shared: shared{CreatedAt: text(made)}, RotateAfterDays: types.Int64Unknown()},
			types.StringUnknown()},
		"a moment not known yet": {model{shared: shared{CreatedAt: types.StringUnknown()},
			RotateAfterDays: types.Int64Value(1)}, types.StringUnknown()},
		"a moment in other form": {model{shared: shared{CreatedAt: text("yesterday")}, RotateAfterDays: types.Int64Value(1)},
			types.StringNull()},
	} {
		if have := c.m.dueAt(); !have.Equal(c.want) {
			t.Errorf("%s: %s, want %s", name, have, c.want)
		}
	}
	m := model{shared: shared{CreatedAt: text(made)}, RotateAfterDays: types.Int64Value(30)}
	due := time.Date(2026, time.March, 2, 12, 0, 0, 0, time.UTC)
	for at, want := range map[time.Time]bool{due.Add(-time.Second): false, due: true, {}: false} {
		if (seen{}).of(m, m, at).overdue(m) != want {
			t.Errorf("seen at %s: a key is overdue from the moment on that dueAt says", at)
		}
	}
	if noted := (seen{AgeDays: 30}); !noted.of(m, m, time.Time{}).overdue(m) {
		t.Error("without the service's time the age is not the one that was seen before")
	}
}

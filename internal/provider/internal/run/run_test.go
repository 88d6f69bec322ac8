package run

import (
	"context"
	"slices"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/private"
)

const (
	account = "billing_account"
	first   = "0b3c6f0e-0000-4000-8000-00000000000a"
)

// TestRecord_Replaces: only an object whose replacement this run has planned is replaced, in whatever way the
// replacement came about.
func TestRecord_Replaces(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		happens func(ctx context.Context, r *Run, store private.Map, diags *diag.Diagnostics)
		want    bool
	}{
		"nothing is known": {func(context.Context, *Run, private.Map, *diag.Diagnostics) {}, false},
		"only refreshed": {func(_ context.Context, r *Run, _ private.Map, _ *diag.Diagnostics) {
			r.Refreshed(account, first)
		}, false},
		"gone": {func(_ context.Context, r *Run, _ private.Map, _ *diag.Diagnostics) { r.Gone(account, first) }, true},
		"kept": {func(ctx context.Context, r *Run, store private.Map, diags *diag.Diagnostics) {
			r.Refreshed(account, first)
			r.PlanUpdate(ctx, account, first, false, false, store, diags)
		}, false},
		"kept beside a new one": {func(ctx context.Context, r *Run, store private.Map, diags *diag.Diagnostics) {
			r.Refreshed(account, first)
			r.PlanUpdate(ctx, account, first, false, false, store, diags)
			r.PlanCreate(ctx, account, private.Map{}, diags)
		}, false},
		"asked for": {func(ctx context.Context, r *Run, store private.Map, diags *diag.Diagnostics) {
			r.Refreshed(account, first)
			r.PlanUpdate(ctx, account, first, true, false, store, diags)
		}, true},
		"-replace": {func(ctx context.Context, r *Run, store private.Map, diags *diag.Diagnostics) {
			r.Refreshed(account, first)
			r.PlanUpdate(ctx, account, first, false, false, store, diags)
			r.PlanCreate(ctx, account, store, diags)
		}, true},
		"tainted": {func(ctx context.Context, r *Run, _ private.Map, diags *diag.Diagnostics) {
			r.Refreshed(account, first)
			r.PlanCreate(ctx, account, private.Map{}, diags)
		}, false},
		"removed beside a new one": {func(ctx context.Context, r *Run, _ private.Map, diags *diag.Diagnostics) {
			r.PlanDestroy(account, first)
			r.Refreshed(account, first)
			r.PlanCreate(ctx, account, private.Map{}, diags)
		}, false},
		"its owner is replaced": {func(ctx context.Context, r *Run, store private.Map, diags *diag.Diagnostics) {
			r.Belongs(account, first, "billing_customer", "c")
			r.PlanUpdate(ctx, "billing_customer", "c", true, false, store, diags)
		}, true},
		"its owner is kept": {func(ctx context.Context, r *Run, store private.Map, diags *diag.Diagnostics) {
			r.Belongs(account, first, "billing_customer", "c")
			r.PlanUpdate(ctx, "billing_customer", "c", false, false, store, diags)
			r.PlanCreate(ctx, account, private.Map{}, diags)
		}, false},
		"its owner is tainted": {func(ctx context.Context, r *Run, _ private.Map, diags *diag.Diagnostics) {
			r.Belongs(account, first, "billing_customer", "c")
			r.Refreshed("billing_customer", "c")
			r.PlanCreate(ctx, "billing_customer", private.Map{}, diags)
		}, false},
		"it is kept, whatever becomes of its owner": {func(ctx context.Context, r *Run, store private.Map,
			diags *diag.Diagnostics) {
			r.Belongs(account, first, "billing_customer", "c")
			r.Gone("billing_customer", "c")
			r.PlanUpdate(ctx, account, first, false, false, store, diags)
		}, false},
		"another type": {func(ctx context.Context, r *Run, store private.Map, diags *diag.Diagnostics) {
			r.PlanUpdate(ctx, "billing_customer", first, true, false, store, diags)
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var r Run
			var diags diag.Diagnostics
			c.happens(t.Context(), &r, private.Map{}, &diags)
			if have := r.Replaces(account, "0B3C6F0E-0000-4000-8000-00000000000A"); have != c.want || len(diags) != 0 {
				t.Errorf("replaced: %v, %v", have, diags)
			}
		})
	}
}

// TestRecord_PlanUpdate: a replacement is asked for in the plan, with and without a refresh, and never in the apply.
func TestRecord_PlanUpdate(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		before   func(*Run)
		deferral bool
		want     bool
	}{
		"plan":                      {func(r *Run) { r.Refreshed(account, first) }, false, true},
		"plan that may defer":       {func(r *Run) { r.Refreshed(account, first) }, true, true},
		"plan without refresh":      {func(*Run) {}, false, true},
		"apply":                     {func(*Run) {}, true, false},
		"apply of OpenTofu":         {func(r *Run) { r.Applies() }, false, false},
		"another object is applied": {func(r *Run) { r.Refreshed(account, first); r.Applies() }, false, true},
	} {
		var r Run
		var diags diag.Diagnostics
		c.before(&r)
		for range 2 { // the second plan of the same object decides alike
			if have := r.PlanUpdate(t.Context(), account, first, true, c.deferral, private.Map{}, &diags); have != c.want ||
				len(diags) != 0 {
				t.Errorf("%s: replacement %v, %v", name, have, diags)
			}
		}
	}
}

// TestRecord_PlanCreate: a creation replaces an object where the plan before it says so.
func TestRecord_PlanCreate(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		before func(ctx context.Context, r *Run, store private.Map, diags *diag.Diagnostics)
		want   bool
	}{
		"a new object": {func(context.Context, *Run, private.Map, *diag.Diagnostics) {}, false},
		"-replace": {func(ctx context.Context, r *Run, store private.Map, diags *diag.Diagnostics) {
			r.PlanUpdate(ctx, account, first, false, false, store, diags)
		}, true},
		"tainted": {func(_ context.Context, r *Run, _ private.Map, _ *diag.Diagnostics) { r.Refreshed(account, first) }, false},
		"another type": {func(_ context.Context, r *Run, _ private.Map, _ *diag.Diagnostics) {
			r.Refreshed("billing_customer", first)
		}, false},
		"gone": {func(_ context.Context, r *Run, _ private.Map, _ *diag.Diagnostics) { r.Gone(account, first) }, false},
		"beside one that is removed": {func(_ context.Context, r *Run, _ private.Map, _ *diag.Diagnostics) {
			r.PlanDestroy(account, first)
			r.Refreshed(account, first)
		}, false},
		"removed, and gone": {func(_ context.Context, r *Run, _ private.Map, _ *diag.Diagnostics) {
			r.PlanDestroy(account, first)
			r.Gone(account, first)
		}, false},
		"beside one that is kept": {func(ctx context.Context, r *Run, _ private.Map, diags *diag.Diagnostics) {
			r.Refreshed(account, first)
			r.PlanUpdate(ctx, account, first, false, false, private.Map{}, diags)
		}, false},
	} {
		var r Run
		var diags diag.Diagnostics
		store := private.Map{}
		c.before(t.Context(), &r, store, &diags)
		if have := r.PlanCreate(t.Context(), account, store, &diags); have != c.want || len(diags) != 0 {
			t.Errorf("%s: replaces %v, %v", name, have, diags)
		}
	}
}

// TestRecord_nil: without a configured provider nothing is remembered, and a plan is a plan.
func TestRecord_nil(t *testing.T) {
	t.Parallel()
	var r *Run
	var diags diag.Diagnostics
	r.Refreshed(account, first)
	r.Gone(account, first)
	r.Applies()
	r.PlanCreate(t.Context(), account, private.Map{}, &diags)
	if !r.PlanUpdate(t.Context(), account, first, true, false, private.Map{}, &diags) || r.Replaces(account, first) {
		t.Error("a record that does not exist remembers something")
	}
}

// TestClaim: a claim gets the earlier ones for the same key of the same type, and keeps them from later changes.
func TestClaim(t *testing.T) {
	t.Parallel()
	var r Run
	one, two := Claim{ID: "1"}, Claim{ID: "2", Takes: true}
	for i, c := range []struct {
		typeName, key string
		claim         Claim
		others        []Claim
	}{{"a", "k", one, nil}, {"a", "k", two, []Claim{one}}, {"b", "k", one, nil}, {"a", "l", one, nil},
		{"a", "k", one, []Claim{one, two}}} {
		if others := r.Claim(c.typeName, c.key, c.claim); !slices.Equal(others, c.others) {
			t.Errorf("claim %d: %+v", i, others)
		}
	}
	if others := (*Run)(nil).Claim("a", "k", one); others != nil {
		t.Errorf("%+v", others)
	}
}

package run

import (
	"context"
	"errors"
	"iter"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
)

type listing struct {
	items []string
	err   error
	reads int
}

func (l *listing) search() Search[string] {
	return Search[string]{
		TypeName: account, ID: func(id string) string { return id }, Same: func(id string) bool { return id != "other" },
		List: func(context.Context) iter.Seq2[string, error] {
			l.reads++
			return func(yield func(string, error) bool) {
				for _, item := range l.items {
					if !yield(item, nil) {
						return
					}
				}
				if l.err != nil {
					yield("", l.err)
				}
			}
		},
	}
}

// TestOutside: only what does not come to light as part of the state is outside of it, in whatever order Terraform
// plans.
func TestOutside(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		during   func(t *testing.T, r *Record)
		deferral bool
		err      error
		want     []string
	}{
		"nothing is known": {want: []string{"a", "b"}},
		"refreshed before": {during: func(_ *testing.T, r *Record) { r.Refreshed(account, "A") }, want: []string{"b"}},
		"refreshed later": {during: func(_ *testing.T, r *Record) { time.Sleep(time.Second); r.Refreshed(account, "a") },
			want: []string{"b"}},
		"gone":              {during: func(_ *testing.T, r *Record) { r.Gone(account, "a") }, want: []string{"b"}},
		"planned":           {during: func(t *testing.T, r *Record) { plans(t, r, "a") }, want: []string{"b"}},
		"all are destroyed": {during: func(_ *testing.T, r *Record) { r.Known(account, "a", "b") }},
		"another type": {during: func(_ *testing.T, r *Record) { r.Refreshed("billing_customer", "a") },
			want: []string{"a", "b"}},
		"after a long read of another one": {during: func(_ *testing.T, r *Record) {
			done := r.Reading(account, "c")
			time.Sleep(20 * time.Second)
			r.Known(account, "a")
			done()
		}, want: []string{"b"}},
		"a read without end": {during: func(_ *testing.T, r *Record) { r.Reading(account, "c") },
			want: []string{"a", "b"}},
		"the apply":               {deferral: true},
		"the apply of OpenTofu":   {during: func(_ *testing.T, r *Record) { r.Applies() }},
		"an apply that has begun": {during: func(_ *testing.T, r *Record) { time.Sleep(time.Second); r.Applies() }},
		"no list":                 {err: errors.New("no")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var r Record
				if c.during != nil {
					go c.during(t, &r)
					synctest.Wait()
				}
				l := listing{items: []string{"a", "b", "other"}, err: c.err}
				start := time.Now()
				for range 2 {
					if have := Outside(t.Context(), &r, c.deferral, l.search()); !slices.Equal(have, c.want) {
						t.Errorf("outside: %v, want %v", have, c.want)
					}
				}
				if took := time.Since(start); l.reads > 1 || took > 3*time.Minute {
					t.Errorf("%d listings, %s", l.reads, took)
				}
			})
		})
	}
}

// TestOutside_deletedBefore: an object that a lagging list still shows does not count where the response has to be
// certain.
func TestOutside_deletedBefore(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var r Record
		l := listing{items: []string{"a", "b"}}
		search := l.search()
		search.Certain = true
		time.AfterFunc(8*time.Second, func() { l.items = []string{"b"} })
		if have := Outside(t.Context(), &r, false, search); !slices.Equal(have, []string{"b"}) || l.reads != 2 {
			t.Errorf("outside: %v after %d listings", have, l.reads)
		}
	})
}

func plans(t *testing.T, r *Record, id string) {
	var diags diag.Diagnostics
	r.PlanUpdate(t.Context(), account, id, false, false, memory{}, &diags)
}

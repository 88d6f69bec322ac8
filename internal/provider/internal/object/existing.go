package object

import (
	"context"
	"strings"

	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/apidiag"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/run"
)

// Existing are objects that a planned creation would duplicate, as a message names them.
type Existing struct {
	// Lines has one line for each.
	Lines string
	// TakeOver says how to import one of them, see apidiag.TakeOver.
	TakeOver string
}

// Existing looks for objects outside of the state that the plan of a creation would duplicate; false means that there
// are none. line describes an object after its id.
func (r *Resource[S, T, M]) Existing(ctx context.Context, p *Plan[M], search run.Search[T],
	line func(T) string) (Existing, bool) {
	search.TypeName, search.ID = r.Scheme.TypeName, func(object T) string { return r.Scheme.ID(&object) }
	found := run.Outside(ctx, p.Run, p.DeferralAllowed, search)
	lines, ids := make([]string, len(found)), make([]string, len(found))
	for i, object := range found {
		ids[i] = search.ID(object)
		lines[i] = "  " + ids[i] + " " + line(object)
	}
	return Existing{strings.Join(lines, "\n"), apidiag.TakeOver(r.Scheme.TypeName, ids...)}, len(found) > 0
}

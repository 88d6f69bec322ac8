package object

import (
	"context"
	"fmt"
	"iter"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/recurring-billing/terraform-provider-billing/internal/api/same"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/apidiag"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/run"
)

// Existing says what the plan of a creation may duplicate.
type Existing[T any] struct {
	// At is the argument that such objects share, and What names it: `API key with the name "erp"`.
	At   path.Path
	What string
	// List lists all objects of the type. It is read once in a plan.
	List func(context.Context) iter.Seq2[T, error]
	// Same reports whether an object is like the new one.
	Same func(T) bool
	// Line describes an object after its id.
	Line func(T) string
	// More is what else a reader has to know, as sentences; optional.
	More string
}

// WarnExisting warns in the plan of a creation about objects that exist and are like the new one. Whether one of them
// is in the state cannot be known: Terraform shows a provider one resource at a time. Without a list it warns of
// nothing.
func (r *Resource[S, T, M]) WarnExisting(ctx context.Context, p *Plan[M], e Existing[T]) {
	if p.InApply() {
		return
	}
	var ids, lines []string
	for _, object := range r.Existing(ctx, p, e) {
		ids, lines = append(ids, r.Scheme.ID(&object)), append(lines, "  "+r.Scheme.ID(&object)+" "+e.Line(object))
	}
	if len(ids) == 0 {
		return
	}
	p.Diags.AddAttributeWarning(e.At, fmt.Sprintf("%s exists already (id %s)", apidiag.Capitalize(e.What),
		strings.Join(ids, ", ")), fmt.Sprintf("This plan creates another one. The service has:\n\n%s\n\nIf this resource "+
		"was renamed or moved, add a moved block from its old address: without one, the old object is destroyed and a new "+
		"one is created. %sIf no address of this state has that object and it is the one you mean, import it instead; if an "+
		"address has it, an import here would end in its destruction. The block (put this resource's name after the type):"+
		"\n\n%s", strings.Join(lines, "\n"), spaced(e.More), apidiag.ImportBlocks(p.typeName, ids...)))
}

// Existing are the objects that are like the new one, but for one that it replaces; none where they cannot be listed.
func (r *Resource[S, T, M]) Existing(ctx context.Context, p *Plan[M], e Existing[T]) (found []T) {
	if p.Run == nil {
		return nil
	}
	all, err := run.Listed(ctx, p.Run, p.typeName, e.List)
	if err != nil {
		tflog.Debug(ctx, "Existing objects cannot be listed, so none is looked for",
			map[string]any{"type": p.typeName, "error": err.Error()})
		return nil
	}
	replaced := run.Replaced(ctx, p.Private, p.Diags)
	for _, object := range all {
		if e.Same(object) && !same.ID(r.Scheme.ID(&object), replaced) {
			found = append(found, object)
		}
	}
	return found
}

func spaced(text string) string {
	if text == "" {
		return ""
	}
	return text + " "
}

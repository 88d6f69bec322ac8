package imports

import (
	"context"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/apidiag"
)

// Finder looks up one object of the client's type T.
type Finder[T any] struct {
	// Noun names the kind of object, such as "customer"; with an s it is the plural.
	Noun string
	// Get reads one object by its id.
	Get func(ctx context.Context, id string) (*T, error)
	// Find answers all objects that match what is not an id.
	Find func(ctx context.Context) ([]T, error)
	// Line describes one of several matches.
	Line func(*T) string
}

// One looks the object up and reports when there is none, or more than one. id is the id to look for, if that is what is known;
// wanted words what is looked for.
func (f Finder[T]) One(ctx context.Context, id string, wanted fmt.Stringer, diags *diag.Diagnostics) *T {
	reading := apidiag.Doing{Verb: "find", Object: "the " + f.Noun + " with " + wanted.String()}
	if id != "" {
		object, err := f.Get(ctx, id)
		switch {
		case err == nil:
			return object
		case api.IsNotFound(err):
			f.none(wanted, diags)
		default:
			apidiag.Add(diags, err, reading)
		}
		return nil
	}
	found, err := f.Find(ctx)
	switch {
	case err != nil:
		apidiag.Add(diags, err, reading)
	case len(found) == 0:
		f.none(wanted, diags)
	case len(found) == 1:
		return &found[0]
	default:
		lines := make([]string, len(found))
		for i := range found {
			lines[i] = "  " + f.Line(&found[i])
		}
		diags.AddError("More than one "+f.Noun, fmt.Sprintf("%d %ss have %s:\n\n%s\n\nUse the id of the one you mean.",
			len(found), f.Noun, wanted, strings.Join(lines, "\n")))
	}
	return nil
}

func (f Finder[T]) none(wanted fmt.Stringer, diags *diag.Diagnostics) {
	diags.AddError("No such "+f.Noun, fmt.Sprintf("The organization of this token has no %s with %s. Check the value, upper and lower case "+
		"included, and the token. In an import, an id is written as it is, another field as <field>=<value>.", f.Noun, wanted))
}

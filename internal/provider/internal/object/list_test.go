package object

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// names is the scheme of things that are only names.
var names = Scheme[any, string]{Noun: "thing", Key: "external_id",
	ID: func(name *string) string { return "id-" + *name }}

// model is the resource of a thing.
type model struct {
	Name types.String `tfsdk:"name"`
}

func request(includeResource bool) list.ListRequest {
	return list.ListRequest{IncludeResource: includeResource, ResourceIdentitySchema: names.IdentitySchema(),
		ResourceSchema: schema.Schema{Attributes: map[string]schema.Attribute{
			"name": schema.StringAttribute{Required: true}}}}
}

// listed yields the names, and an error at the name "broken".
func listed(names ...string) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		for _, name := range names {
			var err error
			if name == "broken" {
				err = errors.New("the line is down")
			}
			if !yield(name, err) {
				return
			}
		}
	}
}

// describe knows things that are closed, which cannot be managed, and things that are odd, which have no resource.
func describe(name *string) (Item, bool) {
	item := Item{Name: *name, Resource: model{Name: types.StringValue(*name)}}
	if *name == "odd" {
		item.Err = errors.New("it makes no sense")
	}
	return item, *name != "closed"
}

// shown is a result in one line: its name, identity, resource, and what its diagnostics say.
func shown(ctx context.Context, result list.ListResult) string {
	if result.Identity == nil {
		return fmt.Sprintf("%d error: %s", result.Diagnostics.ErrorsCount(), result.Diagnostics[0].Summary())
	}
	var id, name types.String
	result.Identity.GetAttribute(ctx, path.Root("id"), &id)
	text := result.DisplayName + " " + id.ValueString()
	if result.Resource != nil && !result.Resource.Raw.IsNull() {
		result.Resource.GetAttribute(ctx, path.Root("name"), &name)
		text += " " + name.ValueString()
	}
	for _, d := range result.Diagnostics {
		text += " " + strings.ToLower(d.Severity().String()) + ": " + d.Summary()
	}
	return text
}

// TestScheme_stream: each object that can be managed is a result with its identity, and with the resource when that
// is asked for.
func TestScheme_stream(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		names []string
		whole bool
		want  []string
	}{
		"none":                {nil, true, nil},
		"identities alone":    {[]string{"a", "b"}, false, []string{"a id-a", "b id-b"}},
		"with resources":      {[]string{"a", "b"}, true, []string{"a id-a a", "b id-b b"}},
		"closed are left out": {[]string{"closed", "a", "closed"}, true, []string{"a id-a a"}},
		"without a resource":  {[]string{"odd", "a"}, true, []string{"odd id-odd warning: odd (id id-odd) could not be read", "a id-a a"}},
		"failure ends it":     {[]string{"a", "broken", "b"}, true, []string{"a id-a a", "1 error: Could not list things"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var have []string
			for result := range names.stream(t.Context(), request(c.whole), listed(c.names...), describe) {
				have = append(have, shown(t.Context(), result))
			}
			if !slices.Equal(have, c.want) {
				t.Errorf("streams %q, want %q", have, c.want)
			}
		})
	}
}

// TestScheme_stream_stops: nothing is asked for once Terraform has enough, or the limit is reached, which closed things
// do not count towards.
func TestScheme_stream_stops(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		limit          int64
		takes          int // results that Terraform takes
		asked, results int
	}{
		"Terraform":            {takes: 1, asked: 1, results: 1},
		"limit":                {limit: 2, takes: 9, asked: 3, results: 2},
		"limit above the list": {limit: 9, takes: 9, asked: 4, results: 3},
		"no limit":             {takes: 9, asked: 4, results: 3},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			asked, results := 0, 0
			counted := func(yield func(string, error) bool) {
				for name, err := range listed("a", "closed", "b", "c") {
					asked++
					if !yield(name, err) {
						return
					}
				}
			}
			req := request(false)
			req.Limit = c.limit
			for range names.stream(t.Context(), req, counted, describe) {
				if results++; results == c.takes {
					break
				}
			}
			if asked != c.asked || results != c.results {
				t.Errorf("%d things were asked for and %d shown, want %d and %d", asked, results, c.asked, c.results)
			}
		})
	}
}

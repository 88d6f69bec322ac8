// Package coverage compares an organization with states of Terraform.
package coverage

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	tf "github.com/hashicorp/terraform-json"

	"github.com/recurring-billing/terraform-provider-billing/internal/copier"
	"github.com/recurring-billing/terraform-provider-billing/internal/evidence"
	"github.com/recurring-billing/terraform-provider-billing/internal/orgcopy"
	"github.com/recurring-billing/terraform-provider-billing/internal/rehearsal/internal/plain"
	"github.com/recurring-billing/terraform-provider-billing/internal/rehearsal/internal/render"
)

// Coverage says which objects of an organization are in which states, by type, id and name.
type Coverage struct {
	Managed   []Covered `json:"managed"`   // in one state
	Unmanaged []Covered `json:"unmanaged"` // in none, and not ended
	Twice     []Covered `json:"twice"`     // in several states, or at several addresses
	Gone      []Covered `json:"gone"`      // in a state, and not at the service
	Ended     int       `json:"ended"`     // closed, canceled, revoked or expired, and in no state
	// TwoAccounts are managed accounts of customers that were created with another one.
	TwoAccounts []TwoAccounts `json:"two_accounts"`
	// IgnoresNothing are the ignored patterns that match no object.
	IgnoresNothing []string `json:"ignores_nothing,omitempty"`
}

// TwoAccounts are the account that was created with a customer, and one that a billing_account manages. No plan can
// warn about them, because no resource looks at another.
type TwoAccounts struct {
	Customer string   `json:"customer"`
	Created  string   `json:"created"`
	Managed  string   `json:"managed"`
	States   []string `json:"states"`
}

// Covered is an object.
type Covered struct {
	Type   string   `json:"type"`
	ID     string   `json:"id"` // as an import takes it
	Name   string   `json:"name,omitempty"`
	States []string `json:"states,omitempty"`
}

// States are the outputs of terraform show -json of several states, by name of the file. A file may have several.
type States map[string][]byte

// Cover reads the organization that the environment names, with GET requests only, and compares it with the states.
// ignore are patterns of "type id", in which * stands for any text.
func Cover(ctx context.Context, getenv func(string) string, states States, ignore []string) (*Coverage, error) {
	resources, err := states.resources()
	if err != nil {
		return nil, err
	}
	in, collections := objects(resources)
	source, err := copier.FromEnvironment(getenv, nil, nil)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	left, err := copier.Copy(ctx, source, copier.Options{Collections: collections}, &out)
	if err != nil {
		return nil, err
	}
	reader, err := orgcopy.NewReader(&out)
	if err != nil {
		return nil, err
	}
	there := map[identity]bool{} // false: it has ended
	names := map[identity]string{}
	for line, err := range reader.Objects() {
		if err != nil {
			return nil, err
		}
		kind, id := evidence.KindOf(line.Kind), line.ID()
		if kind.Name == evidence.Record && line.Service != kind.Service {
			continue
		}
		if kind.Name == evidence.Record {
			id = line.Collection + "/" + id
		}
		object, of := identity{kind.Type, id}, plain.Fields{}
		if err := plain.Decode(line.Object, &of); err != nil {
			return nil, err
		}
		there[object], names[object] = !ended(kind, of, reader.Header.Time), nameOf(kind, of)
	}
	for _, r := range resources {
		if object := (identity{r.Type, plain.Text(r.AttributeValues["id"])}); names[object] == "" {
			names[object] = nameOf(evidence.KindOf(r.Type), r.AttributeValues)
		}
	}
	c := covered(there, in, left, ignore)
	for _, list := range [][]Covered{c.Managed, c.Unmanaged, c.Twice, c.Gone} {
		for i, one := range list {
			list[i].Name = names[identity{one.Type, one.ID}]
		}
	}
	c.TwoAccounts = twoAccounts(resources)
	return c, nil
}

// identity is an object by its resource type and its id.
type identity struct{ Type, ID string }

// isLeftOut reports whether the objects of the same kind, and the records of the same collection, were not read.
func (o identity) isLeftOut(left []orgcopy.LeftOut) bool {
	kind, collection := evidence.KindOf(o.Type), ""
	if kind.Name == evidence.Record {
		collection, _, _ = strings.Cut(o.ID, "/")
	}
	return slices.ContainsFunc(left, func(l orgcopy.LeftOut) bool { return l.All(kind.Name, collection) })
}

// covered compares the objects of an organization with those of the states.
func covered(there map[identity]bool, in map[identity][]string, left []orgcopy.LeftOut,
	ignore []string) *Coverage {
	c := &Coverage{}
	for object, lives := range there {
		one := Covered{Type: object.Type, ID: object.ID, States: in[object]}
		switch {
		case len(one.States) > 1:
			c.Twice = append(c.Twice, one)
		case len(one.States) == 1:
			c.Managed = append(c.Managed, one)
		case ignored(object, ignore):
		case !lives:
			c.Ended++
		default:
			c.Unmanaged = append(c.Unmanaged, one)
		}
	}
	for object, states := range in {
		if _, known := there[object]; !known && !object.isLeftOut(left) && evidence.KindOf(object.Type).Name != "" {
			c.Gone = append(c.Gone, Covered{Type: object.Type, ID: object.ID, States: states})
		}
	}
	for _, pattern := range ignore {
		isIt := func(o identity) bool { return o.matches(pattern) }
		if !slices.ContainsFunc(slices.Collect(maps.Keys(there)), isIt) {
			c.IgnoresNothing = append(c.IgnoresNothing, pattern)
		}
	}
	for _, list := range [][]Covered{c.Managed, c.Unmanaged, c.Twice, c.Gone} {
		slices.SortFunc(list, func(a, b Covered) int { return cmp.Or(cmp.Compare(a.Type, b.Type), cmp.Compare(a.ID, b.ID)) })
	}
	return c
}

func ignored(o identity, patterns []string) bool {
	return slices.ContainsFunc(patterns, o.matches)
}

func (o identity) matches(pattern string) bool {
	matches, err := path.Match(pattern, o.Type+" "+strings.ReplaceAll(o.ID, "/", ":"))
	return err == nil && matches
}

// ended reports whether an object is closed, canceled, revoked or expired, so that no state manages it.
func ended(kind evidence.Kind, of plain.Fields, now time.Time) bool {
	expiry := plain.Time(of["expiresAt"])
	return kind.Ended(of["status"]) || of["revokedAt"] != nil || !expiry.IsZero() && !expiry.After(now)
}

// nameOf returns what identifies an object for people: its external_id, the url of an endpoint without its query, its
// name, or that of its customer.
func nameOf(kind evidence.Kind, of plain.Fields) string {
	name, _, _ := strings.Cut(plain.Text(of["url"]), "?")
	for _, field := range []string{kind.Unique, "name"} {
		if field != "url" && name == "" {
			name = plain.Text(of[field])
		}
	}
	if customer, ok := of["customer"].(plain.Fields); ok && name == "" {
		name = plain.Text(customer["name"])
	}
	return strings.Join(strings.Fields(name), " ")
}

// resource is one of this provider in a state.
type resource struct {
	*tf.StateResource
	state string // name
}

// objects returns the objects in the states, with the names of the states, and the collections of financial management.
func objects(resources []resource) (in map[identity][]string, collections []string) {
	in = map[identity][]string{}
	also := map[identity][]string{}
	for _, r := range resources {
		id := plain.Text(r.AttributeValues["id"])
		if evidence.KindOf(r.Type).Name == evidence.Record {
			collection := plain.Text(r.AttributeValues["collection"])
			collections, id = append(collections, collection), collection+"/"+id
		}
		in[identity{r.Type, id}] = append(in[identity{r.Type, id}], r.state)
		for _, other := range r.alsoManages() {
			also[other] = append(also[other], r.state)
		}
	}
	for other, names := range also {
		if len(in[other]) == 0 { // otherwise a resource of its own manages it
			in[other] = names
		}
	}
	slices.Sort(collections)
	return in, slices.Compact(collections)
}

// resources returns the resources of this provider in the states.
func (s States) resources() (all []resource, err error) {
	for _, name := range slices.Sorted(maps.Keys(s)) {
		documents := json.NewDecoder(bytes.NewReader(s[name]))
		documents.UseNumber()
		for first := true; first || documents.More(); first = false {
			var state struct {
				FormatVersion   string          `json:"format_version"`
				Values          *tf.StateValues `json:"values"`
				ResourceChanges any             `json:"resource_changes"`
			}
			if err := documents.Decode(&state); err != nil || state.FormatVersion == "" {
				return nil, fmt.Errorf("%s is not the JSON of a state: write it with \"terraform show -json\"", name)
			}
			if state.ResourceChanges != nil {
				return nil, errors.New(name + " is the JSON of a plan: write that of the state with \"terraform show -json\"")
			}
			for _, r := range plain.Resources(state.Values) {
				if r.Mode == tf.ManagedResourceMode && plain.Ours(r.Type) {
					all = append(all, resource{r, name})
				}
			}
		}
	}
	return all, nil
}

// twoAccounts returns the customers of these states that have been created with an account and have a managed one too.
func twoAccounts(resources []resource) (all []TwoAccounts) {
	created := map[string]resource{} // customers
	for _, r := range resources {
		if r.Type == "billing_customer" && r.AttributeValues["create_billing_account"] == true {
			created[plain.Text(r.AttributeValues["id"])] = r
		}
	}
	for _, r := range resources {
		customer, found := created[plain.Text(r.AttributeValues["customer_id"])]
		if r.Type != "billing_account" || !found {
			continue
		}
		one := TwoAccounts{Customer: plain.Text(customer.AttributeValues["id"]), Managed: plain.Text(r.AttributeValues["id"]),
			Created: plain.Text(customer.AttributeValues["billing_account_id"]), States: []string{customer.state, r.state}}
		if one.Created == "" || one.Created == one.Managed {
			continue
		}
		slices.Sort(one.States)
		one.States = slices.Compact(one.States)
		all = append(all, one)
	}
	slices.SortFunc(all, func(a, b TwoAccounts) int {
		return cmp.Or(cmp.Compare(a.Customer, b.Customer), cmp.Compare(a.Managed, b.Managed))
	})
	return all
}

// alsoManages are the other objects that a resource looks after: the account that came with a customer, and the keys
// that a rotation has replaced.
func (r resource) alsoManages() (all []identity) {
	if id := plain.Text(r.AttributeValues["billing_account_id"]); r.Type == "billing_customer" && id != "" {
		all = append(all, identity{"billing_account", id})
	}
	previous, _ := r.AttributeValues["previous_keys"].([]any)
	for _, one := range previous {
		fields, _ := one.(plain.Fields)
		all = append(all, identity{"billing_api_key", plain.Text(fields["id"])})
	}
	return all
}

const unmanaged = "Unmanaged"

// Page is what the coverage says.
func (c *Coverage) Page() *render.Page {
	return &render.Page{Headlines: []string{c.headline()}, Sections: c.sections(), Value: Coverage{render.List(c.Managed),
		render.List(c.Unmanaged), render.List(c.Twice), render.List(c.Gone), c.Ended, render.List(c.TwoAccounts),
		c.IgnoresNothing}}
}

func (c *Coverage) headline() string {
	return fmt.Sprintf("%d managed, %d unmanaged, %d twice, %d gone; %d ended objects are in no state",
		len(c.Managed), len(c.Unmanaged), len(c.Twice), len(c.Gone), c.Ended)
}

func (c *Coverage) sections() (all []render.Section) {
	for _, part := range []struct {
		title string
		list  []Covered
	}{{unmanaged, c.Unmanaged}, {"Twice", c.Twice}, {"Gone", c.Gone}} {
		header := []string{"Type", "Id", "Name", "States"}
		if part.title == unmanaged {
			header = header[:3]
		}
		var rows [][]string
		for _, one := range part.list {
			rows = append(rows, []string{one.Type, one.ID, one.Name, strings.Join(one.States, ", ")}[:len(header)])
		}
		if len(rows) > 0 {
			all = append(all, render.Section{Title: part.title, Header: header, Rows: rows})
		}
	}
	var rows [][]string
	for _, one := range c.TwoAccounts {
		rows = append(rows, []string{one.Customer, one.Created, one.Managed, strings.Join(one.States, ", ")})
	}
	if len(rows) > 0 {
		all = append(all, render.Section{Title: "Two accounts of one customer: create_billing_account is true",
			Header: []string{"Customer", "Created with it", "billing_account", "States"}, Rows: rows})
	}
	return all
}

// Imports writes an import block for each unmanaged object.
func (c *Coverage) Imports(out io.Writer) error {
	for i, one := range c.Unmanaged {
		comment := ""
		if one.Name != "" {
			comment = "# " + one.Name + "\n"
		}
		_, err := fmt.Fprintf(out, "%simport {\n  to = %s.unmanaged_%d\n  id = %q\n}\n\n", comment, one.Type, i+1, one.ID)
		if err != nil {
			return err
		}
	}
	return nil
}

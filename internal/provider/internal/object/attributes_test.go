package object

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
)

var about = map[string]string{"id": "Id.", "name": "Name.", "note": "Note."}

// TestKeys: what finds the object can be written, and says how many of the ways to write.
func TestKeys(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		keys []string
		how  string
	}{
		{[]string{"id", "name"}, " Set exactly one of `id` and `name`."},
		{[]string{"id", "name", "note"}, " Set exactly one of `id`, `name` and `note`."},
	} {
		attributes := shownTexts("id", "name", "note")
		attributes.Keys(c.keys...)
		for name, attribute := range attributes {
			want := about[name]
			key := strings.Contains(c.how, "`"+name+"`")
			if key {
				want += c.how
			}
			if have := attribute.GetMarkdownDescription(); have != want || attribute.IsOptional() != key ||
				!attribute.IsComputed() {
				t.Errorf("%s of %v: optional %v, %q", name, c.keys, attribute.IsOptional(), have)
			}
		}
	}
}

// shownTexts are attributes that are only shown.
func shownTexts(names ...string) Attributes {
	attributes := Attributes{}
	for _, name := range names {
		attributes[name] = schema.StringAttribute{Computed: true, MarkdownDescription: about[name]}
	}
	return attributes
}

// TestAttributes: the schema is one that Terraform takes.
func TestAttributes(t *testing.T) {
	t.Parallel()
	attributes := shownTexts("id", "name")
	attributes["limit"], attributes["updated_at_gte"] = Limit("things"), UpdatedSince("things")
	attributes.Keys("id", "name")
	attributes.CustomMetadata()
	if diags := (schema.Schema{Attributes: attributes}).ValidateImplementation(t.Context()); diags.HasError() {
		t.Error(diags)
	}
	for _, name := range []string{"id", "name", "limit", "updated_at_gte", "custom_metadata"} {
		if attributes[name] == nil || attributes[name].GetMarkdownDescription() == "" {
			t.Errorf("%s is not described", name)
		}
	}
}

// TestShowRecord: a record is its id, its name and its whole text, to the last digit, whatever it has.
func TestShowRecord(t *testing.T) {
	t.Parallel()
	for response, want := range map[string]RecordModel{
		`{"id":"1", "total":9007199254740993, "rate":0.10, "lines":[null]}`: {ID: types.StringValue("1"),
			JSON: types.StringValue(`{"id":"1","lines":[null],"rate":0.10,"total":9007199254740993}`)},
		`{"name":"x"}`: {Name: types.StringValue("x"), JSON: types.StringValue(`{"name":"x"}`)},
	} {
		var record api.Record
		if err := json.Unmarshal([]byte(response), &record); err != nil {
			t.Fatal(err)
		}
		if have, err := RecordFromAPI(&record); err != nil || have != want {
			t.Errorf("%s is shown as %s, %v", response, have, err)
		}
	}
}

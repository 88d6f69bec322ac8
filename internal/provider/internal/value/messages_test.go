package value

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest/golden"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/check"
)

// TestMessages: what users read of this package, to the letter.
func TestMessages(t *testing.T) {
	t.Parallel()
	said := map[string]diag.Diagnostics{}
	config := tfsdk.Config{Schema: schema.Schema{Attributes: map[string]schema.Attribute{
		"name": schema.StringAttribute{Required: true}, "notes": schema.StringAttribute{Optional: true},
		"tags": schema.SetAttribute{Optional: true, ElementType: types.StringType},
	}}}
	says := func(name string, v validator.String, at path.Path, texts ...string) {
		for _, text := range texts {
			var resp validator.StringResponse
			v.ValidateString(t.Context(), validator.StringRequest{Path: at, Config: config,
				ConfigValue: types.StringValue(text)}, &resp)
			said[fmt.Sprintf("%s: %+q", name, text)] = resp.Diagnostics
		}
	}
	notes := path.Root("notes")
	counts := func(name string, v validator.Int64, at path.Path, numbers ...int64) {
		for _, number := range numbers {
			var resp validator.Int64Response
			v.ValidateInt64(t.Context(), validator.Int64Request{Path: at, ConfigValue: types.Int64Value(number)}, &resp)
			said[fmt.Sprintf("%s: %d", name, number)] = resp.Diagnostics
		}
	}
	counts("from 1 to 90", check.Between(1, 90), notes, 0, 1, 90, 91)
	counts("0 or more", check.AtLeast(0), notes, -1, 0)
	counts("in an item", check.AtLeastOr(1, "remove the item"), path.Root("items").AtSetValue(types.StringValue("x")).
		AtName("quantity"), 0)
	says("words", check.OneOf("natural", "juridical"), notes, "company", "natural", "", strings.Repeat("x", 100))
	says("words, in an object", check.OneOf("immediate", "end_of_period"), path.Root("plan_change").AtName("timing"),
		"soon")
	says("tax number", CPFOrCNPJ(), notes, "", "123", "52A98224725", "BR 529.982.247-25!", "12.ABC.345/01DE-3A",
		"CPF 529.982.247-25", "529.982.247-26")
	says("collection", check.Collection("payables"), notes, "a/b")
	says("date", check.Date(), notes, "31/12/1990")
	says("date, from YAML", check.Date(), notes, "1990-01-31T00:00:00Z")
	says("date or time", check.DateOrDateTime(), notes, "yesterday")
	says("e-mail", check.Email(), notes, "Ana <a@example.com>")
	says("header", check.HeaderName(), notes, "a b")
	says("pattern", check.Matches(regexp.MustCompile("^a$"), "the letter a"), notes, "b")
	says("percent", check.Percent(), notes, "100.01")
	says("phone", check.Phone(), notes, "abc")
	says("status", check.KnownStatus("active", "closed"), notes, "actve")
	says("url", check.HTTPS(), notes, "http://a.example", "http://u:secret@a.example", "https://u:p@a.example",
		"https://10.0.0.1/", "https://localhost:3000/x", "https://[::1]/")
	says("url, fragment", check.NoFragment(), notes, "https://a.example/#x")
	says("one line", check.OneLine(), notes, "abc\n", "a\r\nb")
	says("listed", check.Listed("natural", "juridical"), path.Root("kind"), "company")
	says("trimmed", check.Trimmed(), path.Root("external_id"), " crm-42 ")
	says("name", check.Name("charge.paid"), path.Root("events").AtSetValue(types.StringValue("a, b")), "a, b")
	says("uuid", check.UUID(), notes, "pro")
	says("uuid in", check.UUIDIn("plans"), notes, "pro")
	says("blank", check.NotBlank(), notes, "", " \t", "\u200b", " \x00 ", "\ufeff\n")
	says("blank, required", check.NotBlank(), path.Root("name"), "")
	says("blank, element", check.NotBlank(), path.Root("tags").AtSetValue(types.StringValue("")), "")

	elements := []attr.Value{types.StringValue("a"), types.StringNull()}
	var list validator.ListResponse
	check.NoNulls.ValidateList(t.Context(), validator.ListRequest{Path: path.Root("addresses"),
		ConfigValue: types.ListValueMust(types.StringType, elements)}, &list)
	said["null in a list"] = list.Diagnostics
	var mapped validator.MapResponse
	check.NoNulls.ValidateMap(t.Context(), validator.MapRequest{Path: path.Root("filters"),
		ConfigValue: types.MapValueMust(types.StringType, map[string]attr.Value{"a": elements[0], "b": elements[1]})},
		&mapped)
	said["null in a map"] = mapped.Diagnostics
	for name, set := range map[string]types.Set{"null in a set": types.SetValueMust(types.StringType, elements),
		"no set": types.SetNull(types.StringType), "unknown set": types.SetUnknown(types.StringType),
		"set without null": types.SetValueMust(types.StringType, elements[:1])} {
		var resp validator.SetResponse
		check.NoNulls.ValidateSet(t.Context(), validator.SetRequest{Path: path.Root("tags"), ConfigValue: set}, &resp)
		said[name] = resp.Diagnostics
	}
	golden.Messages(t, said)
}

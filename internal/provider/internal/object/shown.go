package object

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	managed "github.com/hashicorp/terraform-plugin-framework/resource/schema"
)

// DataAttributes are the attributes of a data source with the model M: each as the resource has it, with a description
// that ends where the resource's speaks of configuring. texts are other descriptions, by name; the part of a nested
// attribute is named address.city. own are the attributes that the resource does not have, or in another form.
func DataAttributes[M any](r resource.Resource, texts map[string]string, own Attributes) Attributes {
	d := describer{texts, attributesOfResource(r)}
	attributes := Attributes{}
	for name := range attributesOf(reflect.TypeFor[M]()) {
		if attribute, has := own[name]; has {
			attributes[name] = attribute
			continue
		}
		attributes[name] = d.shown(name, d.of[name])
	}
	return attributes
}

// Description is what a resource says about an attribute, up to where it speaks of configuring.
func Description(r resource.Resource, name string) string {
	return describer{}.text(name, attributesOfResource(r)[name])
}

func attributesOfResource(r resource.Resource) map[string]managed.Attribute {
	var resp resource.SchemaResponse
	r.Schema(context.Background(), resource.SchemaRequest{}, &resp)
	return resp.Schema.Attributes
}

type describer struct {
	texts map[string]string
	of    map[string]managed.Attribute
}

// shown is the attribute at a path of a resource as a data source has it: computed.
func (d describer) shown(path string, attribute managed.Attribute) schema.Attribute {
	text := d.text(path, attribute)
	switch a := attribute.(type) {
	case managed.StringAttribute:
		return schema.StringAttribute{Computed: true, CustomType: a.CustomType, MarkdownDescription: text}
	case managed.BoolAttribute:
		return schema.BoolAttribute{Computed: true, CustomType: a.CustomType, MarkdownDescription: text}
	case managed.Int64Attribute:
		return schema.Int64Attribute{Computed: true, MarkdownDescription: text}
	case managed.SetAttribute:
		return schema.SetAttribute{Computed: true, ElementType: a.ElementType, MarkdownDescription: text}
	case managed.ListAttribute:
		return schema.ListAttribute{Computed: true, ElementType: a.ElementType, MarkdownDescription: text}
	case managed.SingleNestedAttribute:
		return schema.SingleNestedAttribute{Computed: true, MarkdownDescription: text,
			Attributes: d.parts(path, a.Attributes)}
	case managed.ListNestedAttribute:
		return schema.ListNestedAttribute{Computed: true, MarkdownDescription: text,
			NestedObject: schema.NestedAttributeObject{Attributes: d.parts(path, a.NestedObject.Attributes)}}
	}
	panic(fmt.Sprintf("the resource has no attribute %s that a data source could show: %T", path, attribute))
}

func (d describer) parts(path string, of map[string]managed.Attribute) map[string]schema.Attribute {
	parts := map[string]schema.Attribute{}
	for name, attribute := range maps.All(of) {
		parts[name] = d.shown(path+"."+name, attribute)
	}
	return parts
}

// configuring is found in a sentence that only matters to who writes a configuration.
var configuring = regexp.MustCompile(`^(Defaults?|If|When the|On creation|For a new|Chang|Remov|Trailing|Their order|` +
	`Used|Not|Next to|Finds|It finds) |\b(plans?|diff|rejected|configured|forces replacement|billable)\b`)

func (d describer) text(path string, attribute managed.Attribute) string {
	if text, has := d.texts[path]; has {
		return text
	}
	if attribute == nil {
		return ""
	}
	text := attribute.GetMarkdownDescription()
	if !attribute.IsRequired() && !attribute.IsOptional() {
		return text
	}
	var kept []string
	for sentence := range strings.SplitSeq(strings.TrimSuffix(text, "."), ". ") {
		if len(kept) > 0 && configuring.MatchString(sentence) {
			break
		}
		kept = append(kept, sentence)
	}
	return strings.Join(kept, ". ") + "."
}

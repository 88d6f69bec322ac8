package contact

import (
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/validate"
)

// About describes the fields of items and addresses, under the keys "item.<field>" and "address.<field>".
var About = map[string]string{
	"item.kind":  "What it is used for, for example `billing` or `personal`.",
	"item.value": "The value itself.",

	"address.kind":         "What the address is used for, for example `billing` or `shipping`.",
	"address.street":       "Street.",
	"address.number":       "Number in the street.",
	"address.complement":   "Flat, floor, block.",
	"address.neighborhood": "Neighbourhood.",
	"address.city":         "City.",
	"address.state":        "State, for example `SP`.",
	"address.postal_code":  "Postal code.",
	"address.country":      "ISO 3166-1 country code of two capital letters, for example `BR`.",
}

// ItemAttributes are the arguments of an item; value validates its value.
func ItemAttributes(value ...validator.String) map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"kind":  text("item.kind", validate.NotBlank()),
		"value": schema.StringAttribute{Required: true, MarkdownDescription: About["item.value"], Validators: value},
	}
}

// AddressAttributes are the arguments of an address.
func AddressAttributes() map[string]schema.Attribute {
	attributes := map[string]schema.Attribute{}
	for _, name := range AddressFields {
		attributes[name] = text("address."+name, validate.NotBlank())
	}
	attributes["country"] = text("address.country", validate.Country())
	return attributes
}

func text(key string, v validator.String) schema.StringAttribute {
	return schema.StringAttribute{Optional: true, MarkdownDescription: About[key], Validators: []validator.String{v}}
}

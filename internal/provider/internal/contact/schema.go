package contact

import (
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/validate"
)

// About describes the fields of items and addresses, under the keys "item.kind", "<list>.value" and "address.<field>".
var About = map[string]string{
	"item.kind":      "Purpose, such as `billing` or `personal`.",
	"emails.value":   "E-mail address.",
	"phones.value":   "Phone number.",
	"websites.value": "Address (URL) of the website.",

	"address.kind":         "Purpose of the address, such as `billing` or `shipping`.",
	"address.street":       "Street, without the number.",
	"address.number":       "Number in the street.",
	"address.complement":   "Flat, floor or block.",
	"address.neighborhood": "Neighborhood.",
	"address.city":         "City.",
	"address.state":        "State, such as `SP`.",
	"address.postal_code":  "Postal code.",
	"address.country":      "ISO country code, such as `BR`.",
}

// ItemAttributes are the arguments of an item of emails, phones or websites; value checks a value that the service does
// not have yet.
func ItemAttributes(list string, value ...validator.String) map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"kind": text("item.kind", validate.NotBlank()),
		"value": schema.StringAttribute{Required: true, MarkdownDescription: About[list+".value"],
			PlanModifiers: onChange(value...)},
	}
}

// AddressAttributes are the arguments of an address.
func AddressAttributes() map[string]schema.Attribute {
	attributes := map[string]schema.Attribute{}
	for _, name := range AddressFields {
		attributes[name] = text("address."+name, validate.NotBlank())
	}
	return attributes
}

func text(key string, v validator.String) schema.StringAttribute {
	return schema.StringAttribute{Optional: true, MarkdownDescription: About[key], PlanModifiers: onChange(v)}
}

func onChange(validators ...validator.String) []planmodifier.String {
	return []planmodifier.String{validate.OnChange(validators...)}
}

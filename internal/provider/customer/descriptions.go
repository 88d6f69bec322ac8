package customer

// typeName is the Terraform type of the resource, the data source and the list resource.
const typeName = "billing_customer"

// about describes the fields that the resource and the data sources share.
var about = map[string]string{
	"id":              "Id of the customer at the service (UUID). Never changes.",
	"public_id":       "Stable public identifier (UUID), for links and documents. Never changes.",
	"external_id":     "Identifier of the customer in your own system, unique among the organization's live customers.",
	"name":            "Name of the person or company.",
	"nickname":        "Trade name or short name.",
	"legal_name":      "Company name of a legal entity, as registered.",
	"document_type":   "`cpf` or `cnpj`, which the service infers from the length of `document_number`; null without one.",
	"document_number": "Tax number: CPF (11 digits) or CNPJ (14 characters: 12 digits or letters and two check digits), with or without a mask. Numbers that differ only in mask or case are the same.",
	"kind":            "`natural` (a person) or `juridical` (a legal entity).",
	"birthday":        "Date of birth, `YYYY-MM-DD`.",
	"email":           "Main e-mail address, which the service keeps as an item of `emails`.",
	"phone":           "Main phone number, which the service keeps as an item of `phones`.",
	"notes":           "Free text for people.",
	"addresses":       "Postal addresses.",
	"phones":          "Phone numbers.",
	"emails":          "E-mail addresses.",
	"websites":        "Web addresses.",
	"tags":            "Labels, in any order.",
	"metadata":        "What the service itself notes on the customer, as JSON text; read it with `jsondecode`.",
	"created_at":      "When the customer was created, ISO 8601.",
	"updated_at":      "When the customer was last changed, ISO 8601.",
}

// aboutSearch describes the filter that the listings share.
const aboutSearch = "Only customers in which the service finds this text; which fields it searches is up to the service."

// arguments are the attributes that the service knows by the same name, so that its complaints land on them.
var arguments = []string{
	"external_id", "name", "nickname", "legal_name", "document_number", "kind", "birthday", "email", "phone", "notes",
	"addresses", "phones", "emails", "websites", "tags", "custom_metadata", "custom_metadata_mode",
	"create_billing_account", "billing_email", "payment_terms_days", "auto_collection",
}

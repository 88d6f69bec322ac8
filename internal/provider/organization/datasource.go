// Package organization implements the data source for the organization of the recurring-billing token.
package organization

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api/billing"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/apidiag"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/conn"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/object"
)

// NewDataSource returns the data source.
func NewDataSource() datasource.DataSource {
	return object.NewDataSource("billing_organization", conn.Billing, dataSchema, read)
}

type model struct {
	ID             types.String `tfsdk:"id"`
	Name           types.String `tfsdk:"name"`
	Email          types.String `tfsdk:"email"`
	DocumentType   types.String `tfsdk:"document_type"`
	DocumentNumber types.String `tfsdk:"document_number"`
	Environment    types.String `tfsdk:"environment"`
	CreatedAt      types.String `tfsdk:"created_at"`
}

func fromAPI(o *billing.Organization) model {
	return model{
		ID:             types.StringValue(o.ID),
		Name:           types.StringValue(o.Name),
		Email:          types.StringValue(o.Email),
		DocumentType:   types.StringValue(o.DocumentType),
		DocumentNumber: types.StringValue(o.DocumentNumber),
		Environment:    types.StringValue(o.Environment),
		CreatedAt:      types.StringValue(o.CreatedAt),
	}
}

func dataSchema() schema.Schema {
	text := func(description string) schema.StringAttribute {
		return schema.StringAttribute{Computed: true, MarkdownDescription: description}
	}
	return schema.Schema{
		MarkdownDescription: "The organization and environment of the provider's `token`, which contain all objects of " +
			"recurring billing in this configuration. The provider arguments `environment` and `allowed_organization_ids` " +
			"check them. It takes one request.",
		Attributes: map[string]schema.Attribute{
			"id":              text("Id of the organization, for `allowed_organization_ids` of the provider."),
			"name":            text("Name of the organization."),
			"email":           text("E-mail address of the organization."),
			"document_type":   text("Kind of the tax number: `cpf` or `cnpj`."),
			"document_number": text("Tax number of the organization."),
			"environment":     text("Environment of the token, such as `sandbox` or `production`."),
			"created_at":      text("When the organization was created."),
		},
	}
}

// read reads the organization of the token.
func read(ctx context.Context, client *billing.Service, m *model, diags *diag.Diagnostics) {
	organization, err := client.Me(ctx)
	if err != nil {
		apidiag.Add(diags, err, apidiag.Operation{Verb: "read", Object: "the organization of the token"})
		return
	}
	*m = fromAPI(organization)
}

package provider

import (
	"github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/metadata"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/value"
)

type providerModel struct {
	BaseURL                types.String   `tfsdk:"base_url"`
	Token                  types.String   `tfsdk:"token"`
	FinanceBaseURL         types.String   `tfsdk:"finance_base_url"`
	FinanceToken           types.String   `tfsdk:"finance_token"`
	CollectionsBaseURL     types.String   `tfsdk:"collections_base_url"`
	CollectionsAPIKey      types.String   `tfsdk:"collections_api_key"`
	CollectionsAuthHeader  types.String   `tfsdk:"collections_auth_header"`
	Environment            types.String   `tfsdk:"environment"`
	AllowedOrganizationIDs types.Set      `tfsdk:"allowed_organization_ids"`
	CACertificateFile      types.String   `tfsdk:"ca_certificate_file"`
	DefaultCustomMetadata  metadata.Value `tfsdk:"default_custom_metadata"`
	MaxRetries             types.Int64    `tfsdk:"max_retries"`
	RetryTimeout           types.String   `tfsdk:"retry_timeout"`
	RequestTimeout         types.String   `tfsdk:"request_timeout"`
	RequestsPerSecond      types.Number   `tfsdk:"requests_per_second"`
	BulkRefresh            types.Bool     `tfsdk:"bulk_refresh"`
	Operations             types.Map      `tfsdk:"operations"`
}

func providerSchema() schema.Schema {
	return schema.Schema{
		MarkdownDescription: "Manages a billing platform as code: customers, billing accounts and subscriptions of " +
			"recurring billing, records of financial management, webhook endpoints and API keys of collections.\n\nEvery " +
			"argument is optional, and most have an environment variable; the argument takes precedence.",
		Attributes: map[string]schema.Attribute{
			"base_url": schema.StringAttribute{Optional: true,
				MarkdownDescription: "Address of the recurring-billing service, `https://` only. Variable: `BILLING_BASE_URL`."},
			"token": schema.StringAttribute{Optional: true, Sensitive: true,
				MarkdownDescription: "Access token of the recurring-billing service. It belongs to one organization and one " +
					"environment. Variable: `BILLING_TOKEN`."},
			"finance_base_url": schema.StringAttribute{Optional: true,
				MarkdownDescription: "Address of the financial-management service, `https://` only. Variable: " +
					"`BILLING_FINANCE_BASE_URL`."},
			"finance_token": schema.StringAttribute{Optional: true, Sensitive: true,
				MarkdownDescription: "Token (a JWT) of the financial-management service. Variable: `BILLING_FINANCE_TOKEN`."},
			"collections_base_url": schema.StringAttribute{Optional: true,
				MarkdownDescription: "Address of the collections service, `https://` only. Variable: " +
					"`BILLING_COLLECTIONS_BASE_URL`."},
			"collections_api_key": schema.StringAttribute{Optional: true, Sensitive: true,
				MarkdownDescription: "API key of the collections service. Managing API keys requires the scope `api_keys:*`. " +
					"Variable: `BILLING_COLLECTIONS_API_KEY`."},
			"collections_auth_header": schema.StringAttribute{Optional: true,
				MarkdownDescription: "Header for that key. Defaults to `Authorization`, with the value `Bearer <key>`; any other " +
					"header contains the bare key. " +
					"Variable: `BILLING_COLLECTIONS_AUTH_HEADER`."},
			"environment": schema.StringAttribute{Optional: true,
				MarkdownDescription: "Guard: the only environment of this configuration, `sandbox` or `production`. If set, one " +
					"request per run checks the token. Needs `base_url` and `token`. Variable: `BILLING_ENVIRONMENT`."},
			"allowed_organization_ids": schema.SetAttribute{Optional: true, ElementType: types.StringType,
				MarkdownDescription: "Guard: ids of the only organizations of this configuration. If set, one request per run " +
					"checks the token. Needs `base_url` and `token`."},
			"ca_certificate_file": schema.StringAttribute{Optional: true,
				MarkdownDescription: "Path of a PEM bundle of certificate authorities to trust in addition to the system's, " +
					"such as the sandbox's. Variable: `BILLING_CA_CERTIFICATE_FILE`."},
			"default_custom_metadata": schema.DynamicAttribute{Optional: true, CustomType: metadata.Type{},
				MarkdownDescription: "Keys to add to the `custom_metadata` of every customer, account and subscription; a " +
					"resource's own keys take precedence. See [ownership](guides/custom-metadata.md#defaults-for-everything). " +
					"Changing it updates all these objects."},
			"max_retries": schema.Int64Attribute{Optional: true, CustomType: value.Whole,
				MarkdownDescription: "Maximum number of retries of one request after a server failure (5xx, 408) or a broken " +
					"connection, 0 to 20. If unset, only `retry_timeout` limits them. A rate limit (429) does not count. " +
					"Variable: `BILLING_MAX_RETRIES`."},
			"retry_timeout": schema.StringAttribute{Optional: true,
				MarkdownDescription: "How long one request is retried after a server failure, a broken connection or a 429, from " +
					"`0s` (never, except after a 429) to `1h`. Defaults to `5m`, and to `20s` until the service has responded. See " +
					"[outages](guides/reliability.md#outages). Variable: `BILLING_RETRY_TIMEOUT`."},
			"request_timeout": schema.StringAttribute{Optional: true,
				MarkdownDescription: "Maximum duration of one attempt of a request, from `100ms` to `10m`. Defaults to `30s`. " +
					"Variable: `BILLING_REQUEST_TIMEOUT`."},
			"requests_per_second": schema.NumberAttribute{Optional: true,
				MarkdownDescription: "Maximum number of requests per second over all services, above 0 up to 1000. If unset, " +
					"there is no limit. A 429 response always slows the whole provider down. Variable: " +
					"`BILLING_REQUESTS_PER_SECOND`."},
			"bulk_refresh": schema.BoolAttribute{Optional: true,
				MarkdownDescription: "Whether refreshes read many objects of one type [from " +
					"lists](#performance), 100 per request. Defaults to `true`. " +
					"`false` reads each object by its id. Variable: `BILLING_BULK_REFRESH`."},
			"operations": schema.MapAttribute{Optional: true, ElementType: types.StringType,
				MarkdownDescription: "Methods and paths of single operations, [if the service " +
					"differs](#what-if-the-service-differs): operation name → `METHOD /path/{id}`, such as `{ \"customers.update\" " +
					"= \"PUT /v1/customers/{id}\" }`."},
		},
	}
}

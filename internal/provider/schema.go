package provider

import (
	"github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/metadata"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/value"
)

// providerModel is the provider block.
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
		MarkdownDescription: "Manages a billing platform as code: customers, billing accounts and subscriptions " +
			"of recurring billing, records of financial management, webhook endpoints and API keys of " +
			"collections.\n\nEvery argument is optional, and most have an environment variable; the argument " +
			"takes precedence. A service that the configuration does not use needs neither an address nor a " +
			"token.",
		Attributes: map[string]schema.Attribute{
			"base_url": schema.StringAttribute{Optional: true,
				MarkdownDescription: "Address of the recurring-billing service, `https://` only. Variable: `BILLING_BASE_URL`."},
			"token": schema.StringAttribute{Optional: true, Sensitive: true,
				MarkdownDescription: "Access token of the recurring-billing service. It belongs to one " +
					"organization and one environment, and the provider works only there. Variable: " +
					"`BILLING_TOKEN`."},
			"finance_base_url": schema.StringAttribute{Optional: true,
				MarkdownDescription: "Address of the financial-management service, `https://` only. Variable: " +
					"`BILLING_FINANCE_BASE_URL`."},
			"finance_token": schema.StringAttribute{Optional: true, Sensitive: true,
				MarkdownDescription: "Token (a JWT) of the financial-management service. Variable: `BILLING_FINANCE_TOKEN`."},
			"collections_base_url": schema.StringAttribute{Optional: true,
				MarkdownDescription: "Address of the collections service, `https://` only. Variable: " +
					"`BILLING_COLLECTIONS_BASE_URL`."},
			"collections_api_key": schema.StringAttribute{Optional: true, Sensitive: true,
				MarkdownDescription: "API key of the collections service. To manage API keys it needs the scope " +
					"`api_keys:*`. Variable: `BILLING_COLLECTIONS_API_KEY`."},
			"collections_auth_header": schema.StringAttribute{Optional: true,
				MarkdownDescription: "Header for the API key of the collections service. Defaults to " +
					"`Authorization`, with the value `Bearer <key>`; any other header contains the bare key. " +
					"Variable: `BILLING_COLLECTIONS_AUTH_HEADER`."},
			"environment": schema.StringAttribute{Optional: true,
				MarkdownDescription: "Guard for the environment: `sandbox` or `production`. If set, the provider " +
					"requests the environment of the token once per run, and stops with an error in any other " +
					"environment. Needs `base_url` and `token`. Variable: `BILLING_ENVIRONMENT`."},
			"allowed_organization_ids": schema.SetAttribute{Optional: true, ElementType: types.StringType,
				MarkdownDescription: "Guard for the organization: ids of the organizations that this " +
					"configuration may change. If set, the provider requests the organization of the token once " +
					"per run, and stops with an error for any other organization. Needs `base_url` and `token`."},
			"ca_certificate_file": schema.StringAttribute{Optional: true,
				MarkdownDescription: "Path of a PEM bundle of certificate authorities to trust in addition to the " +
					"system's, for example the sandbox's. Variable: `BILLING_CA_CERTIFICATE_FILE`."},
			"default_custom_metadata": schema.DynamicAttribute{Optional: true, CustomType: metadata.Type{},
				MarkdownDescription: "Object merged under the `custom_metadata` of every customer, account and subscription " +
					"here; a resource's own keys take precedence. The keys are owned like these (see " +
					"[ownership](guides/custom-metadata.md#defaults-for-everything)). Changing it updates " +
					"all of these objects."},
			"max_retries": schema.Int64Attribute{Optional: true, CustomType: value.Whole,
				MarkdownDescription: "Maximum number of times that one request is repeated after a server failure " +
					"(5xx, 408) or a broken connection, 0 to 20. If unset, only `retry_timeout` limits the " +
					"repetitions. Waiting for a rate limit (429) does not count. Variable: " +
					"`BILLING_MAX_RETRIES`."},
			"retry_timeout": schema.StringAttribute{Optional: true,
				MarkdownDescription: "How long one request is repeated after a server failure or a broken connection, from " +
					"`0s` (never) to `1h`. Defaults to `5m`, and to `20s` until the service has responded " +
					"once. See [outages](guides/reliability.md#outages). Variable: `BILLING_RETRY_TIMEOUT`."},
			"request_timeout": schema.StringAttribute{Optional: true,
				MarkdownDescription: "Maximum time of one attempt of a request, as a duration with its unit " +
					"between `100ms` and `10m`. Defaults to `30s`. Variable: `BILLING_REQUEST_TIMEOUT`."},
			"requests_per_second": schema.NumberAttribute{Optional: true,
				MarkdownDescription: "Limit of requests per second that the provider sends, over all services, " +
					"above 0 up to 1000. If unset, there is no limit. A 429 response slows the whole provider " +
					"down in any case. Variable: `BILLING_REQUESTS_PER_SECOND`."},
			"bulk_refresh": schema.BoolAttribute{Optional: true,
				MarkdownDescription: "Whether a refresh of many objects of one type lists them, 100 at a time. Defaults to " +
					"`true`, which takes at most three requests more than one per object. `false` reads each " +
					"object by its id. Variable: `BILLING_BULK_REFRESH`."},
			"operations": schema.MapAttribute{Optional: true, ElementType: types.StringType,
				MarkdownDescription: "Overrides of methods and paths of single operations, for a service that " +
					"differs from what this provider assumes: operation name → `METHOD /path/{id}`, for example " +
					"`{ \"customers.update\" = \"PUT /v1/customers/{id}\" }`. See [what to do if the " +
					"service differs](#what-if-the-service-differs)."},
		},
	}
}

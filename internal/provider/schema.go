package provider

import (
	"github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/fwtype"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/metadata"
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
		MarkdownDescription: "Manages a billing platform as code: customers, billing accounts and subscriptions of recurring billing, records of financial management, webhook endpoints and API keys of " +
			"collections.\n\nEvery argument is optional and most have an environment variable; the argument wins. A service that nothing uses needs neither address nor token.",
		Attributes: map[string]schema.Attribute{
			"base_url": schema.StringAttribute{Optional: true,
				MarkdownDescription: "Address of the recurring-billing service, `https://` only. Variable: `BILLING_BASE_URL`."},
			"token": schema.StringAttribute{Optional: true, Sensitive: true,
				MarkdownDescription: "Access token of the recurring-billing service. It belongs to one organization and one environment, and everything happens there. Variable: `BILLING_TOKEN`."},
			"finance_base_url": schema.StringAttribute{Optional: true,
				MarkdownDescription: "Address of the financial-management service, `https://` only. Variable: `BILLING_FINANCE_BASE_URL`."},
			"finance_token": schema.StringAttribute{Optional: true, Sensitive: true,
				MarkdownDescription: "Token (a JWT) of the financial-management service. Variable: `BILLING_FINANCE_TOKEN`."},
			"collections_base_url": schema.StringAttribute{Optional: true,
				MarkdownDescription: "Address of the collections service, `https://` only. Variable: `BILLING_COLLECTIONS_BASE_URL`."},
			"collections_api_key": schema.StringAttribute{Optional: true, Sensitive: true,
				MarkdownDescription: "API key of the collections service. To manage API keys it needs the scope `api_keys:*`. Variable: `BILLING_COLLECTIONS_API_KEY`."},
			"collections_auth_header": schema.StringAttribute{Optional: true,
				MarkdownDescription: "Header that carries the API key of the collections service. Default `Authorization`, as `Bearer <key>`; any other " +
					"header carries the bare key. Variable: `BILLING_COLLECTIONS_AUTH_HEADER`."},
			"environment": schema.StringAttribute{Optional: true,
				MarkdownDescription: "`sandbox` or `production`. When set, the provider asks the service once which environment the token belongs to and " +
					"refuses to run in another one. Needs `base_url` and `token`. Variable: `BILLING_ENVIRONMENT`."},
			"allowed_organization_ids": schema.SetAttribute{Optional: true, ElementType: types.StringType,
				MarkdownDescription: "Ids of the organizations this configuration may touch. When set, the provider asks the service once whose token it " +
					"has and refuses any other organization. Needs `base_url` and `token`."},
			"ca_certificate_file": schema.StringAttribute{Optional: true,
				MarkdownDescription: "Path of a PEM bundle of certificate authorities trusted beside the system's, for example the sandbox's. " +
					"Variable: `BILLING_CA_CERTIFICATE_FILE`."},
			"default_custom_metadata": schema.DynamicAttribute{Optional: true, CustomType: metadata.Type{},
				MarkdownDescription: "Object merged under the `custom_metadata` of every customer, billing account and subscription that is a resource here; a resource's own keys win, at any depth. " +
					"Keys from here are owned like the resource's own (see [the guide on ownership](guides/custom-metadata#defaults-for-everything)), and show in `effective_custom_metadata`. A change here changes all of these objects."},
			"max_retries": schema.Int64Attribute{Optional: true, CustomType: fwtype.Whole,
				MarkdownDescription: "Largest number of times that one request is repeated after a server failure (5xx, 408) or a broken connection, 0 to 20. " +
					"If unset, only `retry_timeout` limits the repetitions. Waiting for a rate limit (429) does not count. Variable: `BILLING_MAX_RETRIES`."},
			"retry_timeout": schema.StringAttribute{Optional: true,
				MarkdownDescription: "How long one request is repeated after a server failure (5xx, 408) or a broken connection, as a duration with its unit between `0s` and `1h`, " +
					"counted from the first failure, with growing random pauses of up to 30 seconds. Defaults to `5m`; `0s` repeats nothing. Waiting for a rate limit (429) does not count. " +
					"A request that would create or charge something twice is never repeated blindly. See [the guide on reliability](guides/reliability#outages). Variable: `BILLING_RETRY_TIMEOUT`."},
			"request_timeout": schema.StringAttribute{Optional: true,
				MarkdownDescription: "Longest time that one attempt of a request may take, as a duration with its unit between `100ms` and `10m`. Default `30s`. Variable: `BILLING_REQUEST_TIMEOUT`."},
			"requests_per_second": schema.NumberAttribute{Optional: true,
				MarkdownDescription: "Limit of requests per second that the provider keeps to by itself, over all services, above 0 up to 1000. Default: none. " +
					"An answer 429 slows the whole provider down in any case. Variable: `BILLING_REQUESTS_PER_SECOND`."},
			"bulk_refresh": schema.BoolAttribute{Optional: true,
				MarkdownDescription: "Whether a refresh of many objects of one type reads pages of their list, 100 objects at a time, instead of one object at a time. " +
					"Defaults to `true`, which never takes more than three requests above one per object, and far fewer where most of the listed objects are in the state. `false` reads each object by its id. " +
					"Variable: `BILLING_BULK_REFRESH`."},
			"operations": schema.MapAttribute{Optional: true, ElementType: types.StringType,
				MarkdownDescription: "Other methods and paths for single operations, for a service that differs from what this provider assumes: operation name → " +
					"`METHOD /path/{id}`, for example `{ \"customers.update\" = \"PUT /v1/customers/{id}\" }`. " +
					"[The guide on service assumptions](guides/service-assumptions) lists the names."},
		},
	}
}

package provider

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/apidiag"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/check"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/metadata"
)

// Limits and defaults of the provider arguments.
const (
	highestMaxRetries     = 20
	highestRetryTimeout   = time.Hour
	lowestRequestTimeout  = 100 * time.Millisecond
	highestRequestTimeout = 10 * time.Minute
	highestRequestRate    = 1000
)

// settings is the provider block, completed from the environment and validated.
type settings struct {
	billing, finance, collections endpoint
	collectionsAuthHeader         string
	environment                   string
	organizations                 []string
	caCertificateFile             setValue
	defaults                      metadata.Object
	defaultsUnknown               bool
	maxRetries                    int           // api.NoRetryLimit if unset
	retryTimeout                  time.Duration // 0 if unset; maxRetries 0 disables retries
	requestTimeout                time.Duration // 0 if unset
	requestsPerSecond             float64
	bulkRefresh                   bool
	operations                    api.Operations
	// unknown names the unknown arguments, except default_custom_metadata.
	unknown []string
}

// endpoint holds the configured address and token of one service.
type endpoint struct {
	service         string
	address, secret setValue
}

// setValue is a string argument; empty if unset.
type setValue struct {
	argument, variable string
	text               string
	unknown            bool
	// given is true if the argument is in the configuration, so that the variable is ignored.
	given bool
}

// from describes the source of the value in a sentence.
func (v setValue) from() string {
	if v.given {
		return "the provider argument " + v.argument
	}
	return "the environment variable " + v.variable
}

// origin ends an error with the source of the value, and the alternative source.
func (v setValue) origin() string {
	if v.given {
		return fmt.Sprintf(" (From %s; the environment variable is %s.)", v.from(), v.variable)
	}
	return fmt.Sprintf(" (From %s; the provider argument is %s.)", v.from(), v.argument)
}

// resolver collects errors while the arguments are read.
type resolver struct {
	getenv  func(string) string
	diags   diag.Diagnostics
	unknown []string
}

// resolve reads every argument, from the configuration first and from the environment otherwise.
func resolve(ctx context.Context, config providerModel, getenv func(string) string) (settings, diag.Diagnostics) {
	r := &resolver{getenv: getenv}
	s := settings{
		billing: r.endpoint("billing", "base_url", config.BaseURL, "token", config.Token),
		finance: r.endpoint("finance", "finance_base_url", config.FinanceBaseURL, "finance_token",
			config.FinanceToken),
		collections: r.endpoint("collections", "collections_base_url", config.CollectionsBaseURL, "collections_api_key",
			config.CollectionsAPIKey),
		environment: setting(r, "environment", config.Environment, "", oneOf("sandbox", "production"),
			"Write sandbox or production."),
		organizations:     r.organizations(ctx, config.AllowedOrganizationIDs),
		caCertificateFile: r.text("ca_certificate_file", config.CACertificateFile),
		maxRetries: setting(r, "max_retries", asText(config.MaxRetries, config.MaxRetries.String()), api.NoRetryLimit,
			func(text string) (int, bool) {
				n, err := strconv.Atoi(text)
				return n, err == nil && n >= 0 && n <= highestMaxRetries
			}, "It is not a whole number from 0 to %d.", highestMaxRetries),
		requestsPerSecond: setting(r, "requests_per_second", asText(config.RequestsPerSecond,
			check.NumberText(config.RequestsPerSecond.ValueBigFloat())), 0, func(text string) (float64, bool) {
			n, err := strconv.ParseFloat(text, 64)
			return n, err == nil && n > 0 && n <= highestRequestRate // so that NaN is rejected too
		}, "It is not a number greater than 0 and at most %d. If unset, there is no limit.", highestRequestRate),
		bulkRefresh: setting(r, "bulk_refresh", asText(config.BulkRefresh, config.BulkRefresh.String()), true,
			func(text string) (bool, bool) {
				on, err := strconv.ParseBool(text)
				return on, err == nil
			}, "Write true or false."),
		operations: r.operations(config.Operations),
	}
	const unset = -1
	s.retryTimeout = r.duration("retry_timeout", config.RetryTimeout, unset, 0, highestRetryTimeout)
	if s.retryTimeout == 0 {
		s.maxRetries = 0
	}
	s.retryTimeout = max(s.retryTimeout, 0)
	s.requestTimeout = r.duration("request_timeout", config.RequestTimeout, 0, lowestRequestTimeout, highestRequestTimeout)
	r.checkPaths(s.operations, s.billing, s.finance, s.collections)
	s.collectionsAuthHeader = r.header(config.CollectionsAuthHeader)
	s.defaults, s.defaultsUnknown = r.defaults(config.DefaultCustomMetadata)
	s.unknown = r.unknown
	return s, r.diags
}

// setting parses an argument, or returns unset. problem is the format of the error, without the value, which may be a
// secret in the wrong place.
func setting[T any](r *resolver, argument string, configured types.String, unset T, read func(text string) (T, bool),
	problem string, limits ...any) T {
	v := r.text(argument, configured)
	if v.text == "" {
		return unset
	}
	value, ok := read(v.text)
	if !ok {
		r.wrong(v, problem, limits...)
	}
	return value
}

// asText returns an argument that is not a string in the configuration as the string that the environment would have.
func asText(configured attr.Value, text string) types.String {
	switch {
	case configured.IsNull():
		return types.StringNull()
	case configured.IsUnknown():
		return types.StringUnknown()
	}
	return types.StringValue(text)
}

func oneOf(values ...string) func(string) (string, bool) {
	return func(text string) (string, bool) { return text, slices.Contains(values, text) }
}

func (r *resolver) duration(argument string, configured types.String, unset, lowest,
	highest time.Duration) time.Duration {
	return setting(r, argument, configured, unset, func(text string) (time.Duration, bool) {
		d, err := time.ParseDuration(text)
		return d, err == nil && d >= lowest && d <= highest
	}, "It is not a duration between %s and %s. Write a number with its unit, such as 30s or 2m.", short(lowest),
		short(highest))
}

// text reads a string argument. Its variable is BILLING_ and the argument's name in capitals.
func (r *resolver) text(argument string, configured types.String) setValue {
	v := setValue{argument: argument, variable: "BILLING_" + strings.ToUpper(argument), unknown: configured.IsUnknown(),
		text: configured.ValueString(), given: !configured.IsNull()}
	if v.unknown {
		r.unknown = append(r.unknown, argument)
	}
	if configured.IsNull() {
		v.text = r.getenv(v.variable)
	}
	return v
}

// wrong reports an invalid value and its source.
func (r *resolver) wrong(v setValue, format string, args ...any) {
	r.diags.AddAttributeError(path.Root(v.argument), "Invalid provider argument "+v.argument,
		fmt.Sprintf(format, args...)+v.origin())
}

func (r *resolver) endpoint(service, addressName string, address types.String, secretName string,
	secret types.String) endpoint {
	e := endpoint{service: service, address: r.text(addressName, address), secret: r.text(secretName, secret)}
	if e.address.text != "" {
		if err := api.ValidateBaseURL(e.address.text); err != nil {
			r.wrong(e.address, "%s.%s", apidiag.Capitalize(err.Error()), e.swapped())
		}
	}
	if e.secret.text != "" {
		if err := validateToken(e.secret); err != nil {
			r.wrong(e.secret, "%s: %s.", e.secret.argument, err)
		}
	}
	return e
}

// swapped explains a malformed address whose service has an address as its token.
func (e endpoint) swapped() string {
	if !strings.HasPrefix(e.secret.text, "https://") {
		return ""
	}
	return fmt.Sprintf(" %s is an address, so the two are probably swapped.", apidiag.Capitalize(e.secret.from()))
}

// validateToken rejects values that are not valid in a header. The format of tokens is not documented. The error never
// contains the token.
func validateToken(v setValue) error {
	if scheme, _, found := strings.Cut(v.text, " "); found && strings.EqualFold(scheme, "Bearer") {
		return fmt.Errorf("the token begins with %q, which the provider adds itself; set only the token, without that word "+
			"and without a space", scheme)
	}
	if strings.ContainsAny(v.text[:1], `"'`) {
		return errors.New("the token begins with a quotation mark, probably copied from a file or command; set only the " +
			"token")
	}
	return api.ValidateToken(v.text) //nolint:wrapcheck // it is the message
}

// checkPaths rejects addresses that end with the beginning of the service's paths, because the client appends these. If
// operations sets other paths, there is no such check.
func (r *resolver) checkPaths(operations api.Operations, endpoints ...endpoint) {
	for _, e := range endpoints {
		if path := operations.RepeatedPath(e.service, e.address.text); path != "" {
			r.wrong(e.address, "The address ends in %s, which is part of the service's paths: the provider appends them "+
				"itself. Remove %s from the address.", path, path)
		}
	}
}

func (r *resolver) organizations(ctx context.Context, configured types.Set) []string {
	const argument = "allowed_organization_ids"
	if configured.IsNull() {
		return nil
	}
	for _, element := range configured.Elements() {
		if element.IsUnknown() {
			configured = types.SetUnknown(types.StringType)
		}
	}
	if configured.IsUnknown() {
		r.unknown = append(r.unknown, argument)
		return nil
	}
	var ids []types.String
	r.diags.Append(configured.ElementsAs(ctx, &ids, false)...)
	var allowed []string
	for _, id := range ids {
		if id.ValueString() != "" {
			allowed = append(allowed, id.ValueString())
		}
	}
	if len(allowed) == 0 || len(allowed) < len(ids) {
		r.diags.AddAttributeError(path.Root(argument), "Invalid provider argument "+argument,
			"The set is empty, or contains an empty id, so no organization could match. List the ids of the allowed "+
				"organizations, or remove the argument to allow any.")
	}
	slices.Sort(allowed)
	return allowed
}

func (r *resolver) header(configured types.String) string {
	v := r.text("collections_auth_header", configured)
	if err := api.ValidateAuthHeader(v.text); err != nil {
		r.wrong(v, "%s.", apidiag.Capitalize(err.Error()))
	}
	return v.text
}

// short omits zero units: 10m, not 10m0s.
func short(d time.Duration) string {
	text := d.String()
	for _, zero := range []string{"m0s", "h0m"} {
		if trimmed, ok := strings.CutSuffix(text, zero); ok {
			text = trimmed + zero[:1]
		}
	}
	return text
}

func (r *resolver) operations(configured types.Map) api.Operations {
	overrides := map[string]string{}
	for name, element := range configured.Elements() {
		if element.IsUnknown() {
			configured = types.MapUnknown(types.StringType)
			break
		}
		// A null becomes "", which is rejected with the operation's name.
		if text, ok := element.(types.String); ok {
			overrides[name] = text.ValueString()
		}
	}
	if configured.IsUnknown() {
		r.unknown = append(r.unknown, "operations")
		return api.DefaultOperations()
	}
	operations, err := api.ParseOperations(overrides)
	for _, wrong := range joined(err) {
		at := path.Root("operations")
		var operation *api.OperationError
		if errors.As(wrong, &operation) {
			at = at.AtMapKey(operation.Name)
		}
		r.diags.AddAttributeError(at, "Invalid operation", apidiag.Capitalize(wrong.Error())+".")
	}
	return operations
}

func joined(err error) []error {
	if err == nil {
		return nil
	}
	if several, ok := err.(interface{ Unwrap() []error }); ok {
		return several.Unwrap()
	}
	return []error{err}
}

func (r *resolver) defaults(configured metadata.Value) (metadata.Object, bool) {
	object, err := configured.Object()
	if errors.Is(err, metadata.ErrUnknown) {
		return nil, true
	}
	if err != nil {
		r.diags.AddAttributeError(path.Root("default_custom_metadata"), "Invalid provider argument default_custom_metadata",
			err.Error())
	}
	return object, false
}

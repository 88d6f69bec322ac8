package provider

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/metadata"
)

// given is a configuration and an environment.
type given struct {
	config    func(*providerModel)
	variables map[string]string
}

func (g given) resolve(t *testing.T) (settings, diag.Diagnostics) {
	t.Helper()
	config := providerModel{DefaultCustomMetadata: metadata.Null()}
	if g.config != nil {
		g.config(&config)
	}
	return resolve(t.Context(), config, func(variable string) string { return g.variables[variable] })
}

// textArgument is an argument that is text, with its variable.
type textArgument struct {
	name, variable string
	field          func(*providerModel) *types.String
	read           func(settings) string
	good, other    string // two valid values
}

var textArguments = []textArgument{
	{"base_url", "BILLING_BASE_URL", func(m *providerModel) *types.String { return &m.BaseURL }, func(s settings) string {
		return s.billing.address.text
	}, "https://a.example", "https://b.example:8443/prefix"},
	{"token", "BILLING_TOKEN", func(m *providerModel) *types.String { return &m.Token }, func(s settings) string {
		return s.billing.secret.text
	}, "token-a", "token-b"},
	{"finance_base_url", "BILLING_FINANCE_BASE_URL", func(m *providerModel) *types.String { return &m.FinanceBaseURL },
		func(s settings) string { return s.finance.address.text }, "https://a.example", "https://b.example"},
	{"finance_token", "BILLING_FINANCE_TOKEN", func(m *providerModel) *types.String { return &m.FinanceToken },
		func(s settings) string { return s.finance.secret.text }, "a.b.c", "d.e.f"},
	{"collections_base_url", "BILLING_COLLECTIONS_BASE_URL", func(m *providerModel) *types.String {
		return &m.CollectionsBaseURL
	}, func(s settings) string { return s.collections.address.text }, "https://a.example", "https://b.example"},
	{"collections_api_key", "BILLING_COLLECTIONS_API_KEY", func(m *providerModel) *types.String {
		return &m.CollectionsAPIKey
	}, func(s settings) string { return s.collections.secret.text }, "key-a", "key-b"},
	{"collections_auth_header", "BILLING_COLLECTIONS_AUTH_HEADER", func(m *providerModel) *types.String {
		return &m.CollectionsAuthHeader
	}, func(s settings) string { return s.collectionsAuthHeader }, "Authorization", "X-Api-Key"},
	{"environment", "BILLING_ENVIRONMENT", func(m *providerModel) *types.String { return &m.Environment },
		func(s settings) string { return s.environment }, "sandbox", "production"},
	{"ca_certificate_file", "BILLING_CA_CERTIFICATE_FILE", func(m *providerModel) *types.String {
		return &m.CACertificateFile
	}, func(s settings) string { return s.caCertificateFile.text }, "/a.pem", "/b.pem"},
	{"request_timeout", "BILLING_REQUEST_TIMEOUT", func(m *providerModel) *types.String { return &m.RequestTimeout },
		func(s settings) string { return s.requestTimeout.String() }, "45s", "2m0s"},
}

// TestResolve_argumentsAndVariables: the argument wins over its variable, the variable stands in for it, and an unknown
// argument waits for its value instead of taking the variable's.
func TestResolve_argumentsAndVariables(t *testing.T) {
	t.Parallel()
	for _, a := range textArguments {
		t.Run(a.name, func(t *testing.T) {
			t.Parallel()
			variable := map[string]string{a.variable: a.other}
			argument := func(m *providerModel) { *a.field(m) = types.StringValue(a.good) }
			for name, c := range map[string]struct {
				given given
				want  string
			}{
				"argument": {given{config: argument}, a.good},
				"variable": {given{variables: variable}, a.other},
				"both":     {given{config: argument, variables: variable}, a.good},
			} {
				s, diags := c.given.resolve(t)
				if have := a.read(s); have != c.want || len(diags) > 0 || len(s.unknown) > 0 {
					t.Errorf("%s: %q, unknown %v, %v, want %q", name, have, s.unknown, diags, c.want)
				}
			}
			s, diags := given{config: func(m *providerModel) { *a.field(m) = types.StringUnknown() },
				variables: variable}.resolve(t)
			if have := a.read(s); have == a.other || !slices.Equal(s.unknown, []string{a.name}) || len(diags) > 0 {
				t.Errorf("unknown: %q, unknown %v, %v", have, s.unknown, diags)
			}
		})
	}
}

func TestResolve_numbers(t *testing.T) {
	t.Parallel()
	variables := map[string]string{"BILLING_MAX_RETRIES": "7", "BILLING_REQUESTS_PER_SECOND": "2.5"}
	for name, c := range map[string]struct {
		given   given
		retries int
		rate    float64
		unknown []string
	}{
		"defaults":  {given{}, api.NoRetryLimit, 0, nil},
		"variables": {given{variables: variables}, 7, 2.5, nil},
		"arguments win": {given{variables: variables, config: func(m *providerModel) {
			m.MaxRetries, m.RequestsPerSecond = types.Int64Value(0), types.NumberValue(big.NewFloat(1000))
		}}, 0, 1000, nil},
		"unknown": {given{variables: variables, config: func(m *providerModel) {
			m.MaxRetries, m.RequestsPerSecond = types.Int64Unknown(), types.NumberUnknown()
		}}, api.NoRetryLimit, 0, []string{"max_retries", "requests_per_second"}},
	} {
		s, diags := c.given.resolve(t)
		if s.maxRetries != c.retries || s.requestsPerSecond != c.rate || !slices.Equal(s.unknown, c.unknown) ||
			len(diags) > 0 {
			t.Errorf("%s: %d retries, %g a second, unknown %v, %v", name, s.maxRetries, s.requestsPerSecond, s.unknown, diags)
		}
	}
	for text, want := range map[string]settings{"": {maxRetries: api.NoRetryLimit}, "0s": {},
		"2m": {maxRetries: api.NoRetryLimit, retryTimeout: 2 * time.Minute}} {
		s, _ := (given{variables: map[string]string{"BILLING_RETRY_TIMEOUT": text}}).resolve(t)
		if s.maxRetries != want.maxRetries || s.retryTimeout != want.retryTimeout || s.requestTimeout != 0 {
			t.Errorf("retry_timeout %q: %d retries for %s", text, s.maxRetries, s.retryTimeout)
		}
	}
}

func TestResolve_bulkRefresh(t *testing.T) {
	t.Parallel()
	argument := func(v types.Bool) func(*providerModel) { return func(m *providerModel) { m.BulkRefresh = v } }
	off := map[string]string{"BILLING_BULK_REFRESH": "false"}
	for name, c := range map[string]struct {
		given   given
		want    bool
		unknown []string
	}{
		"default":        {given{}, true, nil},
		"variable":       {given{variables: off}, false, nil},
		"argument":       {given{config: argument(types.BoolValue(false))}, false, nil},
		"argument first": {given{config: argument(types.BoolValue(true)), variables: off}, true, nil},
		"unknown":        {given{config: argument(types.BoolUnknown())}, true, []string{"bulk_refresh"}},
	} {
		s, diags := c.given.resolve(t)
		if s.bulkRefresh != c.want || !slices.Equal(s.unknown, c.unknown) || len(diags) > 0 {
			t.Errorf("%s: %v, unknown %v, %v", name, s.bulkRefresh, s.unknown, diags)
		}
	}
}

// set makes a configuration of one text argument.
func set(field func(*providerModel) *types.String, value string) func(*providerModel) {
	return func(m *providerModel) { *field(m) = types.StringValue(value) }
}

func operations(overrides map[string]attr.Value) func(*providerModel) {
	return func(m *providerModel) { m.Operations = types.MapValueMust(types.StringType, overrides) }
}

func organizations(ids ...attr.Value) func(*providerModel) {
	return func(m *providerModel) {
		m.AllowedOrganizationIDs = types.SetValueMust(types.StringType, append([]attr.Value{}, ids...))
	}
}

func text(s string) attr.Value { return types.StringValue(s) }

// TestResolve_refuses: a bad value is named with its argument, what is wrong and what to write instead.
func TestResolve_refuses(t *testing.T) {
	t.Parallel()
	baseURL := func(m *providerModel) *types.String { return &m.BaseURL }
	timeout := func(m *providerModel) *types.String { return &m.RequestTimeout }
	retryTime := func(m *providerModel) *types.String { return &m.RetryTimeout }
	header := func(m *providerModel) *types.String { return &m.CollectionsAuthHeader }
	retries := func(n int64) func(*providerModel) {
		return func(m *providerModel) { m.MaxRetries = types.Int64Value(n) }
	}
	rate := func(n float64) func(*providerModel) {
		return func(m *providerModel) { m.RequestsPerSecond = types.NumberValue(big.NewFloat(n)) }
	}
	env := func(variable, value string) map[string]string { return map[string]string{variable: value} }
	for name, c := range map[string]struct {
		given given
		at    string
		parts []string
	}{
		"http": {given{config: set(baseURL, "http://a.example")}, "base_url",
			[]string{"https://", "BILLING_BASE_URL"}},
		"http by variable": {given{variables: env("BILLING_FINANCE_BASE_URL", "http://a.example")}, "finance_base_url",
			[]string{"https://", "BILLING_FINANCE_BASE_URL"}},
		"no scheme": {given{config: set(baseURL, "a.example")}, "base_url", []string{"https://"}},
		"user and password": {given{config: set(baseURL, "https://me:hunter2@a.example")}, "base_url",
			[]string{"user name or password"}},
		"version in the path": {given{config: set(baseURL, "https://a.example/v1/")}, "base_url",
			[]string{"ends in /v1,", "Remove /v1"}},
		"path of the service": {given{variables: env("BILLING_COLLECTIONS_BASE_URL", "https://a.example/x/api/v1/api-keys")},
			"collections_base_url",
			[]string{"ends in /api/v1/api-keys", "From the environment variable BILLING_COLLECTIONS_BASE_URL"}},
		"Bearer": {given{config: set(func(m *providerModel) *types.String { return &m.Token },
			"bearer hunter2")}, "token", []string{`begins with "bearer"`, "From the provider argument token"}},
		"quoted": {given{variables: env("BILLING_FINANCE_TOKEN", `"hunter2"`)}, "finance_token",
			[]string{"quotation mark"}},
		"query": {given{config: set(baseURL, "https://a.example?x=1")}, "base_url", []string{"query"}},
		"environment": {given{config: set(func(m *providerModel) *types.String { return &m.Environment },
			"staging")}, "environment", []string{"sandbox or production"}},
		"no ids": {given{config: organizations()}, "allowed_organization_ids",
			[]string{"remove the argument"}},
		"an empty id": {given{config: organizations(text("a"), text(""))}, "allowed_organization_ids",
			[]string{"remove the argument"}},
		"a null id": {given{config: organizations(text("a"), types.StringNull())}, "allowed_organization_ids",
			[]string{"remove the argument"}},
		"header with a blank": {given{config: set(header, "X Api Key")}, "collections_auth_header", []string{"X-Api-Key"}},
		"header that is taken": {given{config: set(header, "content-type")}, "collections_auth_header",
			[]string{"Content-Type"}},
		"timeout without unit": {given{config: set(timeout, "30")}, "request_timeout", []string{"30s"}},
		"timeout too short":    {given{config: set(timeout, "99ms")}, "request_timeout", []string{"100ms"}},
		"timeout too long":     {given{config: set(timeout, "10m1s")}, "request_timeout", []string{"10m"}},
		"timeout by variable": {given{variables: env("BILLING_REQUEST_TIMEOUT", "soon")}, "request_timeout",
			[]string{"BILLING_REQUEST_TIMEOUT"}},
		"retry time negative": {given{config: set(retryTime, "-1s")}, "retry_timeout",
			[]string{"between 0s and 1h"}},
		"retry time too long": {given{variables: env("BILLING_RETRY_TIMEOUT", "61m")}, "retry_timeout",
			[]string{"BILLING_RETRY_TIMEOUT"}},
		"retries below": {given{config: retries(-1)}, "max_retries", []string{"0 to 20"}},
		"retries above": {given{config: retries(21)}, "max_retries", []string{"0 to 20"}},
		"retries of words": {given{variables: env("BILLING_MAX_RETRIES", "many")}, "max_retries",
			[]string{"BILLING_MAX_RETRIES"}},
		"half a retry":       {given{variables: env("BILLING_MAX_RETRIES", "1.5")}, "max_retries", []string{"whole number"}},
		"rate of nothing":    {given{config: rate(0)}, "requests_per_second", []string{"greater than 0"}},
		"rate below nothing": {given{config: rate(-1)}, "requests_per_second", []string{"greater than 0"}},
		"rate above":         {given{config: rate(1000.5)}, "requests_per_second", []string{"at most 1000"}},
		"rate without end":   {given{config: rate(math.Inf(1))}, "requests_per_second", []string{"at most 1000"}},
		"rate of no number": {given{variables: env("BILLING_REQUESTS_PER_SECOND", "NaN")}, "requests_per_second",
			[]string{"greater than 0"}},
		"neither true": {given{variables: env("BILLING_BULK_REFRESH", "maybe")}, "bulk_refresh",
			[]string{"BILLING_BULK_REFRESH"}},
		"unknown operation": {
			given{config: operations(map[string]attr.Value{"customer.get": text("GET /v1/customers/{id}")})},
			`operations["customer.get"]`, []string{`"customers.get"`}},
		"placeholder missing": {given{config: operations(map[string]attr.Value{"customers.get": text("GET /v1/customers")})},
			`operations["customers.get"]`, []string{"{id} is missing", "GET /v1/customers/{id}"}},
		"unknown placeholder": {
			given{config: operations(map[string]attr.Value{"customers.get": text("GET /{org}/customers/{id}")})},
			`operations["customers.get"]`, []string{"unknown placeholder"}},
		"no method": {given{config: operations(map[string]attr.Value{"customers.get": text("/v1/customers/{id}")})},
			`operations["customers.get"]`, []string{"a method and a path"}},
		"a null operation": {given{config: operations(map[string]attr.Value{"customers.get": types.StringNull()})},
			`operations["customers.get"]`, []string{"a method and a path"}},
		"defaults are no object": {given{config: func(m *providerModel) {
			m.DefaultCustomMetadata = metadata.Value{DynamicValue: types.DynamicValue(text("x"))}
		}}, "default_custom_metadata", []string{"not an object"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, diags := c.given.resolve(t)
			if len(diags) != 1 {
				t.Fatalf("diagnostics %v, want one", diags)
			}
			d, ok := diags[0].(diag.DiagnosticWithPath)
			if !ok || d.Path().String() != c.at {
				t.Errorf("the diagnostic is not on %s: %v", c.at, diags[0])
			}
			for _, part := range c.parts {
				if !strings.Contains(d.Detail(), part) {
					t.Errorf("the error does not say %q: %s", part, d.Detail())
				}
			}
			if strings.Contains(d.Detail(), "hunter2") {
				t.Errorf("the error repeats a password: %s", d.Detail())
			}
		})
	}
}

// TestResolve_misplacedSecret: a token in any other argument or variable is in no message, and swapped ones are named.
func TestResolve_misplacedSecret(t *testing.T) {
	t.Parallel()
	const token = "rb_sandbox_c9d90102_hunter2"
	for _, variable := range []string{"BASE_URL", "FINANCE_BASE_URL", "COLLECTIONS_BASE_URL", "ENVIRONMENT",
		"CA_CERTIFICATE_FILE", "RETRY_TIMEOUT", "MAX_RETRIES", "REQUEST_TIMEOUT", "REQUESTS_PER_SECOND", "BULK_REFRESH",
		"COLLECTIONS_AUTH_HEADER"} {
		value := token
		if variable == "COLLECTIONS_AUTH_HEADER" { // a token alone is a valid name
			value = "Bearer " + token
		}
		s, diags := given{variables: map[string]string{"BILLING_" + variable: value,
			"BILLING_TOKEN": "https://a.example"}}.resolve(t)
		if !diags.HasError() { // a file is read then
			s.connect("agent", &billingProvider{}, &diags)
		}
		if len(diags) != 1 || strings.Contains(fmt.Sprint(diags), token) ||
			(variable == "BASE_URL") != strings.Contains(fmt.Sprint(diags), "swapped") {
			t.Errorf("%s: %v", variable, diags)
		}
	}
}

// TestResolve_badTokens: a token that no header can carry is rejected and never printed.
func TestResolve_badTokens(t *testing.T) {
	t.Parallel()
	for _, a := range textArguments {
		if a.good != "token-a" && a.good != "a.b.c" && a.good != "key-a" {
			continue
		}
		for _, bad := range []string{"sesame\n", "open sesame", "sesame\r", "sésame", "\x00sesame"} {
			for _, g := range []given{{config: set(a.field, bad)}, {variables: map[string]string{a.variable: bad}}} {
				_, diags := g.resolve(t)
				if len(diags) != 1 || !strings.Contains(diags[0].Detail(), a.variable) {
					t.Fatalf("%s %q: diagnostics %v", a.name, bad, diags)
				}
				if said := diags[0].Summary() + diags[0].Detail(); strings.Contains(said, "sesame") ||
					strings.Contains(said, "sésame") {
					t.Errorf("%s: the error repeats the token: %s", a.name, said)
				}
			}
		}
	}
}

// TestResolve_severalMistakes: all of them are reported together.
func TestResolve_severalMistakes(t *testing.T) {
	t.Parallel()
	_, diags := given{config: func(m *providerModel) {
		m.BaseURL, m.Environment, m.MaxRetries = types.StringValue("http://a"), types.StringValue("x"), types.Int64Value(-1)
		operations(map[string]attr.Value{"a": text("GET /"), "b": text("GET /")})(m)
	}}.resolve(t)
	if len(diags) != 5 {
		t.Errorf("%d diagnostics, want 5: %v", len(diags), diags)
	}
}

// TestResolve_paths: a prefix is not a path of the service, and whoever moves the operations may write the version into
// the address.
func TestResolve_paths(t *testing.T) {
	t.Parallel()
	moved := map[string]attr.Value{}
	for _, name := range api.OperationNames() {
		method, template, _ := api.DefaultOperations().Lookup(name)
		moved[name] = text(method + " " + strings.ReplaceAll(template, "/v1", ""))
	}
	for address, operations := range map[string]func(*providerModel){
		"https://a.example/v1/billing": func(*providerModel) {}, "https://a.example/v10": func(*providerModel) {},
		"https://a.example/v1": operations(moved),
	} {
		_, diags := given{config: func(m *providerModel) { operations(m); m.BaseURL = types.StringValue(address) }}.resolve(t)
		if len(diags) > 0 {
			t.Errorf("%s is rejected: %v", address, diags)
		}
	}
}

func TestResolve_organizations(t *testing.T) {
	t.Parallel()
	s, diags := given{config: organizations(text("b"), text("a"))}.resolve(t)
	if !slices.Equal(s.organizations, []string{"a", "b"}) || len(diags) > 0 {
		t.Errorf("organizations %v, %v", s.organizations, diags)
	}
	for name, config := range map[string]func(*providerModel){
		"set":     func(m *providerModel) { m.AllowedOrganizationIDs = types.SetUnknown(types.StringType) },
		"element": organizations(text("a"), types.StringUnknown()),
	} {
		s, diags := given{config: config}.resolve(t)
		if !slices.Equal(s.unknown, []string{"allowed_organization_ids"}) || s.organizations != nil || len(diags) > 0 {
			t.Errorf("unknown %s: unknown %v, organizations %v, %v", name, s.unknown, s.organizations, diags)
		}
	}
}

func TestResolve_operations(t *testing.T) {
	t.Parallel()
	s, diags := given{
		config: operations(map[string]attr.Value{"customers.update": text("PUT /v2/customers/{id}")})}.resolve(t)
	method, template, _ := s.operations.Lookup("customers.update")
	if method != "PUT" || template != "/v2/customers/{id}" || len(diags) > 0 {
		t.Errorf("customers.update is %s %s, %v", method, template, diags)
	}
	if method, template, _ := s.operations.Lookup("customers.get"); method != "GET" || template != "/v1/customers/{id}" {
		t.Errorf("customers.get is %s %s", method, template)
	}
	for name, config := range map[string]func(*providerModel){
		"map":     func(m *providerModel) { m.Operations = types.MapUnknown(types.StringType) },
		"element": operations(map[string]attr.Value{"customers.update": types.StringUnknown()}),
	} {
		s, diags := given{config: config}.resolve(t)
		if !slices.Equal(s.unknown, []string{"operations"}) || len(diags) > 0 {
			t.Errorf("unknown %s: unknown %v, %v", name, s.unknown, diags)
		}
	}
	for _, name := range api.OperationNames() {
		method, template, _ := api.DefaultOperations().Lookup(name)
		if _, diags := (given{config: operations(map[string]attr.Value{name: text(method + " " + template)})}).
			resolve(t); len(diags) > 0 {
			t.Errorf("the documented form of %s is rejected: %v", name, diags)
		}
	}
}

func TestResolve_defaults(t *testing.T) {
	t.Parallel()
	object := metadata.FromObject(metadata.Object{"team": "x"})
	s, diags := given{config: func(m *providerModel) { m.DefaultCustomMetadata = object }}.resolve(t)
	if metadata.Text(s.defaults) != `{"team":"x"}` || s.defaultsUnknown || len(diags) > 0 {
		t.Errorf("defaults %v, %v", s.defaults, diags)
	}
	s, diags = given{config: func(m *providerModel) { m.DefaultCustomMetadata = metadata.Unknown() }}.resolve(t)
	if !s.defaultsUnknown || len(s.unknown) > 0 || len(diags) > 0 {
		t.Errorf("unknown defaults: %v, other unknown arguments %v, %v", s.defaultsUnknown, s.unknown, diags)
	}
}

// TestUnknownFor: what one service waits for does not keep another one waiting.
func TestUnknownFor(t *testing.T) {
	t.Parallel()
	s, _ := given{config: func(m *providerModel) {
		m.BaseURL, m.FinanceToken, m.CollectionsAuthHeader, m.RequestTimeout = types.StringUnknown(), types.StringUnknown(),
			types.StringUnknown(), types.StringUnknown()
	}}.resolve(t)
	for _, c := range []struct {
		e    endpoint
		want []string
	}{
		{s.billing, []string{"base_url", "request_timeout"}},
		{s.finance, []string{"finance_token", "request_timeout"}},
		{s.collections, []string{"collections_auth_header", "request_timeout"}},
	} {
		have := s.unknownFor(c.e)
		slices.Sort(have)
		if !slices.Equal(have, c.want) {
			t.Errorf("%s waits for %v, want %v", c.e.service, have, c.want)
		}
	}
}

package provider

import (
	"context"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/apidiag"
	"github.com/recurring-billing/terraform-provider-billing/internal/rehearsal/hello"
)

// rehearse returns the settings for the copy of a rehearsal, whatever the configuration and the other variables say of
// addresses and tokens. The others hold: they can reject a run, as they would outside of the rehearsal. It is an error
// if the copy is not that of the configured organization; then no service is used.
func (s settings) rehearse(ctx context.Context, file hello.File, version string, diags *diag.Diagnostics) settings {
	greeting := hello.Greeting{Version: version, Services: map[string]hello.Use{}}
	replaced := []string{"collections_auth_header", "ca_certificate_file", "operations"}
	for _, e := range []*endpoint{&s.billing, &s.finance, &s.collections} {
		greeting.Services[e.service] = e.use(file.Number)
		replaced = append(replaced, e.address.argument, e.secret.argument)
		copied := file.Services[e.service]
		e.address = fromRehearsal(e.address, copied.Address)
		e.secret = fromRehearsal(e.secret, copied.Token)
	}
	if err := file.Send(ctx, greeting); err != nil {
		diags.AddError(hello.Refused, apidiag.Capitalize(err.Error()))
		return s
	}
	s.rehearsal, s.collectionsAuthHeader, s.operations = file.Number, file.AuthHeader, api.DefaultOperations()
	s.caCertificateFile = fromRehearsal(s.caCertificateFile, file.CACertificateFile)
	s.unknown = slices.DeleteFunc(slices.Clone(s.unknown), func(name string) bool {
		return slices.Contains(replaced, name)
	})
	diags.AddWarning(hello.Warning, fmt.Sprintf("This run talks to a copy of the organization at %s, not to the services "+
		"that the configuration names.", s.billing.address.text))
	return s
}

func (e endpoint) use(number string) hello.Use {
	use := hello.Use{Address: e.address.text, Digest: hello.Digest(number, e.secret.text)}
	if e.address.text != "" {
		use.AddressFrom = e.address.from()
	}
	if e.secret.text != "" {
		use.TokenFrom = e.secret.from()
	}
	return use
}

func fromRehearsal(v setValue, text string) setValue {
	return setValue{argument: v.argument, variable: hello.Variable, text: text}
}

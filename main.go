// Terraform-provider-billing manages a billing platform as code.
package main

import (
	"context"
	"flag"
	"log"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	tfaddr "github.com/hashicorp/terraform-registry-address"

	"github.com/recurring-billing/terraform-provider-billing/internal/provider"
)

// version is set by the release build.
var version = "dev"

func main() {
	debug := flag.Bool("debug", false, "serve for a debugger such as delve, and print how Terraform reaches it")
	flag.Parse()

	err := providerserver.Serve(context.Background(), provider.New(version), providerserver.ServeOpts{
		Address: tfaddr.DefaultProviderRegistryHost.String() + "/recurring-billing/billing",
		Debug:   *debug,
	})
	if err != nil {
		log.Fatal(err)
	}
}

// Terraform-provider-billing manages a billing platform as code.
package main

import (
	"flag"
	"log"

	tfaddr "github.com/hashicorp/terraform-registry-address"

	"github.com/recurring-billing/terraform-provider-billing/internal/provider"
)

// version is set by the release build.
var version = "dev"

func main() {
	debug := flag.Bool("debug", false, "serve for a debugger such as delve, and print how Terraform reaches it")
	flag.Parse()

	address := tfaddr.DefaultProviderRegistryHost.String() + "/recurring-billing/billing"
	if err := provider.Serve(address, version, *debug); err != nil {
		log.Fatal(err)
	}
}

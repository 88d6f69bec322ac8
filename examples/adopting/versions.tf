terraform {
  required_version = ">= 1.11"

  required_providers {
    billing = {
      source  = "recurring-billing/billing"
      version = "~> 0.1.0"
    }
  }
}

# Address and token come from the environment: BILLING_BASE_URL and BILLING_TOKEN.
provider "billing" {
  # Refuses to run with a production token. An adoption changes nothing, but try it out elsewhere first all the same.
  environment = "sandbox"

  # No default_custom_metadata yet: it would be written to every object by the very apply that imports them.
}

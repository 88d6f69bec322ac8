terraform {
  required_version = ">= 1.11"

  required_providers {
    billing = {
      source = "recurring-billing/billing"
    }
  }
}

# Addresses and tokens usually come from BILLING_BASE_URL, BILLING_TOKEN and similar variables, so no file contains a secret.
provider "billing" {
  # Reject a token of another environment.
  environment = "sandbox"

  # Added to the custom_metadata of every resource.
  default_custom_metadata = {
    managed_by = "terraform"
  }
}

terraform {
  required_version = ">= 1.11"

  required_providers {
    billing = {
      source = "recurring-billing/billing"
    }
  }
}

# Addresses and tokens usually come from BILLING_BASE_URL, BILLING_TOKEN and their like, so that no secret stands in a file.
provider "billing" {
  # Refuse to run with a token of the wrong environment or of another organization.
  environment = "sandbox"

  # Merged under the custom_metadata of every resource.
  default_custom_metadata = {
    managed_by = "terraform"
  }
}

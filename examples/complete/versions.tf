terraform {
  required_version = ">= 1.11"

  required_providers {
    billing = {
      source  = "recurring-billing/billing"
      version = "~> 0.1.0"
    }
  }
}

# Address and token come from the environment: BILLING_BASE_URL, BILLING_TOKEN and, for the sandbox,
# BILLING_CA_CERTIFICATE_FILE. So the same configuration runs against the sandbox and against production,
# and no file contains a secret.
provider "billing" {
  # Rejects a production token. Remove it, or set "production", to run against production.
  environment = "sandbox"

  # Keys that every customer of this company has. They are merged under the custom_metadata of every
  # resource; a resource's own keys take precedence.
  default_custom_metadata = {
    accounting = {
      cost_center = "BR-100"
    }
  }
}

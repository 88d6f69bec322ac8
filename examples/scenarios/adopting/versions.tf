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
  # Rejects a production token. The import itself changes nothing, but try it in a test environment first.
  environment = "sandbox"

  # No default_custom_metadata yet: the apply that imports the objects would write it to each of them.
}

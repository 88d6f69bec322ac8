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
  # Rejects a production token. The import itself sends no changes, but try it in a test environment first.
  environment = "sandbox"

  # Do not set default_custom_metadata yet: the import's apply would write it to every object.
}

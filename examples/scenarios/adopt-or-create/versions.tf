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
provider "billing" {}

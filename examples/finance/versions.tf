terraform {
  required_version = ">= 1.11"

  required_providers {
    billing = {
      source  = "recurring-billing/billing"
      version = "~> 0.1.0"
    }
  }
}

# Address and token come from the environment: BILLING_FINANCE_BASE_URL and BILLING_FINANCE_TOKEN.
provider "billing" {
  # A guard for all services: /v1/me of recurring billing reports the environment of the token, so this needs
  # BILLING_BASE_URL and BILLING_TOKEN too.
  environment = "sandbox"
}

terraform {
  required_version = ">= 1.11"

  required_providers {
    billing = {
      source  = "recurring-billing/billing"
      version = "~> 0.1.0"
    }
  }
}

# Address and key come from the environment: BILLING_COLLECTIONS_BASE_URL and BILLING_COLLECTIONS_API_KEY. The key needs
# the scope api_keys:* to manage keys, and must not be the consumer's, which is rotated here.
provider "billing" {
  # A guard for all services: /v1/me of recurring billing reports the environment of the token, so this needs
  # BILLING_BASE_URL and BILLING_TOKEN too.
  environment = "sandbox"
}

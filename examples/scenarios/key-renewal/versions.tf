terraform {
  required_version = ">= 1.11"

  required_providers {
    billing = {
      source  = "recurring-billing/billing"
      version = "~> 0.1.0"
    }
  }
}

# Address and key come from BILLING_COLLECTIONS_BASE_URL and BILLING_COLLECTIONS_API_KEY. The key needs the scope
# api_keys:*.
provider "billing" {}

# The organization that sends webhooks to the ERP. Set collections_base_url and collections_api_key if it differs.
provider "billing" {
  alias = "partner"
}

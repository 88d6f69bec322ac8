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
# BILLING_CA_CERTIFICATE_FILE. So the same configuration runs against the sandbox and production, without secrets in
# files.
provider "billing" {
  # Rejects a production token. Remove it, or set "production", to run against production.
  environment = "sandbox"

  # Marks customers, accounts and subscriptions at the service as managed by Terraform.
  default_custom_metadata = {
    managed_by = "terraform/saas-tenants"
  }
}

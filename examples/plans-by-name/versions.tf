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
# BILLING_CA_CERTIFICATE_FILE.
provider "billing" {
  environment = "sandbox"
}

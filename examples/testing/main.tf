# The configuration under test, without anything special for tests.
terraform {
  required_version = ">= 1.11"

  required_providers {
    billing = {
      source  = "recurring-billing/billing"
      version = "~> 0.1.0"
    }
  }
}

variable "branches" {
  description = "Customers, one for each branch."
  type        = set(string)
  default     = ["matriz"]
  nullable    = false
}

resource "billing_customer" "branch" {
  for_each = var.branches

  external_id     = "aurora-${each.key}"
  name            = "Padaria Aurora, ${each.key}"
  notes           = "Delivers before six."
  custom_metadata = { erp = { branch = each.key } }
}

resource "billing_subscription" "matriz" {
  external_id        = "aurora-matriz"
  billing_account_id = billing_customer.branch["matriz"].billing_account_id
  plan_id            = "5b0f7d52-8f0a-4a35-9d7e-6f6f1f0c2a01"
  trial_period_days  = 14
}

resource "billing_api_key" "erp" {
  name               = "aurora-erp"
  scopes             = ["charges:read"]
  expires_after_days = 90
  grace_period_days  = 7
}

output "key_id" {
  description = "Id of the key that callers use."
  value       = billing_api_key.erp.id
}

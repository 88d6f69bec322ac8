terraform {
  required_providers {
    billing = {
      source  = "recurring-billing/billing"
      version = "~> 0.1.0"
    }
  }
}

provider "billing" {} # address and token come from the environment

resource "billing_customer" "aurora" {
  external_id     = "padaria-aurora" # the id in your own system
  name            = "Padaria Aurora"
  document_number = "11.222.333/0001-81"

  custom_metadata = {
    segment = "retail" # keys that other systems add here stay
  }
}

resource "billing_subscription" "aurora" {
  external_id        = "padaria-aurora"
  billing_account_id = billing_customer.aurora.billing_account_id
  plan_id            = "5b0f7d52-8f0a-4a35-9d7e-6f6f1f0c2a01"
  trial_period_days  = 14
}

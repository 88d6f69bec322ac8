terraform {
  required_providers {
    billing = {
      source  = "recurring-billing/billing"
      version = "~> 0.1.0"
    }
  }
}

provider "billing" {} # address and token come from the environment

variable "aurora_plan" {
  description = "ID of the plan of Padaria Aurora."
  type        = string
  default     = "11111111-1111-4111-8111-111111111111"
}

locals {
  plans = {
    aurora = var.aurora_plan
    bela   = "22222222-2222-4222-8222-222222222222"
  }
}

resource "billing_customer" "this" {
  for_each = local.plans

  name        = "Padaria ${title(each.key)}"
  external_id = each.key
}

resource "billing_subscription" "this" {
  for_each = local.plans

  billing_account_id = billing_customer.this[each.key].billing_account_id
  external_id        = each.key
  plan_id            = each.value
}

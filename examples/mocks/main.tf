# The configuration under test, without anything special for mocks.
terraform {
  required_version = ">= 1.11"

  required_providers {
    billing = {
      source  = "recurring-billing/billing"
      version = "~> 0.1.0"
    }
  }
}

variable "company" {
  description = "Name, tax number and invoice address of the customer."
  type        = object({ name = string, document_number = string, email = string })
}

variable "plan" {
  description = "Name of the plan."
  type        = string
}

module "plan" {
  source = "./plans"
  name   = var.plan
}

resource "billing_customer" "this" {
  external_id     = "customer-${provider::billing::normalize_document(var.company.document_number)}"
  name            = var.company.name
  document_number = var.company.document_number
  email           = var.company.email
}

resource "billing_subscription" "this" {
  external_id        = billing_customer.this.external_id
  billing_account_id = billing_customer.this.billing_account_id
  plan_id            = module.plan.id
  plan_change        = { timing = "end_of_period" }
}

resource "billing_webhook_endpoint" "erp" {
  url    = "https://hooks.example.com/billing"
  events = ["charge.paid"]
}

output "subscription" {
  description = "Id and status of the subscription, and the amount of a period."
  value = {
    id     = billing_subscription.this.id
    status = billing_subscription.this.status
    amount = provider::billing::format_cents(billing_subscription.this.recurring_amount_cents)
  }
}

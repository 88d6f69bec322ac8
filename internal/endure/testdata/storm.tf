# Many objects of every service at the same time, to provoke races.
terraform {
  required_providers {
    billing = { source = "recurring-billing/billing" }
  }
}

variable "revision" { type = number }

resource "billing_customer" "this" {
  count       = 12
  external_id = "storm-${count.index}"
  name        = "Storm ${count.index}"
  notes       = "revision ${var.revision}"
}

resource "billing_subscription" "this" {
  count              = 12
  external_id        = "storm-${count.index}"
  billing_account_id = billing_customer.this[count.index].billing_account_id
  plan_id            = "5b0f7d52-8f0a-4a35-9d7e-6f6f1f0c2a01"
  notes              = "revision ${var.revision}"
}

resource "billing_webhook_endpoint" "this" {
  count       = 8
  url         = "https://hooks.example.com/${count.index}"
  description = "revision ${var.revision}"
}

resource "billing_api_key" "this" {
  count               = 8
  name                = "storm-${count.index}"
  rotate_when_changed = { rotation = tostring(var.revision) }
}

resource "billing_finance_record" "this" {
  count      = 12
  collection = "notes"
  body       = { name = "storm-${count.index}", text = "revision ${var.revision}" }
}

data "billing_customers" "all" {
  search     = "Storm"
  depends_on = [billing_customer.this]
}

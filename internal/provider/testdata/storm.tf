# Many objects of every service at the same time, to provoke races.
variable "revision" {}

resource "billing_customer" "this" {
  for_each    = toset([for n in range(12) : tostring(n)])
  external_id = "storm-${each.key}"
  name        = "Storm ${each.key}"
  notes       = "revision ${var.revision}"
}

resource "billing_subscription" "this" {
  for_each           = toset([for n in range(12) : tostring(n)])
  external_id        = "storm-${each.key}"
  billing_account_id = billing_customer.this[each.key].billing_account_id
  plan_id            = "5b0f7d52-8f0a-4a35-9d7e-6f6f1f0c2a01"
  notes              = "revision ${var.revision}"
}

resource "billing_webhook_endpoint" "this" {
  for_each    = toset([for n in range(8) : tostring(n)])
  url         = "https://hooks.example.com/${each.key}"
  description = "revision ${var.revision}"
}

resource "billing_api_key" "this" {
  for_each            = toset([for n in range(8) : tostring(n)])
  name                = "storm-${each.key}"
  rotate_when_changed = { rotation = var.revision }
}

resource "billing_finance_record" "this" {
  for_each   = toset([for n in range(12) : tostring(n)])
  collection = "notes"
  body       = { name = "storm-${each.key}", text = "revision ${var.revision}" }
}

data "billing_customers" "all" {
  search     = "Storm"
  depends_on = [billing_customer.this]
}

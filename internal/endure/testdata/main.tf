# The 14 resources that the schedules create, change, rotate, renew and destroy.
terraform {
  required_providers {
    billing = { source = "recurring-billing/billing" }
  }
}

variable "revision" { type = number }

variable "rotation" { type = string }

variable "renewal" { type = number }

variable "canary" {
  type      = string
  ephemeral = true
  sensitive = true
}

resource "billing_customer" "matriz" {
  external_id = "chaos-matriz"
  name        = "Padaria Aurora"
  notes       = "revision ${var.revision}"
  tags        = ["chaos"]
}

resource "billing_customer" "filial" {
  external_id            = "chaos-filial"
  name                   = "Padaria Aurora Campinas"
  notes                  = "revision ${var.revision}"
  create_billing_account = false
}

resource "billing_customer" "sem_codigo" {
  name                   = "Helena Martins"
  document_number        = "529.982.247-25"
  notes                  = "revision ${var.revision}"
  create_billing_account = false
}

resource "billing_account" "active" {
  external_id        = "chaos-active"
  customer_id        = billing_customer.matriz.id
  payment_terms_days = 10 + var.revision
}

resource "billing_account" "suspended" {
  external_id        = "chaos-suspended"
  customer_id        = billing_customer.filial.id
  payment_terms_days = 10 + var.revision
  status             = "suspended"
}

resource "billing_subscription" "running" {
  external_id        = "chaos-running"
  billing_account_id = billing_account.active.id
  plan_id            = "5b0f7d52-8f0a-4a35-9d7e-6f6f1f0c2a01"
  notes              = "revision ${var.revision}"
  items = [{
    product_id           = "0a6f5c6e-90c5-4ac3-8f0e-2f3c8b9d7e11"
    price_id             = "3e2d1c0b-7a69-4858-9f46-1d2e3f4a5b61"
    quantity             = 10 + var.revision
    unit_amount_subcents = 499000
  }]
}

resource "billing_subscription" "paused" {
  external_id        = "chaos-paused"
  billing_account_id = billing_customer.matriz.billing_account_id
  plan_id            = "5b0f7d52-8f0a-4a35-9d7e-6f6f1f0c2a01"
  notes              = "revision ${var.revision}"
  pause              = { behavior = "void" }
  items = [{
    product_id           = "0a6f5c6e-90c5-4ac3-8f0e-2f3c8b9d7e12"
    price_id             = "3e2d1c0b-7a69-4858-9f46-1d2e3f4a5b62"
    quantity             = var.revision
    unit_amount_subcents = 1000
  }]
}

resource "billing_webhook_endpoint" "erp" {
  url                        = "https://hooks.example.com/erp"
  description                = "revision ${var.revision}"
  events                     = ["charge.paid"]
  rotate_secret_when_changed = { rotation = var.rotation }
  authentication = {
    type                   = "bearer"
    token_wo               = var.canary
    credentials_wo_version = var.revision
  }
}

resource "billing_webhook_endpoint" "shared" {
  url                        = "https://hooks.example.com/shared"
  description                = "revision ${var.revision}"
  rotate_secret_when_changed = { rotation = var.rotation }
}

resource "billing_api_key" "ci" {
  name                = "ci"
  scopes              = slice(["charges:read", "payables:read"], 0, var.renewal)
  rotate_when_changed = { rotation = var.rotation }
  grace_period_days   = 7
}

resource "billing_api_key" "deploy" {
  name                = "deploy"
  description         = "renewal ${var.renewal}"
  rotate_when_changed = { rotation = var.rotation }
  grace_period_days   = 3
}

resource "billing_api_key" "nightly" {
  name                = "nightly"
  expires_after_days  = 30 * var.renewal
  rotate_when_changed = { rotation = var.rotation }
  grace_period_days   = 3
}

resource "billing_finance_record" "rent" {
  collection = "payables"
  body = {
    name        = "Rent"
    company_id  = "7b0d3c1e-52f4-4a63-8c1d-1f2e3d4c5b6a"
    occurred_at = "2026-01-05"
    amount      = "${1499 + var.revision}.00"
  }
}

resource "billing_finance_record" "fair" {
  collection = "receivables"
  body = {
    name        = "Fair"
    company_id  = "7b0d3c1e-52f4-4a63-8c1d-1f2e3d4c5b6a"
    occurred_at = "2026-01-06"
    amount      = "${99 + var.revision}.00"
  }
}

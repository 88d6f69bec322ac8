locals {
  # One external_id for customer, account and subscription, because it is unique per type. Imports use it.
  external_id = "tenant-${var.key}"

  # The document number determines whether the tenant is a person or a company.
  is_company = provider::billing::document_type(var.document_number) == "cnpj"

  labels = merge(var.labels, { tenant = var.key })

  # The deletion_policy of the three objects for each way of removing a tenant. While a subscription runs out, the account
  # must stay open: it receives the last invoices and has the balance.
  on_removal = {
    run_out = { customer = "abandon", account = "abandon", subscription = "cancel_at_period_end" }
    end_now = { customer = "delete", account = "close", subscription = "cancel" }
    prevent = { customer = "prevent", account = "prevent", subscription = "prevent" }
  }[var.on_removal]
}

resource "billing_customer" "this" {
  external_id     = local.external_id
  name            = var.name
  kind            = local.is_company ? "juridical" : "natural"
  document_number = var.document_number
  email           = var.email

  # The account below is the only one of the tenant, with its own payment terms.
  create_billing_account = false

  custom_metadata = local.labels
  deletion_policy = local.on_removal.customer
}

resource "billing_account" "this" {
  external_id = local.external_id
  customer_id = billing_customer.this.id

  billing_email      = coalesce(var.billing_email, var.email)
  payment_terms_days = var.payment_terms_days

  custom_metadata = local.labels
  deletion_policy = local.on_removal.account
}

resource "billing_subscription" "this" {
  external_id        = local.external_id
  billing_account_id = billing_account.this.id

  plan_id = var.plan_id

  # The old plan runs until its period ends, so no day is charged twice.
  plan_change = {
    timing = "end_of_period"
    reason = "changed in the list of tenants"
  }

  # Without seats, an empty set: null would keep items that another system adds.
  items = var.seats == 0 ? [] : [{
    product_id           = var.seat.product_id
    price_id             = var.seat.price_id
    quantity             = var.seats
    unit_amount_subcents = var.seat_price == null ? null : provider::billing::subcents(var.seat_price)
  }]

  trial_period_days    = var.trial_days # used on creation only
  cancel_at_period_end = var.cancel_at_period_end

  custom_metadata     = local.labels
  deletion_policy     = local.on_removal.subscription
  cancellation_reason = "removed from the list of tenants"

  # A tenant that cancels elsewhere has left. Plans warn, but do not create a new subscription, which would charge the tenant.
  on_external_cancel = "keep"

  lifecycle {
    precondition {
      condition     = var.seats == 0 || var.seat != null
      error_message = "Tenant ${var.key} has seats, so the module needs the product and the price of a seat."
    }
  }
}

# Warnings, not errors, in every plan and apply while an assertion fails.
check "paid" {
  assert {
    condition     = billing_subscription.this.status != "past_due"
    error_message = "Tenant ${var.key} (${var.name}) has not paid the last invoice."
  }
}

check "account_is_open" {
  assert {
    condition     = billing_account.this.status == "active"
    error_message = "The billing account of tenant ${var.key} is ${billing_account.this.status}."
  }
}

resource "billing_customer" "horizonte" {
  external_id = "erp-1001"
  name        = "Comércio de Livros Horizonte Ltda"
  email       = "financeiro@horizonte.example"
}

resource "billing_subscription" "horizonte" {
  external_id        = "tenant-horizonte"
  billing_account_id = billing_customer.horizonte.billing_account_id

  # A change of plan takes effect after the paid period. plan_id is the requested plan, current_plan_id the active one.
  plan_id = "5b0f7d52-8f0a-4a35-9d7e-6f6f1f0c2a01"
  plan_change = {
    timing = "end_of_period"
    reason = "agreed with the customer"
  }

  # Seats on top of the plan, ten at 49.9000 each.
  items = [{
    product_id           = "0a6f5c6e-90c5-4ac3-8f0e-2f3c8b9d7e11"
    price_id             = "3e2d1c0b-7a69-4858-9f46-1d2e3f4a5b61"
    quantity             = 10
    unit_amount_subcents = 499000
  }]

  billing_cycle     = "monthly"
  collection_method = "charge_automatically"
  trial_period_days = 14
  discount_percent  = "12.5"

  custom_metadata = {
    tenant = "horizonte"
  }

  # Destroying cancels immediately; "cancel_at_period_end" cancels at the end of the paid period. A subscription that was
  # canceled elsewhere is never recreated automatically.
  deletion_policy    = "cancel"
  on_external_cancel = "keep"
}

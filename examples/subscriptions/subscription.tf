# The ids of the plans and prices of your catalogue; examples/plans-by-name finds them by name.
locals {
  plans = {
    basic    = "5b0f7d52-8f0a-4a35-9d7e-6f6f1f0c2a01"
    team     = "5b0f7d52-8f0a-4a35-9d7e-6f6f1f0c2a02"
    business = "5b0f7d52-8f0a-4a35-9d7e-6f6f1f0c2a03"
  }
  seat = {
    product_id = "0a6f5c6e-90c5-4ac3-8f0e-2f3c8b9d7e11"
    price_id   = "3e2d1c0b-7a69-4858-9f46-1d2e3f4a5b61"
  }
}

resource "billing_subscription" "tenant" {
  # Prevents a duplicate after an interrupted creation.
  external_id        = "contract-2026-017"
  billing_account_id = billing_account.horizonte.id

  # The requested plan. The active plan is current_plan_id; a plan that starts after the period is pending_plan_id.
  plan_id = local.plans.basic

  # How a change of plan_id is carried out. "immediate" would not wait for the end of the paid period.
  plan_change = {
    timing = "end_of_period"
    reason = "agreed with the customer"
  }

  # In addition to the plan: ten seats, at 49.9000 each instead of the price's own amount.
  items = [{
    product_id           = local.seat.product_id
    price_id             = local.seat.price_id
    quantity             = 10
    unit_amount_subcents = 499000
  }]

  trial_period_days = 14 # used once, when the subscription is created
  billing_cycle     = "monthly"
  collection_method = "charge_automatically"
  notes             = "Contrato 2026-017."

  # Destroying cancels immediately. "cancel_at_period_end" cancels at the end of the paid period.
  deletion_policy     = "cancel"
  cancellation_reason = "tenant removed"

  # A subscription that is canceled elsewhere stays canceled: every plan warns, and none creates a second one, which
  # would charge the customer. "recreate" plans a new one, "error" stops the plan.
  on_external_cancel = "keep"
}

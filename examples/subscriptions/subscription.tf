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
  # With it an interrupted creation is found again instead of made twice.
  external_id        = "contract-2026-017"
  billing_account_id = billing_account.horizonte.id

  # The plan that is wanted. What runs is current_plan_id, what comes at the end of the period is pending_plan_id.
  plan_id = local.plans.basic

  # How a change of plan_id is carried out. "immediate" would not wait for the end of the paid period.
  plan_change = {
    timing = "end_of_period"
    reason = "agreed with the customer"
  }

  # Beside the plan: ten seats, at 49.9000 each instead of the price's own amount.
  items = [{
    product_id           = local.seat.product_id
    price_id             = local.seat.price_id
    quantity             = 10
    unit_amount_subcents = 499000
  }]

  trial_period_days = 14 # used once, when the subscription is made
  billing_cycle     = "monthly"
  collection_method = "charge_automatically"
  notes             = "Contrato 2026-017."

  # Destroying cancels at once. "cancel_at_period_end" would let the paid period run out.
  deletion_policy     = "cancel"
  cancellation_reason = "tenant removed"

  # A subscription that somebody cancels elsewhere stays canceled: every plan warns, and none makes a second one,
  # which would charge somebody. "recreate" would plan a new one, "error" would stop the plan.
  on_external_cancel = "keep"
}

# Plans have different ids in each environment, but the same names.
module "plans" {
  source = "./modules/plans"
  names  = toset(values(var.tenants)[*].plan)
}

# One module per tenant. Tenants do not refer to each other, and their keys are their addresses, not positions in a list.
# So a plan shows only the tenants that are added or removed.
module "tenant" {
  source   = "./modules/tenant"
  for_each = var.tenants

  key             = each.key
  name            = each.value.name
  document_number = each.value.document_number
  email           = each.value.email
  billing_email   = each.value.billing_email

  plan_id    = module.plans.ids[each.value.plan]
  seat       = var.seat
  seats      = each.value.seats
  seat_price = each.value.seat_price
  trial_days = each.value.trial_days

  payment_terms_days   = each.value.payment_terms_days
  labels               = each.value.labels
  cancel_at_period_end = each.value.cancel_at_period_end
  on_removal           = each.value.on_removal
}

# The ids of plans differ between environments, their names do not.
module "plans" {
  source = "./modules/plans"
  names  = toset(values(var.tenants)[*].plan)
}

# One module per tenant. No tenant refers to another one, and the address of each is its key, not its position in a list.
# A plan therefore shows only the tenants that are added or removed.
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

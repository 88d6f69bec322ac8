# One module per tenant. Nothing of one tenant refers to another one, and the address of each is its key, not its place
# in a list: so a tenant that comes or goes is all that a plan shows.
module "tenant" {
  source   = "./modules/tenant"
  for_each = var.tenants

  key             = each.key
  name            = each.value.name
  document_number = each.value.document_number
  email           = each.value.email
  billing_email   = each.value.billing_email

  # A name that is not in the catalogue stays itself, and the module refuses it as no id of a plan.
  plan_id    = lookup(var.plans, each.value.plan, each.value.plan)
  seat       = var.seat
  seats      = each.value.seats
  seat_price = each.value.seat_price
  trial_days = each.value.trial_days

  payment_terms_days   = each.value.payment_terms_days
  labels               = each.value.labels
  cancel_at_period_end = each.value.cancel_at_period_end
  on_removal           = each.value.on_removal
}

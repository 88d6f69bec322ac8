# The ids of the plans differ between environments, their names do not.
module "plans" {
  source = "./modules/plans"
  names  = [var.plan]
}

resource "billing_customer" "aurora" {
  external_id = "aurora"
  name        = "Padaria Aurora"
}

resource "billing_subscription" "aurora" {
  external_id        = "aurora"
  billing_account_id = billing_customer.aurora.billing_account_id
  plan_id            = module.plans.ids[var.plan]
}

output "recurring_amount_cents" {
  description = "What a period costs, in hundredths of the currency unit."
  value       = billing_subscription.aurora.recurring_amount_cents
}

# The ids of the organization's plans, by name.
data "billing_records" "plans" {
  collection = "plans"
  sort_by    = "name"
}

output "plan_ids" {
  value = { for plan in data.billing_records.plans.items : plan.name => plan.id... }
}

# json contains all other fields.
output "plan_amounts" {
  value = { for plan in data.billing_records.plans.items : plan.id => try(jsondecode(plan.json).amount_cents, null) }
}

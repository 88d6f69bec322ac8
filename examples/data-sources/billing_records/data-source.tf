# The plans of the organization, by name, so that no configuration carries their ids.
data "billing_records" "plans" {
  collection = "plans"
  sort_by    = "name"
}

output "plan_ids" {
  value = { for plan in data.billing_records.plans.items : plan.name => plan.id... }
}

# Every other field is in json.
output "plan_amounts" {
  value = { for plan in data.billing_records.plans.items : plan.id => try(jsondecode(plan.json).amount_cents, null) }
}

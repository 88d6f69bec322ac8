# The plans of the organization, by name, so that no configuration carries their ids.
data "billing_records" "plans" {
  collection = "plans"
  sort_by    = "name"
}

locals {
  plans = [for text in data.billing_records.plans.items : jsondecode(text)]
}

output "plan_ids" {
  value = { for plan in local.plans : plan.name => plan.id... }
}

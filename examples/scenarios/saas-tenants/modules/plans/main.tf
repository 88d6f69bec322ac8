# One list for all names. It reads all plans of the organization, 100 per request.
data "billing_records" "plans" {
  collection = "plans"
}

locals {
  plans = data.billing_records.plans.items

  # The ids of the plans with each name. The outputs reject a name without exactly one id.
  ids = { for name in var.names : name => [for plan in local.plans : plan.id if plan.name == name] }

  missing   = [for name, ids in local.ids : name if length(ids) == 0]
  ambiguous = [for name, ids in local.ids : name if length(ids) > 1]
}

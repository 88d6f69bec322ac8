# One listing for all names. It reads every plan of the organization, 100 a request.
data "billing_records" "plans" {
  collection = "plans"
}

locals {
  plans = data.billing_records.plans.items

  # The ids of the plans with each name: exactly one, or it is an error below.
  ids = { for name in var.names : name => [for plan in local.plans : plan.id if plan.name == name] }

  missing   = [for name, ids in local.ids : name if length(ids) == 0]
  ambiguous = [for name, ids in local.ids : name if length(ids) > 1]
}

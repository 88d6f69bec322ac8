# Objects that are only read here, and never changed.
data "billing_customer" "left_alone" {
  for_each    = var.left_alone
  external_id = each.key
}

data "billing_customers" "all" {
  sort_by = "name"
}

locals {
  decided   = setunion(keys(var.customers), var.left_alone)
  undecided = [for customer in data.billing_customers.all.customers : customer if !contains(local.decided, coalesce(customer.external_id, customer.id))]
}

# Warns in every plan while there are customers that are neither managed nor listed in left_alone.
check "everybody_is_decided_about" {
  assert {
    condition = length(local.undecided) == 0
    error_message = format("Neither managed nor in left_alone: %s.", join(", ", [
      for customer in local.undecided : "${customer.name} (${customer.external_id == null ? "id ${customer.id}" : customer.external_id})"
    ]))
  }
}

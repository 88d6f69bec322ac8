# Finds a plan by its name. The lookup is in a separate module, because mocks can set the outputs of a module, but not the
# list of a data source.
terraform {
  required_providers {
    billing = {
      source = "recurring-billing/billing"
    }
  }
}

variable "name" {
  description = "Name of the plan at the service."
  type        = string
}

data "billing_records" "plans" {
  collection = "plans"
}

output "id" {
  description = "Id of the plan."
  value       = one([for plan in data.billing_records.plans.items : plan.id if plan.name == var.name])
}

# The organization and the environment of the token.
data "billing_organization" "this" {}

# Customers that match a search, from all pages. created_at is known only after a customer exists, so this
# is read after both have been created.
data "billing_customers" "aurora" {
  search         = "Padaria Aurora"
  updated_at_gte = sort([billing_customer.headquarters.created_at, billing_customer.branch.created_at])[0]
  sort_by        = "name"
}

# One customer that another configuration manages, by its external_id:
#
#   terraform plan -var existing_customer=their-external-id
variable "existing_customer" {
  description = "The external_id of a customer to look up. If null, none is looked up."
  type        = string
  default     = null
}

data "billing_customer" "existing" {
  count       = var.existing_customer == null ? 0 : 1
  external_id = var.existing_customer
}

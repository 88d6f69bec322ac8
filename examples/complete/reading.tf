# Whose token this is.
data "billing_organization" "this" {}

# Customers that match a search, all pages of them. created_at is known only once a customer exists, so this
# is read after both have been created, and not before.
data "billing_customers" "aurora" {
  search         = "Padaria Aurora"
  updated_at_gte = sort([billing_customer.headquarters.created_at, billing_customer.branch.created_at])[0]
  sort_by        = "name"
}

# One customer that something else manages, by its external_id:
#
#   terraform plan -var existing_customer=their-external-id
variable "existing_customer" {
  description = "The external_id of a customer that is only looked up. Without it nothing is."
  type        = string
  default     = null
}

data "billing_customer" "existing" {
  count       = var.existing_customer == null ? 0 : 1
  external_id = var.existing_customer
}

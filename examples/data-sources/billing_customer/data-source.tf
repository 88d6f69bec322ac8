# An existing customer, and its only open billing account, for a subscription on it.
data "billing_customer" "horizonte" {
  external_id = "erp-1001"
}

data "billing_account" "horizonte" {
  customer_id = data.billing_customer.horizonte.id
}

output "main_email" {
  value = data.billing_customer.horizonte.email
}

output "billing_account" {
  value = data.billing_account.horizonte.id
}

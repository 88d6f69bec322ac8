# The billing account that was created with a customer, for a subscription on it.
data "billing_customer" "horizonte" {
  external_id          = "erp-1001"
  find_billing_account = true
}

output "main_email" {
  value = data.billing_customer.horizonte.email
}

output "billing_account" {
  value = data.billing_customer.horizonte.billing_account_id
}

data "billing_customer" "horizonte" {
  external_id = "erp-1001"
}

output "main_email" {
  value = data.billing_customer.horizonte.email
}

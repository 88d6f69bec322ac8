data "billing_api_key" "erp" {
  name = "erp"
}

output "last_used" {
  value = data.billing_api_key.erp.last_used_at
}

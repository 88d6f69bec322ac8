data "billing_account" "horizonte" {
  external_id = "erp-1001-main"
}

output "balance" {
  value = data.billing_account.horizonte.balance_cents / 100
}

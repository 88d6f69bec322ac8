data "billing_finance_accounts" "all" {}

output "accounts" {
  value = { for account in data.billing_finance_accounts.all.items : account.id => account.name }
}

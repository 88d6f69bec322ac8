# All suspended accounts.
data "billing_accounts" "suspended" {
  status = "suspended"
}

output "suspended" {
  value = { for account in data.billing_accounts.suspended.accounts : account.id => account.suspension_reason }
}

output "managed" {
  description = "The ids of all managed objects, by external_id."
  value = {
    customers     = { for code, customer in billing_customer.this : code => customer.id }
    accounts      = { for code, account in billing_account.this : code => account.id }
    subscriptions = { for code, subscription in billing_subscription.this : code => subscription.id }
  }
}

output "left_alone" {
  description = "The ids of the customers that are only looked up."
  value       = { for code, customer in data.billing_customer.left_alone : code => customer.id }
}

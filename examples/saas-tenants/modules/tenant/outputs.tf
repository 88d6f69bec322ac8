# Ids, and nothing that time changes: an output of a status or a date would be a change in the plan of every month.

output "customer_id" {
  description = "The customer at the service."
  value       = billing_customer.this.id
}

output "billing_account_id" {
  description = "The account that invoices are made for."
  value       = billing_account.this.id
}

output "subscription_id" {
  description = "The subscription, as support will ask for it."
  value       = billing_subscription.this.id
}

output "external_id" {
  description = "The code of all three, for a search and for an import: external_id=<this>."
  value       = local.external_id
}

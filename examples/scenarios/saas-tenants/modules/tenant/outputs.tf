# Only ids. An output of a status or a date would change every month and appear in plans.

output "customer_id" {
  description = "The customer at the service."
  value       = billing_customer.this.id
}

output "billing_account_id" {
  description = "The account that is invoiced."
  value       = billing_account.this.id
}

output "subscription_id" {
  description = "The public id of the subscription, for support requests."
  value       = billing_subscription.this.id
}

output "external_id" {
  description = "The external_id of all three objects, for searches and imports: external_id=<this>."
  value       = local.external_id
}

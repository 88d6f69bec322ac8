data "billing_subscriptions" "past_due" {
  status = "past_due"
}

output "past_due" {
  value = data.billing_subscriptions.past_due.subscriptions[*].external_id
}

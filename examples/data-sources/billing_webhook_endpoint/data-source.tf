data "billing_webhook_endpoint" "erp" {
  url = "https://hooks.example.com/billing"
}

output "events" {
  value = data.billing_webhook_endpoint.erp.events
}

data "billing_webhook_endpoint" "erp" {
  url = "https://hooks.example.com/billing"
}

data "billing_webhook_deliveries" "lost" {
  endpoint_id = data.billing_webhook_endpoint.erp.id
  status      = "exhausted"
}

# Warns in every plan while there are exhausted deliveries.
check "nothing_lost" {
  assert {
    condition     = length(data.billing_webhook_deliveries.lost.deliveries) == 0
    error_message = "Some deliveries to the ERP failed in all 8 attempts."
  }
}

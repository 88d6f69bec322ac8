action "billing_webhook_test" "erp" {
  config {
    endpoint_id = billing_webhook_endpoint.erp.id
    wait        = true
  }
}

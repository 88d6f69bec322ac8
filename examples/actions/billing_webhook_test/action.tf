resource "billing_webhook_endpoint" "erp" {
  url = "https://hooks.example.com/billing"

  lifecycle {
    action_trigger {
      events  = [after_create, after_update]
      actions = [action.billing_webhook_test.erp]
    }
  }
}

action "billing_webhook_test" "erp" {
  config {
    endpoint_id = billing_webhook_endpoint.erp.id
    wait        = true
  }
}

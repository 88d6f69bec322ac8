# terraform apply -invoke=action.billing_webhook_redelivery.erp
action "billing_webhook_redelivery" "erp" {
  config {
    endpoint_id = "6f0d3f7e-1c7b-4f0e-8a53-0b6f4ad0c9f2"
  }
}

# terraform apply -invoke=action.billing_subscription_invoice.setup
action "billing_subscription_invoice" "setup" {
  config {
    subscription_id = "9b1deb4d-3b7d-4bad-9bdd-2b0d7b3dcb6d"
    reason          = "setup fee"
  }
}

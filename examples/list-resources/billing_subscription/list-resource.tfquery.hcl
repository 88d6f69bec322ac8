# terraform query -generate-config-out=subscriptions.tf
list "billing_subscription" "all" {
  provider         = billing
  include_resource = true

  config {
    status = "active"
  }
}

# terraform query -generate-config-out=webhook_endpoints.tf
list "billing_webhook_endpoint" "all" {
  provider         = billing
  include_resource = true
}

data "billing_webhook_endpoints" "all" {}

output "inactive" {
  value = [for endpoint in data.billing_webhook_endpoints.all.endpoints : endpoint.url if !endpoint.active]
}

data "billing_finance_openapi" "current" {}

output "paths" {
  value = keys(yamldecode(data.billing_finance_openapi.current.raw).paths)
}

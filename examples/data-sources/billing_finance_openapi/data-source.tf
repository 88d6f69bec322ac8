data "billing_finance_openapi" "current" {}

output "paths" {
  value = keys(jsondecode(data.billing_finance_openapi.current.json).paths)
}

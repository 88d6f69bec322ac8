data "billing_subscription" "horizonte" {
  external_id = "tenant-horizonte"
}

data "billing_invoices" "horizonte" {
  subscription_id = data.billing_subscription.horizonte.id
}

output "invoices" {
  value = [for invoice in data.billing_invoices.horizonte.invoices : jsondecode(invoice.json)]
}

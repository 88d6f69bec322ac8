data "billing_subscription" "horizonte" {
  external_id = "tenant-horizonte"
}

# The newest invoice, in one request.
data "billing_invoices" "newest" {
  subscription_id = data.billing_subscription.horizonte.id
  sort_order      = "desc"
  limit           = 1
}

output "newest_invoice" {
  value = one([for invoice in data.billing_invoices.newest.invoices : jsondecode(invoice.json)])
}

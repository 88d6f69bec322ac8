# What has been invoiced. Time changes this list and the subscription's status, and no plan shows that as a change.
# An output of them would: it would differ in every month.
data "billing_invoices" "tenant" {
  subscription_id = billing_subscription.tenant.id
}

# A warning in every plan while the tenant owes money.
check "paid" {
  assert {
    condition     = billing_subscription.tenant.status != "past_due"
    error_message = "The tenant's last invoice was not paid; there are ${length(data.billing_invoices.tenant.invoices)}."
  }
}

output "subscription_id" {
  description = "The id that support will ask for."
  value       = billing_subscription.tenant.id
}

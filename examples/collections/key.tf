resource "billing_api_key" "erp" {
  name        = "erp-webhooks"
  description = "Looks after the ERP's webhooks"
  scopes      = ["webhook_endpoints:*", "webhook_deliveries:*"]

  # A new key is created in place, at the first apply in the last three of its 90 days, and immediately when the trigger or
  # another argument changes. The old key works meanwhile, so that its users have time to switch to the new one.
  expires_after_days = 90
  grace_period_days  = 3
  rotate_when_changed = {
    incident = "none"
  }
}

output "erp_key" {
  value     = billing_api_key.erp.token
  sensitive = true
}

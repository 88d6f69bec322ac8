resource "billing_api_key" "erp" {
  name        = "erp-webhooks"
  description = "Looks after the ERP's webhooks"
  scopes      = ["webhook_endpoints:*", "webhook_deliveries:*"]

  # Rotated in place at the first apply after 90 days, and immediately when the trigger changes. The old key works for
  # three more days, so that its users have time to switch to the new one.
  rotate_after_days = 90
  grace_period_days = 3
  rotate_when_changed = {
    incident = "none"
  }

  # Changing the name or the scopes forces replacement: the new key is created before the old one is revoked.
  lifecycle {
    create_before_destroy = true
  }
}

output "erp_key" {
  value     = billing_api_key.erp.token
  sensitive = true
}

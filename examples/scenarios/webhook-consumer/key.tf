# The consumer's key for calls to the service. Every plan checks its age, so let a pipeline plan and apply at intervals
# shorter than the grace period.
resource "billing_api_key" "consumer" {
  name        = var.consumer
  description = "Webhook consumer ${var.consumer}"
  scopes      = var.scopes

  rotate_after_days   = var.rotate_after_days
  rotate_when_changed = { rotation = var.rotation }

  # The consumer must switch to the new key within this time, while both keys work. This also applies to changes of name
  # and scopes.
  grace_period_days    = var.grace_period_days
  revoke_previous_keys = var.end_grace
}

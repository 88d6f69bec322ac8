# The key that the consumer calls the service with. Every plan checks its age. Terraform does nothing between two runs, so
# let a pipeline plan and apply on a schedule that is shorter than the grace period.
resource "billing_api_key" "consumer" {
  name        = var.consumer
  description = "Webhook consumer ${var.consumer}"
  scopes      = var.scopes

  rotate_after_days   = var.rotate_after_days
  rotate_when_changed = { rotation = var.rotation }

  # The consumer must switch to the new key within this time; both keys work until then. This holds for a change of the
  # name and the scopes too.
  grace_period_days    = var.grace_period_days
  revoke_previous_keys = var.end_grace
}

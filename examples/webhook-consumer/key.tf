# What the consumer calls the service with. Its age is looked at in every plan: Terraform does nothing in between, so let
# a pipeline plan and apply on a schedule, more often than the grace is long.
resource "billing_api_key" "consumer" {
  name        = var.consumer
  description = "Webhook consumer ${var.consumer}"
  scopes      = var.scopes

  rotate_after_days   = var.rotate_after_days
  rotate_when_changed = { rotation = var.rotation }

  # The consumer has until then to take the new key; both work meanwhile.
  grace_period_days    = var.grace_period_days
  revoke_previous_keys = var.end_grace

  # Other scopes need a new key: it is created before the old one is revoked.
  lifecycle {
    create_before_destroy = true
  }
}

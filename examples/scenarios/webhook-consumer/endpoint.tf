# The endpoint that receives events, signed with a secret that the consumer also has.
resource "billing_webhook_endpoint" "consumer" {
  url         = var.receiver_url
  description = "Webhook consumer ${var.consumer}"
  events      = var.events

  # Rotating the key changes its id, which rotates the secret in the same apply. So both have the same age and trigger,
  # and the plans in between are empty. A value from plantimestamp() would change in every plan.
  rotate_secret_when_changed = { key = billing_api_key.consumer.id }
}

# Where the service sends events to, signed with a secret that the consumer has too.
resource "billing_webhook_endpoint" "consumer" {
  url         = var.receiver_url
  description = "Webhook consumer ${var.consumer}"
  events      = var.events

  # A rotation gives the key another id, and that is what rotates the secret: so it has the key's age and the key's
  # trigger, and both change in the same apply. The id is the same in all plans between, which are empty. A time bucket
  # made of plantimestamp() would be different in every plan, and of no use in a plan that is saved.
  rotate_secret_when_changed = { key = billing_api_key.consumer.id }
}

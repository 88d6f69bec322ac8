# Both values stand in the state, because the service shows them once: protect the state as you would protect them.

output "consumer" {
  description = "What the consumer needs: the key to call the service with, and the secret to verify webhooks with."
  sensitive   = true
  value = {
    api_key        = billing_api_key.consumer.token
    webhook_secret = billing_webhook_endpoint.consumer.secret
  }
}

locals {
  # A number, as write-only arguments want one, made of the moment since when the values are what they are.
  version = tonumber(formatdate("YYYYMMDDhhmmss", coalesce(billing_api_key.consumer.rotated_at, billing_api_key.consumer.created_at)))
}

output "version" {
  description = "Rises with every rotation: the version to give to a write-only argument that hands the values on."
  value       = local.version
}

output "rotation_due_at" {
  description = "The first apply after this rotates both."
  value       = billing_api_key.consumer.rotation_due_at
}

output "genuine" {
  description = "For each delivery in var.received, whether it is signed with the endpoint's secret and not older than five minutes."
  value       = local.genuine
}

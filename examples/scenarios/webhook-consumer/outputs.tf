# Both values are in the state, because the service shows them only once: protect the state like the values.

output "consumer" {
  description = "The key to call the service with, and the secret to verify webhooks with."
  sensitive   = true
  value = {
    api_key        = billing_api_key.consumer.token
    webhook_secret = billing_webhook_endpoint.consumer.secret
  }
}

locals {
  # A number for write-only arguments, derived from the time of the last rotation.
  version = tonumber(formatdate("YYYYMMDDhhmmss", coalesce(billing_api_key.consumer.rotated_at, billing_api_key.consumer.created_at)))
}

output "version" {
  description = "Version for a write-only argument that passes the values on. It increases with every rotation."
  value       = local.version
}

output "rotation_due_at" {
  description = "Due date: the first apply after it rotates both."
  value       = billing_api_key.consumer.rotation_due_at
}

output "genuine" {
  description = "For each delivery in var.received, whether it is signed with the endpoint's secret and not older than five minutes."
  value       = local.genuine
}

# Both values are in the state, because the service shows them only once: protect the state as well.

output "consumer" {
  description = "The key for calls to the service, and the secret to verify webhooks."
  sensitive   = true
  value = {
    api_key        = billing_api_key.consumer.token
    webhook_secret = billing_webhook_endpoint.consumer.secret
  }
}

locals {
  # A number for write-only arguments, different for each key: every rotation changes the key's id.
  version = parseint(substr(sha256(billing_api_key.consumer.id), 0, 8), 16)
}

output "version" {
  description = "Version for a write-only argument that passes the values on. It changes with every rotation."
  value       = local.version
}

output "rotation_due_at" {
  description = "The first apply after this time rotates both."
  value       = billing_api_key.consumer.rotation_due_at
}

output "verified" {
  description = "For each delivery in var.received, whether it is signed with the endpoint's secret and not older than five minutes."
  value       = local.verified
}

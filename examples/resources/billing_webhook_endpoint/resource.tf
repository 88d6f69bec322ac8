# The token that the consumer expects. It is never in a state or plan.
variable "consumer_token" {
  type      = string
  ephemeral = true
  sensitive = true
  default   = "only-for-the-example"
}

resource "billing_webhook_endpoint" "erp" {
  url         = "https://hooks.example.com/billing"
  description = "ERP: paid charges"
  events      = ["charge.paid", "api_key.rotated"]

  authentication = {
    type                   = "bearer"
    token_wo               = var.consumer_token
    credentials_wo_version = 1
  }

  # Changing a value rotates the secret in place. The old secret is invalid immediately.
  rotate_secret_when_changed = {
    quarter = "2026-Q4"
  }

  # Destroying or replacing this endpoint is an error: its secret would be lost.
  deletion_policy = "prevent"
}

output "webhook_secret" {
  value     = billing_webhook_endpoint.erp.secret
  sensitive = true
}

# The state contains this secret only in encrypted form: secret is null. `age -d` decrypts it with the private key.
resource "billing_webhook_endpoint" "audit" {
  url            = "https://audit.example.com/billing"
  age_recipients = ["age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p"]
}

output "audit_secret" {
  value = billing_webhook_endpoint.audit.encrypted_secret
}

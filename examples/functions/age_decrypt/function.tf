# The private key is ephemeral, so neither it nor the decrypted text is in a state or plan.
variable "age_identity" {
  type      = string
  ephemeral = true
  sensitive = true
}

resource "billing_api_key" "erp" {
  name           = "erp"
  scopes         = ["charges:read"]
  age_recipients = ["age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p"]
}

# Pass the token to a write-only argument: in practice of a secret store, here of a webhook endpoint.
resource "billing_webhook_endpoint" "erp" {
  url = "https://hooks.example.com/billing"

  authentication = {
    type                   = "bearer"
    token_wo               = provider::billing::age_decrypt(billing_api_key.erp.encrypted_token, var.age_identity)
    credentials_wo_version = parseint(substr(sha256(billing_api_key.erp.id), 0, 8), 16)
  }
}

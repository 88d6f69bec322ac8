# The private key, ephemeral: it is in no state and no plan, and neither is what it decrypts.
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

# A write-only argument takes the token: here what webhooks present to a consumer, in practice a secret store.
resource "billing_webhook_endpoint" "erp" {
  url = "https://hooks.example.com/billing"

  authentication = {
    type                   = "bearer"
    token_wo               = provider::billing::age_decrypt(billing_api_key.erp.encrypted_token, var.age_identity)
    credentials_wo_version = parseint(substr(sha256(billing_api_key.erp.id), 0, 8), 16)
  }
}

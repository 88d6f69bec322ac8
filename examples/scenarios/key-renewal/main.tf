# The key pair from age-keygen: the public key encrypts, the private key decrypts. The private key is ephemeral, so it is
# never in a plan or state.
variable "age_recipient" {
  description = "Public key (age1…)."
  type        = string
}

variable "age_identity" {
  description = "Private key (AGE-SECRET-KEY-1…), for this run only."
  type        = string
  ephemeral   = true
  sensitive   = true
}

variable "scopes" {
  description = "Permissions of the key. Changing this creates the next key."
  type        = set(string)
  default     = ["charges:read"]
  nullable    = false
}

# A key that is valid for 90 days. A plan within the last seven days creates the next one, and the old key works until its
# own expiry. A change of the scopes creates the next one too; then the old key works for seven more days.
resource "billing_api_key" "erp" {
  name               = "erp-renewed"
  scopes             = var.scopes
  expires_after_days = 90
  grace_period_days  = 7
  age_recipients     = [var.age_recipient]
}

output "token_age" {
  description = "The encrypted token, for age. The state does not contain it in clear text."
  value       = billing_api_key.erp.encrypted_token
}

# Passes the token to a write-only argument of a second provider, in the apply that creates it. Here, another
# organization's webhooks authenticate to the ERP with it; a secret store works in the same way.
resource "billing_webhook_endpoint" "erp" {
  provider = billing.partner

  url    = "https://hooks.aurora.example/erp"
  events = ["charge.paid"]

  authentication = {
    type     = "bearer"
    token_wo = provider::billing::age_decrypt(billing_api_key.erp.encrypted_token, var.age_identity)

    # A write-only argument is sent when its version changes. This number changes with every new key.
    credentials_wo_version = parseint(substr(sha256(billing_api_key.erp.id), 0, 8), 16)
  }
}

output "next_key" {
  description = "The first apply after this time creates the next key."
  value       = billing_api_key.erp.rotation_due_at
}

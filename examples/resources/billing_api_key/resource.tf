resource "billing_api_key" "erp" {
  name        = "erp"
  description = "Reads charges for the ERP"
  scopes      = ["charges:read"]

  # Rotate by age, and immediately when the trigger changes. The old key works for three more days.
  rotate_after_days = 90
  rotate_when_changed = {
    incident = "none"
  }
  grace_period_days = 3

  # Changing the name or the scopes forces replacement: create the new key before the old one is revoked.
  lifecycle {
    create_before_destroy = true
  }
}

output "erp_key" {
  value     = billing_api_key.erp.token
  sensitive = true
}

output "next_rotation" {
  value = billing_api_key.erp.rotation_due_at
}

# The state contains this token only in encrypted form: token is null. `age -d` decrypts it with the private key.
resource "billing_api_key" "pipeline" {
  name           = "pipeline"
  scopes         = ["charges:read"]
  age_recipients = ["age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p"]
}

output "pipeline_key" {
  value = billing_api_key.pipeline.encrypted_token
}

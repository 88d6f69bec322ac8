resource "billing_api_key" "erp" {
  name        = "erp"
  description = "Reads charges for the ERP"
  scopes      = ["charges:read"]

  # Rotate by age, and at once when the trigger changes. The old key works for three more days.
  rotate_after_days = 90
  rotate_when_changed = {
    incident = "none"
  }
  grace_period_days = 3

  # A new name or other scopes need a new key: create it before the old one is revoked.
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

# The state has this token encrypted only: token is null. `age -d` decrypts it with the private key.
resource "billing_api_key" "pipeline" {
  name           = "pipeline"
  scopes         = ["charges:read"]
  age_recipients = ["age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p"]
}

output "pipeline_key" {
  value = billing_api_key.pipeline.encrypted_token
}

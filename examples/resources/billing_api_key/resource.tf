# A key that is valid for 90 days and renews itself: a plan within the last seven days creates the next key in place, and
# the old one works until it expires. Changing name, scopes or trigger also creates a key; the old one works for seven days.
resource "billing_api_key" "erp" {
  name               = "erp"
  description        = "Reads charges for the ERP"
  scopes             = ["charges:read"]
  expires_after_days = 90
  grace_period_days  = 7
  rotate_when_changed = {
    incident = "none"
  }
}

output "erp_key" {
  value     = billing_api_key.erp.token
  sensitive = true
}

# The first apply after this time creates the next key.
output "next_key" {
  value = billing_api_key.erp.rotation_due_at
}

# The state contains this token only in encrypted form: token is null. `age -d` and the function age_decrypt decrypt it.
resource "billing_api_key" "pipeline" {
  name           = "pipeline"
  scopes         = ["charges:read"]
  age_recipients = ["age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p"]
}

output "pipeline_key" {
  value = billing_api_key.pipeline.encrypted_token
}

variable "receiver_url" {
  description = "The address at which the ERP receives webhooks. It must be https:// and reachable from outside."
  type        = string
  default     = "https://hooks.aurora.example/erp"
}

resource "billing_webhook_endpoint" "erp" {
  url         = var.receiver_url
  description = "ERP: paid charges"
  events      = ["charge.paid"]

  # Changing a value rotates the secret in place. The old secret is invalid immediately. Deliveries that the consumer
  # rejects are sent again after 4 minutes, then after 8, and so on: 8 attempts in eight and a half hours.
  rotate_secret_when_changed = {
    quarter = "2026-Q3"
  }
}

# Warns in every plan while there are exhausted deliveries.
data "billing_webhook_deliveries" "lost" {
  endpoint_id = billing_webhook_endpoint.erp.id
  status      = "exhausted"
}

check "nothing_lost" {
  assert {
    condition     = length(data.billing_webhook_deliveries.lost.deliveries) == 0
    error_message = "The ERP has missed events: ${join(", ", data.billing_webhook_deliveries.lost.deliveries[*].event_id)}."
  }
}

# The consumer needs it to verify signatures. It is in the state: protect that.
output "webhook_secret" {
  value     = billing_webhook_endpoint.erp.secret
  sensitive = true
}

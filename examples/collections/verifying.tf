# Verifies what a consumer has received, manually or in terraform test:
#
#   terraform plan -var 'received=[{ signature = "t=…,v1=…", body = "{…}", at = 1767225600 }]'
variable "received" {
  description = "Deliveries: the header X-Webhook-Signature, the exact body, and the time of arrival in seconds since 1970."
  type        = list(object({ signature = string, body = string, at = number }))
  default     = []
}

output "genuine" {
  description = "For each delivery, whether it is signed with the endpoint's secret, at most five minutes before or after it arrived."
  value = [for delivery in var.received : nonsensitive(
    provider::billing::verify_webhook_signature(billing_webhook_endpoint.erp.secret, delivery.signature, delivery.body, delivery.at, 300)
  )]
}

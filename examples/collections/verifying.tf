# What a consumer has received can be verified here, for a look or in terraform test:
#
#   terraform plan -var 'received=[{ signature = "t=…,v1=…", body = "{…}", at = 1767225600 }]'
variable "received" {
  description = "Deliveries: the header X-Webhook-Signature, the body byte for byte, and when it came, in seconds since 1970."
  type        = list(object({ signature = string, body = string, at = number }))
  default     = []
}

output "genuine" {
  description = "For each, whether it is signed with the endpoint's secret, not more than five minutes before or after it came."
  value = [for delivery in var.received : nonsensitive(
    provider::billing::verify_webhook_signature(billing_webhook_endpoint.erp.secret, delivery.signature, delivery.body, delivery.at, 300)
  )]
}

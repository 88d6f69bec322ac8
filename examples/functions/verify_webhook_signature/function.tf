locals {
  body   = "{\"event\":\"webhook.test\"}"
  header = provider::billing::webhook_signature("whsec_example", 1767225600, local.body)
}

output "genuine" {
  value = provider::billing::verify_webhook_signature("whsec_example", local.header, local.body, 1767225700, 300)
}

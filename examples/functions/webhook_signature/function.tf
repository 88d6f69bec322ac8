# To test a consumer: a request signed as the service signs it.
output "signature_header" {
  value = provider::billing::webhook_signature("whsec_example", 1767225600, "{\"event\":\"webhook.test\"}")
}

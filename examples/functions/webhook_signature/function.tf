# For a test of a consumer: a request exactly as the service would sign it.
output "signature_header" {
  value = provider::billing::webhook_signature("whsec_example", 1767225600, "{\"event\":\"webhook.test\"}")
}

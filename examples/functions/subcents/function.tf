# A price of 0.0499 per call, and the price of 1000 calls.
locals {
  call = provider::billing::subcents("0.0499")
}

output "unit_amount_subcents" {
  value = local.call
}

output "thousand_calls" {
  value = provider::billing::format_subcents(local.call * 1000)
}

# A price of 0.0499 for one call, and the price of a thousand of them.
locals {
  call = provider::billing::subcents("0.0499")
}

output "unit_amount_subcents" {
  value = local.call
}

output "thousand_calls" {
  value = provider::billing::format_subcents(local.call * 1000)
}

# Financial management accepts amounts as strings with two decimals.
locals {
  installments = 3
  total        = provider::billing::cents("100.00")
  each         = floor(local.total / local.installments)
}

output "installments" {
  value = [for n in range(local.installments) :
    provider::billing::format_cents(n == 0 ? local.total - local.each * (local.installments - 1) : local.each)
  ]
}

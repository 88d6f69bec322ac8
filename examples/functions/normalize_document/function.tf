# Two spellings of the same number are one customer.
locals {
  numbers = ["529.982.247-25", "52998224725"]
}

output "customers" {
  value = toset([for number in local.numbers : provider::billing::normalize_document(number)])
}

# balance_cents is in cents; cents() converts a decimal amount.
data "billing_account" "horizonte" {
  external_id = "horizonte"
}

output "owes_more_than_a_hundred" {
  value = data.billing_account.horizonte.balance_cents > provider::billing::cents("100.00")
}

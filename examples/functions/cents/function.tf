# A balance is answered in cents; compare it with an amount as people write it.
data "billing_account" "horizonte" {
  external_id = "horizonte"
}

output "owes_more_than_a_hundred" {
  value = data.billing_account.horizonte.balance_cents > provider::billing::cents("100.00")
}

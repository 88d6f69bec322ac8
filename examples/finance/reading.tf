# The open payables of another company.
data "billing_finance_payables" "bookshop" {
  filter = { company_id = "2c9e4f7a-0b1d-4e85-9a36-c4d5e6f70819" }
}

locals {
  # The service does not document the fields of its objects, so each is returned whole.
  payables = [for item in data.billing_finance_payables.bookshop.items : jsondecode(item.json)]
  open     = [for payable in local.payables : payable if payable.status == "open"]
}

# Added up in cents to be exact; sum() does not accept an empty list.
output "to_pay" {
  value = provider::billing::format_cents(sum(concat([0], [for payable in local.open : provider::billing::cents(payable.amount)])))
}

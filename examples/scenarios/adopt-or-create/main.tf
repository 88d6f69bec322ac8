resource "billing_customer" "this" {
  for_each    = var.tenants
  external_id = each.key

  name            = each.value.name
  document_number = each.value.document_number
  emails          = each.value.email == null ? null : [{ value = each.value.email }]

  # Used on creation only: the account below is the only one.
  create_billing_account = false
}

resource "billing_account" "this" {
  for_each    = var.tenants
  external_id = each.key
  customer_id = billing_customer.this[each.key].id

  payment_terms_days = each.value.payment_terms_days
}

resource "billing_subscription" "this" {
  for_each           = var.tenants
  external_id        = each.key
  billing_account_id = billing_account.this[each.key].id

  plan_id = each.value.plan_id
}

# All objects, one block per type. Some arguments that are set neither here nor in the variables stay unchanged: phones,
# the status of an account, all keys of custom_metadata. Others are cleared, as the plan shows:
# a pause, a discount, a note. The page of each resource says which.

resource "billing_customer" "this" {
  for_each    = var.customers
  external_id = each.key

  name            = each.value.name
  legal_name      = each.value.legal_name
  nickname        = each.value.nickname
  kind            = each.value.kind
  document_number = each.value.document_number
  birthday        = each.value.birthday
  emails          = each.value.emails
  notes           = each.value.notes
  tags            = each.value.tags

  custom_metadata = var.owned_metadata
  deletion_policy = local.deletion_policy[each.key]
}

resource "billing_account" "this" {
  for_each    = var.accounts
  external_id = each.key

  # A different customer would force replacement, which is an error in an import.
  customer_id = billing_customer.this[each.value.customer].id

  billing_email      = each.value.billing_email
  payment_terms_days = each.value.payment_terms_days

  custom_metadata = var.owned_metadata
  deletion_policy = local.deletion_policy[each.key]
}

resource "billing_subscription" "this" {
  for_each    = var.subscriptions
  external_id = each.key

  billing_account_id = billing_account.this[each.value.account].id

  # The plan requested last: the pending plan if a change is scheduled.
  plan_id           = each.value.plan_id
  collection_method = each.value.collection_method
  notes             = each.value.notes

  # From now on, a change of plan takes effect after the paid period. Setting only this sends no request.
  plan_change = { timing = "end_of_period" }

  custom_metadata = var.owned_metadata
  deletion_policy = local.deletion_policy[each.key]

  # If a subscription is canceled elsewhere, plans warn, but do not create a new one, which would charge the customer.
  on_external_cancel = "keep"

  # Another system bills items. Without this line, every plan warns about them.
  lifecycle { ignore_changes = [items] }
}

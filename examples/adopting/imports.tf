# Takes over what exists. An object that is in the state already is passed over, so this may stand here while you adopt
# one group after another. Take the file out when all are in: an import of something that does not exist is an error, and
# so nothing new could be made.
#
# An id is found by the external code here. The object's own id does as well (id = "1b4e28ba-…"), and with Terraform 1.12
# or newer an identity: identity = { external_id = each.key }.

import {
  for_each = var.customers
  to       = billing_customer.this[each.key]
  id       = "external_id=${each.key}"
}

import {
  for_each = var.accounts
  to       = billing_account.this[each.key]
  id       = "external_id=${each.key}"
}

import {
  for_each = var.subscriptions
  to       = billing_subscription.this[each.key]
  id       = "external_id=${each.key}"
}

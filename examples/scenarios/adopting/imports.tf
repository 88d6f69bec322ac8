# Imports existing objects. Objects that are already in the state are skipped, so you can keep this file while you import
# one group after another. Remove it when all are imported: importing an object that does not exist is an error, so you
# could not create new objects.
#
# The objects are found by external_id. Their own id works too (id = "1b4e28ba-…"), and, with Terraform 1.12 or later, an
# identity: identity = { external_id = each.key }.

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

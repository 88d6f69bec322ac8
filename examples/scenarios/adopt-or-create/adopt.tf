# Imports each object of a tenant that exists. Objects in the state are skipped, so this file can stay.

data "billing_customers" "all" {}
data "billing_accounts" "all" {}
data "billing_subscriptions" "all" {}

# The ids of the live objects, by external_id. The external_id of a closed account or a canceled subscription is free
# again. "Duplicate object key" here means that two live objects have one external_id: change that of one of them.
locals {
  customers = {
    for o in data.billing_customers.all.customers : o.external_id => o.id
    if can(var.tenants[o.external_id])
  }
  accounts = {
    for o in data.billing_accounts.all.accounts : o.external_id => o.id
    if can(var.tenants[o.external_id]) && o.status != "closed"
  }
  subscriptions = {
    for o in data.billing_subscriptions.all.subscriptions : o.external_id => o.id
    if can(var.tenants[o.external_id]) && o.status != "canceled"
  }
}

import {
  for_each = local.customers
  to       = billing_customer.this[each.key]
  id       = each.value
}

import {
  for_each = local.accounts
  to       = billing_account.this[each.key]
  id       = each.value
}

import {
  for_each = local.subscriptions
  to       = billing_subscription.this[each.key]
  id       = each.value
}

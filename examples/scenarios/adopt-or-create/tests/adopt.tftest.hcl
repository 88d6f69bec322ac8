# terraform test, against the sandbox of the README with the objects of seed.json. It only plans, because an apply in a
# test ends with a destroy, which would delete the adopted objects.

# Rejects a production token, whatever the configuration says.
provider "billing" {
  environment = "sandbox"
}

run "a_part_is_adopted" {
  command = plan

  assert {
    condition     = toset(keys(local.customers)) == toset(["aurora", "horizonte"]) && keys(local.subscriptions) == ["aurora"]
    error_message = "Other objects are found than those of seed.json."
  }

  assert {
    condition     = billing_account.this["horizonte"].id == local.accounts["horizonte"]
    error_message = "The account is created instead of imported."
  }

  assert {
    condition     = billing_subscription.this["horizonte"].billing_account_id == local.accounts["horizonte"]
    error_message = "The new subscription is not in the account that exists."
  }
}

run "objects_of_others_are_not_adopted" {
  command = plan

  variables {
    tenants = { nova = { name = "Nova", plan_id = "5b0f7d52-8f0a-4a35-9d7e-6f6f1f0c2a01" } }
  }

  assert {
    condition     = length(local.customers) + length(local.accounts) + length(local.subscriptions) == 0
    error_message = "An object of another external_id is found."
  }
}

# terraform test, against the sandbox of the README with the objects of seed.json. It only plans, because an apply in a
# test ends with a destroy, which would delete the adopted objects.

# Rejects a production token, whatever the configuration says.
provider "billing" {
  environment = "sandbox"
}

run "everything_is_found" {
  command = plan

  assert {
    condition     = length(output.managed.customers) == 3 && alltrue([for id in values(output.managed.customers) : id != null])
    error_message = "A customer is created instead of imported."
  }

  assert {
    condition     = alltrue([for code, account in billing_account.this : account.customer_id == billing_customer.this[var.accounts[code].customer].id])
    error_message = "An account belongs to another customer."
  }

  assert {
    condition     = billing_customer.this["crm-1003"].phones[0].value == "+55 11 5550-0300"
    error_message = "A value that only other systems maintain is lost."
  }
}

run "owned_keys_are_added_to_those_of_others" {
  command = plan

  variables {
    owned_metadata = { managed_by = "terraform/adopting" }
    protect        = true
  }

  assert {
    condition     = jsondecode(billing_customer.this["crm-1001"].effective_custom_metadata).crm.owner == "ana"
    error_message = "The key of the CRM is lost."
  }

  assert {
    condition     = billing_subscription.this["crm-1001-plano"].deletion_policy == "prevent"
    error_message = "The subscription is not protected."
  }
}

run "a_customer_without_a_decision_is_named" {
  command = plan

  variables {
    left_alone = []
  }

  expect_failures = [check.everybody_is_decided_about]
}

run "decisions_that_contradict_each_other_are_refused" {
  command = plan

  variables {
    left_alone = ["crm-1001"]
  }

  expect_failures = [var.left_alone]
}

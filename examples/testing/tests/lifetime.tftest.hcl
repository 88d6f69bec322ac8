# terraform test, against the sandbox. Runs with a module call billing-sandbox, which must be in PATH, and have separate
# states.
run "signs_up" {
  assert {
    condition     = billing_subscription.matriz.status == "trialing"
    error_message = "The trial has not begun: ${billing_subscription.matriz.status}."
  }
}

run "fifteen_days_pass" {
  module { source = "./clock" }
  variables { advance = "15d" }
}

run "the_trial_is_over" {
  assert {
    condition     = billing_subscription.matriz.status == "active"
    error_message = "The trial continues: ${billing_subscription.matriz.status}."
  }

  assert {
    condition     = billing_api_key.erp.id == run.signs_up.key_id
    error_message = "The key was renewed before it was due."
  }
}

run "the_key_becomes_due" {
  module { source = "./clock" }
  variables { advance = "70d" }
}

run "the_key_is_renewed" {
  assert {
    condition     = billing_api_key.erp.id != run.signs_up.key_id && length(billing_api_key.erp.previous_keys) == 1
    error_message = "The key was not renewed, or callers have no time to switch."
  }
}

run "the_next_response_is_lost" {
  module { source = "./fault" }
  variables { add = "operation=customers.create,drop=after,times=1" }
}

run "the_new_customer_is_found" {
  variables {
    branches = ["matriz", "filial"]
  }

  assert {
    condition     = billing_customer.branch["filial"].billing_account_id != null
    error_message = "The customer was created, but is not in the state."
  }
}

run "support_and_crm_edit_a_customer" {
  module { source = "./other_system" }
  variables {
    type   = "customer"
    object = "external_id=aurora-matriz"
    fields = { notes = "O'Hara: \"call $HOME\"", "custom_metadata.crm.score" = 7 }
  }
}

run "what_the_crm_owns_stays" {
  variables {
    branches = ["matriz", "filial"]
  }

  assert {
    condition     = billing_customer.branch["matriz"].notes == "Delivers before six."
    error_message = "The notes were not restored."
  }

  assert {
    condition     = jsondecode(billing_customer.branch["matriz"].effective_custom_metadata).crm.score == 7
    error_message = "The CRM's score was lost."
  }
}

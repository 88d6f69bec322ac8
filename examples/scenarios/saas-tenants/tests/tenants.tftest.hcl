# terraform test, against the sandbox of the README. The next runs see what a run applies, and Terraform destroys it at the
# end.

# Rejects a production token, whatever the configuration says.
provider "billing" {
  environment = "sandbox"
}

variables {
  key             = "module-test"
  name            = "Livraria do Teste Ltda."
  document_number = "45.997.418/0001-53"
  email           = "teste@horizonte.example"
  plan_id         = "5b0f7d52-8f0a-4a35-9d7e-6f6f1f0c2a01"
  seats           = 4
  seat_price      = "44.90"
  seat = {
    product_id = "0a6f5c6e-90c5-4ac3-8f0e-2f3c8b9d7e11"
    price_id   = "3e2d1c0b-7a69-4858-9f46-1d2e3f4a5b61"
  }

  # The test deletes its tenant. Other values would keep it.
  on_removal = "end_now"
}

run "a_tenant_begins_with_a_trial" {
  module {
    source = "./modules/tenant"
  }

  assert {
    condition     = billing_subscription.this.status == "trialing" && billing_subscription.this.trial_period_days == 14
    error_message = "The tenant pays from the first day on: it is ${billing_subscription.this.status}."
  }

  assert {
    condition     = billing_account.this.customer_id == billing_customer.this.id
    error_message = "The account belongs to another customer."
  }

  assert {
    condition     = billing_account.this.billing_email == var.email
    error_message = "Invoices go to ${billing_account.this.billing_email}."
  }

  assert {
    condition     = one(billing_subscription.this.items).quantity == 4 && one(billing_subscription.this.items).unit_amount_subcents == 449000
    error_message = "The seats are not billed as agreed."
  }

  assert {
    condition     = toset([billing_customer.this.external_id, billing_account.this.external_id, billing_subscription.this.external_id]) == toset(["tenant-module-test"])
    error_message = "The objects cannot be found by one external_id."
  }
}

run "another_plan_waits_for_the_period" {
  module {
    source = "./modules/tenant"
  }

  variables {
    plan_id = "5b0f7d52-8f0a-4a35-9d7e-6f6f1f0c2a02"
  }

  # A recreated subscription would have the new plan as well.
  assert {
    condition     = billing_subscription.this.pending_plan_id == var.plan_id && billing_subscription.this.current_plan_id != var.plan_id
    error_message = "The plan changed in the middle of a period."
  }
}

run "no_seats_are_billed_any_more" {
  module {
    source = "./modules/tenant"
  }

  variables {
    plan_id = "5b0f7d52-8f0a-4a35-9d7e-6f6f1f0c2a02"
    seats   = 0
  }

  assert {
    condition     = length(billing_subscription.this.items) == 0
    error_message = "The seats are still billed."
  }
}

run "a_trial_is_not_given_twice" {
  command = plan

  module {
    source = "./modules/tenant"
  }

  variables {
    plan_id    = "5b0f7d52-8f0a-4a35-9d7e-6f6f1f0c2a02"
    seats      = 0
    trial_days = 90
  }

  assert {
    condition     = billing_subscription.this.trial_period_days == 14
    error_message = "The plan shows a trial that the service does not grant."
  }
}

run "a_person_is_no_company" {
  command = plan

  module {
    source = "./modules/tenant"
  }

  variables {
    document_number = "529.982.247-25"
  }

  assert {
    condition     = billing_customer.this.kind == "natural"
    error_message = "A CPF makes a ${billing_customer.this.kind} customer."
  }
}

run "what_cannot_be_billed_is_refused" {
  command = plan

  module {
    source = "./modules/tenant"
  }

  variables {
    key                = "Not A Key"
    document_number    = "45.997.418/0001-54" # wrong check digit
    plan_id            = "premium"
    seats              = 1.5
    seat_price         = "44,90"
    payment_terms_days = 120
    on_removal         = "delete"
  }

  expect_failures = [
    var.key, var.document_number, var.plan_id, var.seats, var.seat_price, var.payment_terms_days, var.on_removal,
  ]
}

run "a_plan_without_a_name_is_refused" {
  command = plan

  module {
    source = "./modules/plans"
  }

  variables {
    names = ["basic", "premium"]
  }

  expect_failures = [output.ids]
}

run "the_list_gives_each_tenant_its_objects" {
  variables {
    tenants = {
      listed = {
        name            = "Padaria do Teste Ltda."
        document_number = "11.222.333/0001-81"
        email           = "lista@aurora.example"
        plan            = "team"
        on_removal      = "end_now"
      }
    }
  }

  assert {
    condition     = output.tenants["listed"].external_id == "tenant-listed" && output.tenants["listed"].subscription_id != null
    error_message = "The tenant has no subscription: ${jsonencode(output.tenants)}."
  }
}

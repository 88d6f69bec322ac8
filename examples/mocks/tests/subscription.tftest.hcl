# This needs no service, sandbox or token: the provider supplies only its schemas and functions.
mock_provider "billing" {
  source = "./billing"
}

# Mocks leave the lists of data sources empty, so this overrides the outputs of the module that reads one.
override_module {
  target  = module.plan
  outputs = { id = "5b0f7d52-8f0a-4a35-9d7e-6f6f1f0c2a01" }
}

variables {
  company = { name = "Padaria Aurora", document_number = "11.222.333/0001-81", email = "financeiro@aurora.example" }
  plan    = "Pro"
}

run "the_subscription_uses_the_account_of_the_customer" {
  assert {
    condition     = billing_subscription.this.billing_account_id == billing_customer.this.billing_account_id
    error_message = "The subscription is billed to another account."
  }

  assert {
    condition     = output.subscription == { id = billing_subscription.this.id, status = "active", amount = "99.00" }
    error_message = "The output is ${jsonencode(output.subscription)}."
  }

  assert {
    condition     = billing_customer.this.external_id == "customer-11222333000181"
    error_message = "The external_id contains the mask of the tax number."
  }
}

run "an_overdue_subscription" {
  # A separate state, because objects from other runs keep their values.
  state_key = "overdue"

  override_resource {
    target = billing_subscription.this
    values = { status = "past_due" }
  }

  assert {
    condition     = output.subscription.status == "past_due"
    error_message = "The status is ${output.subscription.status}."
  }
}

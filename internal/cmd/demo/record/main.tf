resource "billing_customer" "aurora" {
  external_id = "aurora"
  name        = "Padaria Aurora"
  notes       = "Deliver before 7 am."

  custom_metadata = {
    segment = "retail" # keys of other systems stay
  }
}

resource "billing_subscription" "aurora" {
  external_id        = "aurora"
  billing_account_id = billing_customer.aurora.billing_account_id
  plan_id            = "5b0f7d52-8f0a-4a35-9d7e-6f6f1f0c2a01"
  trial_period_days  = 14
}

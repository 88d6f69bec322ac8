data "billing_subscription" "horizonte" {
  external_id = "tenant-horizonte"
}

# Warns in every plan while the subscription is not active.
check "subscription_runs" {
  assert {
    condition     = contains(["active", "trialing"], data.billing_subscription.horizonte.status)
    error_message = "The subscription is ${data.billing_subscription.horizonte.status}."
  }
}

# The same for Terraform policy. It sees one resource at a time, and a replacement is a delete and a create: so each end
# must be approved, and the policy cannot count ends.
policy {
  required_providers {
    billing = {
      source  = "recurring-billing/billing"
      version = "~> 0.1.0"
    }
  }
}

resource_policy "billing_subscription" "destroyed" {
  operations        = ["delete"]
  enforcement_level = "mandatory_overridable"
  filter            = prior_attrs.deletion_policy != "abandon" && prior_attrs.status != "canceled"

  enforce {
    condition     = false
    error_message = "A subscription ends. If it is replaced, the customer is billed again."
  }
}

resource_policy "billing_subscription" "ends_with_its_period" {
  operations        = ["update"]
  enforcement_level = "mandatory_overridable"

  enforce {
    condition     = attrs.cancel_at_period_end != true || prior_attrs.cancel_at_period_end == true
    error_message = "A subscription ends with its period."
  }
}

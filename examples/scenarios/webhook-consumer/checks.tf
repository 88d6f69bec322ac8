# Warnings, not errors, in plans and applies. The data sources are outside the check blocks: Terraform also reads a data
# source inside one during the apply, so no plan would be empty.

data "billing_webhook_deliveries" "lost" {
  endpoint_id = billing_webhook_endpoint.consumer.id
  status      = "exhausted"
}

data "billing_api_keys" "all" {}

check "nothing_lost" {
  assert {
    condition     = length(data.billing_webhook_deliveries.lost.deliveries) == 0
    error_message = "${var.consumer} has missed events: ${join(", ", data.billing_webhook_deliveries.lost.deliveries[*].event_id)}."
  }
}

# After a rotation, this shows whether the consumer uses the new key.
check "old_keys_are_idle" {
  assert {
    condition = alltrue([
      for key in data.billing_api_keys.all.keys : timecmp(key.last_used_at, timeadd(plantimestamp(), "-24h")) < 0
      if contains(billing_api_key.consumer.previous_keys[*].id, key.id) && key.last_used_at != null
    ])
    error_message = "${var.consumer} used an old key within the last day. It ends at ${try(billing_api_key.consumer.previous_keys[0].grace_until, "once")}."
  }
}

locals {
  # The secret would make the results sensitive, but they do not reveal it.
  verified = [for delivery in var.received : nonsensitive(provider::billing::verify_webhook_signature(
    billing_webhook_endpoint.consumer.secret, delivery.signature, delivery.body, delivery.at, 300
  ))]
}

check "received_is_verified" {
  assert {
    condition     = alltrue(local.verified)
    error_message = "Not signed with the current secret, or not within five minutes: number ${join(", ", [for i, good in local.verified : i if !good])}, counted from 0."
  }
}

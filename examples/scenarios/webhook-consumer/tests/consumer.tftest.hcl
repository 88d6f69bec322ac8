# terraform test, against the sandbox of the README. The next runs see what a run applies, and Terraform destroys it at the
# end.

# Rejects a production token, whatever the configuration says.
provider "billing" {
  environment = "sandbox"
}

variables {
  consumer = "consumer-under-test"
}

run "the_consumer_gets_a_key_and_a_secret" {
  assert {
    condition     = nonsensitive(startswith(output.consumer.api_key, "ck_") && startswith(output.consumer.webhook_secret, "whsec_"))
    error_message = "Key or secret is missing."
  }

  assert {
    condition     = billing_api_key.consumer.scopes == toset(["charges:read", "webhook_deliveries:read"])
    error_message = "The key has more scopes than it needs: ${join(", ", billing_api_key.consumer.scopes)}."
  }
}

run "a_new_text_rotates_both" {
  variables {
    rotation = "2026-11-incident"
  }

  assert {
    condition     = nonsensitive(output.consumer.api_key != run.the_consumer_gets_a_key_and_a_secret.consumer.api_key)
    error_message = "The key is the old one."
  }

  assert {
    condition     = nonsensitive(output.consumer.webhook_secret != run.the_consumer_gets_a_key_and_a_secret.consumer.webhook_secret)
    error_message = "The secret is the old one."
  }

  assert {
    condition     = length(billing_api_key.consumer.previous_keys) == 1
    error_message = "The consumer has no time to switch to the new key."
  }
}

run "a_forged_delivery_is_noticed" {
  command = plan

  variables {
    rotation = "2026-11-incident"
    received = [{ signature = "t=1767225600,v1=00", body = "{}", at = 1767225600 }]
  }

  expect_failures = [check.received_is_verified]
}

run "unsafe_arguments_are_rejected" {
  command = plan

  variables {
    consumer          = "The ERP"
    receiver_url      = "http://hooks.example.com"
    scopes            = []
    grace_period_days = 90
  }

  expect_failures = [var.consumer, var.receiver_url, var.scopes, var.grace_period_days]
}

# terraform test, against the sandbox of the README, with the same TF_VAR_age_recipient and TF_VAR_age_identity. The next
# runs see what a run applies, and Terraform destroys it at the end.

# Both reject a production token, whatever the configuration says.
provider "billing" {
  environment = "sandbox"
}

provider "billing" {
  alias       = "partner"
  environment = "sandbox"
}

run "the_token_is_stored_for_the_private_key_only" {
  assert {
    condition     = billing_api_key.erp.token == null && startswith(output.token_age, "-----BEGIN AGE ENCRYPTED FILE-----")
    error_message = "The token is in the state in clear text."
  }

  assert {
    condition     = startswith(provider::billing::age_decrypt(output.token_age, var.age_identity), "ck_")
    error_message = "The private key does not decrypt the token."
  }
}

run "other_scopes_create_the_next_key" {
  variables {
    scopes = ["charges:read", "payables:read"]
  }

  assert {
    condition     = output.token_age != run.the_token_is_stored_for_the_private_key_only.token_age
    error_message = "The token is the old one."
  }

  assert {
    condition     = length(billing_api_key.erp.previous_keys) == 1
    error_message = "Callers have no time to switch to the new key."
  }

  assert {
    condition     = billing_webhook_endpoint.erp.authentication.credentials_wo_version == parseint(substr(sha256(billing_api_key.erp.id), 0, 8), 16)
    error_message = "The second provider is not sent the new token."
  }
}

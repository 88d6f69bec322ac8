# A key that exists only while Terraform runs, in no plan and no state.
ephemeral "billing_api_key" "migration" {
  name   = "migration"
  scopes = ["charges:read"]
}

# Another provider, or a write-only argument, may use ephemeral.billing_api_key.migration.token.

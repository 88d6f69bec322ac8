# A key that exists only while Terraform runs, and never in a plan or state.
ephemeral "billing_api_key" "migration" {
  name   = "migration"
  scopes = ["charges:read"]
}

# Use ephemeral.billing_api_key.migration.token in a provider block or a write-only argument.

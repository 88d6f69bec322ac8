data "billing_organization" "current" {}

# Fails the plan if the token does not belong to the test environment.
check "environment" {
  assert {
    condition     = data.billing_organization.current.environment == "sandbox"
    error_message = "This configuration is for the test environment."
  }
}

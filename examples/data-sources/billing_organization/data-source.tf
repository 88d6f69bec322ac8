data "billing_organization" "current" {}

# Fails the plan when the token is not one of the test environment.
check "environment" {
  assert {
    condition     = data.billing_organization.current.environment == "sandbox"
    error_message = "This configuration is meant for the test environment."
  }
}

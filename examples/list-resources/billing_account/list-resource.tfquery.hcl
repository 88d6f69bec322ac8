# terraform query -generate-config-out=accounts.tf
list "billing_account" "all" {
  provider         = billing
  include_resource = true

  config {
    status = "active"
  }
}

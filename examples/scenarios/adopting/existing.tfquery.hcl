# Lists existing objects with terraform query (Terraform 1.14 and later). Older versions and OpenTofu do not read this file.
#
#   terraform query                                      lists the objects
#   terraform query -generate-config-out=generated.tf    writes resource and import blocks, see README.md

list "billing_customer" "all" {
  provider         = billing
  include_resource = true
}

list "billing_account" "open" {
  provider         = billing
  include_resource = true

  config {
    status = "active"
  }
}

# Excludes objects that have ended.
list "billing_subscription" "active" {
  provider         = billing
  include_resource = true

  config {
    status = "active"
  }
}

list "billing_subscription" "trialing" {
  provider         = billing
  include_resource = true

  config {
    status = "trialing"
  }
}

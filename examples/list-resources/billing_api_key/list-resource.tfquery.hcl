# terraform query -generate-config-out=api_keys.tf
list "billing_api_key" "all" {
  provider         = billing
  include_resource = true
}

# terraform query -generate-config-out=customers.tf
list "billing_customer" "bookshops" {
  provider         = billing
  include_resource = true

  config {
    search = "livraria"
  }
}

output "organization" {
  description = "The organization and the environment of all objects here."
  value       = "${data.billing_organization.this.name} (${data.billing_organization.this.environment})"
}

output "billing_accounts" {
  description = "The billing account that was created with each customer; null if none was."
  value = {
    for customer in [billing_customer.headquarters, billing_customer.branch, billing_customer.owner] :
    customer.external_id => customer.billing_account_id
  }
}

output "aurora" {
  description = "The names of all customers that the search found."
  value       = data.billing_customers.aurora.customers[*].name
}

output "existing_customer" {
  description = "Name and custom_metadata of the customer that was looked up."
  value = one([for customer in data.billing_customer.existing : {
    name            = customer.name
    custom_metadata = try(jsondecode(customer.custom_metadata), null)
  }])
}

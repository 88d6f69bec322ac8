# Lists every object of an organization, and prints an import block for each. It changes nothing.
terraform {
  required_providers {
    billing = {
      source = "recurring-billing/billing"
    }
  }
}

provider "billing" {}

data "billing_customers" "all" {}
data "billing_accounts" "all" {}
data "billing_subscriptions" "all" {}
data "billing_webhook_endpoints" "all" {}
data "billing_api_keys" "all" {}

locals {
  living = {
    billing_customer         = data.billing_customers.all.customers
    billing_account          = [for o in data.billing_accounts.all.accounts : o if o.status != "closed"]
    billing_subscription     = [for o in data.billing_subscriptions.all.subscriptions : o if o.status != "canceled"]
    billing_webhook_endpoint = data.billing_webhook_endpoints.all.endpoints
    billing_api_key          = [for o in data.billing_api_keys.all.keys : o if o.status == "active"]
  }
}

output "how_many" {
  value = { for type, objects in local.living : type => length(objects) }
}

# One block per object.
output "import_blocks" {
  value = join("\n", flatten([
    for type, objects in local.living : [
      for o in objects : "import {\n  to = ${type}.r_${replace(o.id, "-", "_")}\n  id = \"${o.id}\"\n}\n"
    ]
  ]))
}

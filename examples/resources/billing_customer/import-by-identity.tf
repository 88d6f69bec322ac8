import {
  to = billing_customer.horizonte
  identity = {
    external_id = "erp-1001"
  }
}

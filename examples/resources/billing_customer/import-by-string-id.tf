import {
  to = billing_customer.horizonte
  id = "external_id=erp-1001"
}

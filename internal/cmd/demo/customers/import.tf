import {
  to = billing_customer.confeitaria
  id = "external_id=crm-2044"
}

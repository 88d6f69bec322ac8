import {
  to = billing_account.horizonte
  id = "external_id=erp-1001-main"
}

import {
  to = billing_account.horizonte
  identity = {
    external_id = "erp-1001-main"
  }
}

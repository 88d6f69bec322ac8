import {
  to = billing_api_key.erp
  identity = {
    name = "erp"
  }
}

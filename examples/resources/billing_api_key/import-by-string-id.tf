import {
  to = billing_api_key.erp
  id = "name=erp"
}

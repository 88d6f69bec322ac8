import {
  to = billing_webhook_endpoint.erp
  id = "url=https://hooks.example.com/billing"
}

import {
  to = billing_webhook_endpoint.erp
  identity = {
    url = "https://hooks.example.com/billing"
  }
}

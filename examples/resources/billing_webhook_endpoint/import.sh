terraform import billing_webhook_endpoint.erp 6f0d3f7e-1c7b-4f0e-8a53-0b6f4ad0c9f2
terraform import billing_webhook_endpoint.erp url=https://hooks.example.com/billing

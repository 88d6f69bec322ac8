terraform import billing_customer.horizonte 1b4e28ba-2fa1-4d1b-883f-0016d3cca427
terraform import billing_customer.horizonte external_id=erp-1001

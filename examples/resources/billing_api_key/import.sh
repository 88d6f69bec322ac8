terraform import billing_api_key.erp 2f1c9d0e-7a6b-4c5d-8e9f-0a1b2c3d4e5f
terraform import billing_api_key.erp name=erp

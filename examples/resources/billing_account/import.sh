terraform import billing_account.horizonte 7d9f6a3e-4a4b-4f5e-9c1f-0c4c1d0f6d11
terraform import billing_account.horizonte external_id=erp-1001-main

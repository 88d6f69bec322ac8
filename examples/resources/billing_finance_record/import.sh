terraform import billing_finance_record.rent payables/2f1c9d0e-7a6b-4c5d-8e9f-0a1b2c3d4e5f

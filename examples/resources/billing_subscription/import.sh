# By id:
terraform import billing_subscription.horizonte 9b1deb4d-3b7d-4bad-9bdd-2b0d7b3dcb6d

# By external_id:
terraform import billing_subscription.horizonte external_id=tenant-horizonte

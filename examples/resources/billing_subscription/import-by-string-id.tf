import {
  to = billing_subscription.horizonte
  id = "external_id=tenant-horizonte"
}

import {
  to = billing_subscription.horizonte
  identity = {
    external_id = "tenant-horizonte"
  }
}

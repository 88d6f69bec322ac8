data "billing_api_keys" "all" {}

# Active keys that never expire.
output "unlimited" {
  value = [for key in data.billing_api_keys.all.keys : key.name if key.expires_at == null && key.status == "active"]
}

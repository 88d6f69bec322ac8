output "tenants" {
  description = "The ids of each tenant's objects at the service."
  value       = module.tenant
}

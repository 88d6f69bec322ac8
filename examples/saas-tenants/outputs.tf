output "tenants" {
  description = "The ids of each tenant's objects at the service, for whoever has to find them there."
  value       = module.tenant
}

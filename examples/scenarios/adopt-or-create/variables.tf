variable "tenants" {
  description = "The tenants, by the external_id of their customer, account and subscription."
  type = map(object({
    name               = string
    document_number    = optional(string)
    email              = optional(string)
    payment_terms_days = optional(number)
    plan_id            = string
  }))
  nullable = false
}

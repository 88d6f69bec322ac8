variable "tenants" {
  description = <<-EOT
    The tenants, by a key that never changes: it is a part of the external_id of all objects of a tenant. A renamed key
    is a new tenant. modules/tenant/variables.tf describes the fields.
  EOT
  type = map(object({
    name            = string
    document_number = string
    email           = string
    billing_email   = optional(string)
    plan            = string # the name of a plan of the service
    seats           = optional(number)
    seat_price      = optional(string)
    trial_days      = optional(number)

    payment_terms_days   = optional(number)
    labels               = optional(map(string))
    cancel_at_period_end = optional(bool)
    on_removal           = optional(string)
  }))
  nullable = false

  # The module validates each tenant. This validates all tenants together.
  validation {
    condition     = length(distinct([for t in values(var.tenants) : replace(t.document_number, "/\\D/", "")])) == length(var.tenants)
    error_message = "Two tenants have the same document_number. They would be billed twice as one company."
  }
}

variable "seat" {
  description = "The product and the price of a seat."
  type = object({
    product_id = string
    price_id   = string
  })
  nullable = false
}

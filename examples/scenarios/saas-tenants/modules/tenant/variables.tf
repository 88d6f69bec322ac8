# Every variable with a default is nullable = false, so that null, such as from an optional field, means the default.

variable "key" {
  description = "Name of the tenant in your own system. It must never change: the external_id of all objects contains it."
  type        = string
  nullable    = false

  validation {
    condition     = can(regex("^[a-z][a-z0-9-]{1,38}[a-z0-9]$", var.key))
    error_message = "The key must be 3 to 40 lower-case letters, digits and dashes, begin with a letter and not end with a dash."
  }
}

variable "name" {
  description = "The company or the person, as shown on invoices."
  type        = string
  nullable    = false

  validation {
    condition     = trimspace(var.name) != ""
    error_message = "A tenant needs a name: it is shown on invoices."
  }
}

variable "document_number" {
  description = "CPF or CNPJ, with or without a mask. It determines whether the tenant is a person or a company."
  type        = string
  nullable    = false

  validation {
    condition     = can(provider::billing::normalize_document(var.document_number))
    error_message = "The document number must be a CPF or a CNPJ with the right check digits."
  }
}

variable "email" {
  description = "Main e-mail address of the tenant."
  type        = string
  nullable    = false
}

variable "billing_email" {
  description = "Address that invoices are sent to. Defaults to email."
  type        = string
  default     = null
}

variable "plan_id" {
  description = "The plan. A change takes effect after the paid period."
  type        = string
  nullable    = false

  validation {
    condition     = can(regex("^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$", var.plan_id))
    error_message = "\"${var.plan_id}\" is not the id of a plan."
  }
}

variable "seat" {
  description = "The product and the price of a seat. Required if there are seats."
  type = object({
    product_id = string
    price_id   = string
  })
  default = null
}

variable "seats" {
  description = "Number of seats that are billed in addition to the plan."
  type        = number
  default     = 0
  nullable    = false

  validation {
    condition     = var.seats >= 0 && floor(var.seats) == var.seats
    error_message = "The number of seats must be 0 or more, and whole."
  }
}

variable "seat_price" {
  description = "Agreed price of a seat, such as \"44.90\". Defaults to the price in the catalogue."
  type        = string
  default     = null

  validation {
    condition     = var.seat_price == null || can(provider::billing::subcents(var.seat_price))
    error_message = "The price of a seat must be an amount with at most four decimals and a dot, such as \"44.90\"."
  }
}

variable "trial_days" {
  description = "Length of the trial in days. Used on creation only."
  type        = number
  default     = 14
  nullable    = false

  validation {
    condition     = var.trial_days >= 0 && floor(var.trial_days) == var.trial_days
    error_message = "The trial must be 0 or more whole days."
  }
}

variable "payment_terms_days" {
  description = "Days until an invoice is due."
  type        = number
  default     = 15
  nullable    = false

  validation {
    condition     = var.payment_terms_days >= 1 && var.payment_terms_days <= 90
    error_message = "Invoices are due within 1 to 90 days."
  }
}

# A map of strings, not any: Terraform gives all tenants in a map the same type, so a number in one and a list in another
# would be converted, or be an error.
variable "labels" {
  description = "Your own labels. Labels that other systems add at the service stay."
  type        = map(string)
  default     = {}
  nullable    = false
}

variable "cancel_at_period_end" {
  description = <<-EOT
    If true, the subscription ends with the paid period; false reverts that. If unset, a cancellation in your portal stays
    in effect: the next apply does not revert it.
  EOT
  type        = bool
  default     = null
}

variable "on_removal" {
  description = <<-EOT
    What happens when the tenant is removed. The value in state applies: apply a change before you remove the tenant.
      run_out  the subscription ends with the paid period; account and customer stay, with their open invoices
      end_now  the subscription is canceled immediately, the account closed and the customer deleted
      prevent  the plan is an error
  EOT
  type        = string
  default     = "run_out"
  nullable    = false

  validation {
    condition     = contains(["run_out", "end_now", "prevent"], var.on_removal)
    error_message = "on_removal must be \"run_out\", \"end_now\" or \"prevent\"."
  }
}

# Every variable with a default is nullable = false: a caller that passes null, as an optional field of a map does, gets
# the default then.

variable "key" {
  description = "Names the tenant in your own system. It never changes: external_id of all objects is made of it."
  type        = string
  nullable    = false

  validation {
    condition     = can(regex("^[a-z][a-z0-9-]{1,38}[a-z0-9]$", var.key))
    error_message = "The key must be 3 to 40 lower-case letters, digits and dashes, begin with a letter and not end with a dash."
  }
}

variable "name" {
  description = "The company or the person, as it stands on invoices."
  type        = string
  nullable    = false

  validation {
    condition     = trimspace(var.name) != ""
    error_message = "A tenant needs a name: it stands on invoices."
  }
}

variable "document_number" {
  description = "CPF or CNPJ, with or without the mask. It decides whether the tenant is a person or a company."
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
  description = "Where invoices are sent. Default: email."
  type        = string
  default     = null
}

variable "plan_id" {
  description = "The plan that is wanted. Another plan begins when the period that is paid for ends."
  type        = string
  nullable    = false

  validation {
    condition     = can(regex("^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$", var.plan_id))
    error_message = "\"${var.plan_id}\" is no id of a plan, and no name of one in the catalogue."
  }
}

variable "seat" {
  description = "The product and the price that a seat is billed by. Needed when there are seats."
  type = object({
    product_id = string
    price_id   = string
  })
  default = null
}

variable "seats" {
  description = "How many seats are billed beside the plan."
  type        = number
  default     = 0
  nullable    = false

  validation {
    condition     = var.seats >= 0 && floor(var.seats) == var.seats
    error_message = "The number of seats must be 0 or more, and whole."
  }
}

variable "seat_price" {
  description = "Price of a seat that was agreed with this tenant, such as \"44.90\". Default: that of the catalogue."
  type        = string
  default     = null

  validation {
    condition     = var.seat_price == null || can(provider::billing::subcents(var.seat_price))
    error_message = "The price of a seat must be an amount with at most four decimals and a dot, such as \"44.90\"."
  }
}

variable "trial_days" {
  description = "How long the tenant tries before anything is billed. It counts when the tenant is new, and never again."
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

# A map of text, and not any: in a map of tenants Terraform gives all of them one type, so that a number here and a list
# there would be an error, or would be made alike.
variable "labels" {
  description = "Your own labels. Those that others add at the service stay there."
  type        = map(string)
  default     = {}
  nullable    = false
}

variable "cancel_at_period_end" {
  description = <<-EOT
    true lets the subscription end with the period that is paid for, false takes that back. Not given, it is nobody's
    business here: a tenant that cancels in your portal is not subscribed again by the next apply.
  EOT
  type        = bool
  default     = null
}

variable "on_removal" {
  description = <<-EOT
    What happens when the tenant is taken out. It has to be applied before that to count.
      run_out  the subscription ends with the period that is paid for; account and customer stay, with what they owe
      end_now  the subscription is canceled at once, the account closed and the customer deleted
      refuse   the plan is an error
  EOT
  type        = string
  default     = "run_out"
  nullable    = false

  validation {
    condition     = contains(["run_out", "end_now", "refuse"], var.on_removal)
    error_message = "on_removal must be \"run_out\", \"end_now\" or \"refuse\"."
  }
}

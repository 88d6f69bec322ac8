variable "customers" {
  description = "The customers to manage, by external_id. A field that has a value at the service and is unset here would be cleared; the plan shows it."
  type = map(object({
    name            = string
    legal_name      = optional(string)
    nickname        = optional(string)
    kind            = optional(string)
    document_number = optional(string)
    birthday        = optional(string)
    emails          = optional(list(object({ value = string, kind = optional(string) })))
    notes           = optional(string)
    tags            = optional(set(string))
  }))
  nullable = false
}

variable "accounts" {
  description = "The billing accounts to manage, by external_id. customer is a key of customers."
  type = map(object({
    customer           = string
    billing_email      = optional(string)
    payment_terms_days = optional(number)
  }))
  default  = {}
  nullable = false

  validation {
    condition     = alltrue([for account in values(var.accounts) : contains(keys(var.customers), account.customer)])
    error_message = "Each account names one of the customers: ${join(", ", keys(var.customers))}."
  }
}

variable "subscriptions" {
  description = "The subscriptions to manage, by external_id. account is a key of accounts."
  type = map(object({
    account           = string
    plan_id           = string
    collection_method = optional(string)
    notes             = optional(string)
  }))
  default  = {}
  nullable = false

  validation {
    condition     = alltrue([for subscription in values(var.subscriptions) : contains(keys(var.accounts), subscription.account)])
    error_message = "Each subscription names one of the accounts: ${join(", ", keys(var.accounts))}."
  }
}

variable "left_alone" {
  description = "The external_ids of customers that are not managed here. They are only looked up."
  type        = set(string)
  default     = []
  nullable    = false

  validation {
    condition     = length(setintersection(var.left_alone, keys(var.customers))) == 0
    error_message = "A customer is either managed or in left_alone: ${join(", ", setintersection(var.left_alone, keys(var.customers)))} cannot be both."
  }
}

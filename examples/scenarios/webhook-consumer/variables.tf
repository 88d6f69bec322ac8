variable "consumer" {
  description = "Name of the system that receives the webhooks. Changing this creates a new key; the old one works for grace_period_days."
  type        = string
  default     = "erp"
  nullable    = false

  validation {
    condition     = can(regex("^[a-z][a-z0-9-]*$", var.consumer))
    error_message = "The name must be lower-case letters, digits and dashes, and begin with a letter."
  }
}

variable "receiver_url" {
  description = "Address at which the consumer receives webhooks. It must be reachable from outside."
  type        = string
  default     = "https://hooks.aurora.example/billing"
  nullable    = false

  validation {
    condition     = startswith(var.receiver_url, "https://")
    error_message = "Webhooks are sent over https:// only."
  }
}

variable "events" {
  description = "The events that the consumer receives. An empty set means all events, including future ones."
  type        = set(string)
  default     = ["charge.paid"]
  nullable    = false
}

variable "scopes" {
  description = "The scopes of the consumer's key, as few as possible: an empty set allows everything except managing keys."
  type        = set(string)
  default     = ["charges:read", "webhook_deliveries:read"]
  nullable    = false

  validation {
    condition     = length(var.scopes) > 0
    error_message = "Set at least one scope. A key without scopes can do nearly everything."
  }
}

variable "rotate_after_days" {
  description = "Age in days at which an apply rotates key and secret."
  type        = number
  default     = 90
  nullable    = false
}

variable "grace_period_days" {
  description = "Days that the old key works after a rotation. The old secret is invalid immediately."
  type        = number
  default     = 3
  nullable    = false

  validation {
    condition     = var.grace_period_days >= 0 && var.grace_period_days < var.rotate_after_days
    error_message = "The grace period must end before the next rotation, so that old keys do not accumulate."
  }
}

variable "rotation" {
  description = "Trigger: changing this text, for example to \"2026-11-incident\", rotates both."
  type        = string
  default     = "none"
  nullable    = false
}

variable "end_grace" {
  description = "If true, this apply ends the grace periods of old keys, for example after a leak. Remove it afterwards."
  type        = bool
  default     = false
  nullable    = false
}

variable "received" {
  description = <<-EOT
    Deliveries to verify, as recorded by the consumer: the header X-Webhook-Signature, the exact body, and the time of
    arrival in seconds since 1970.
  EOT
  type = list(object({
    signature = string
    body      = string
    at        = number
  }))
  default  = []
  nullable = false
}

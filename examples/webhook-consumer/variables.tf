variable "consumer" {
  description = "Name of the system that takes the webhooks. Another name is another key: the old one ends without a grace."
  type        = string
  default     = "erp"
  nullable    = false

  validation {
    condition     = can(regex("^[a-z][a-z0-9-]*$", var.consumer))
    error_message = "The name must be lower-case letters, digits and dashes, and begin with a letter."
  }
}

variable "receiver_url" {
  description = "Where the consumer takes webhooks. It must be reachable from outside."
  type        = string
  default     = "https://hooks.aurora.example/billing"
  nullable    = false

  validation {
    condition     = startswith(var.receiver_url, "https://")
    error_message = "Webhooks are sent over https:// only."
  }
}

variable "events" {
  description = "The events that the consumer wants. A set that is empty means all, those of the future too."
  type        = set(string)
  default     = ["charge.paid"]
  nullable    = false
}

variable "scopes" {
  description = "What the consumer's key may do. As little as it needs: an empty set means everything but administration."
  type        = set(string)
  default     = ["charges:read", "webhook_deliveries:read"]
  nullable    = false

  validation {
    condition     = length(var.scopes) > 0
    error_message = "Say what the key may do. Without scopes it may do nearly everything."
  }
}

variable "rotate_after_days" {
  description = "Key and secret are rotated at the first apply after so many days."
  type        = number
  default     = 90
  nullable    = false
}

variable "grace_period_days" {
  description = "How many days the old key works after a rotation. The old secret never does."
  type        = number
  default     = 3
  nullable    = false

  validation {
    condition     = var.grace_period_days >= 0 && var.grace_period_days < var.rotate_after_days
    error_message = "The grace has to be over before the next rotation, or old keys pile up."
  }
}

variable "rotation" {
  description = "Any other text than last time rotates both at this apply, such as \"2026-11-incident\"."
  type        = string
  default     = "none"
  nullable    = false
}

variable "end_grace" {
  description = "true ends the grace of old keys at this apply, as after a leak. Take it back afterwards."
  type        = bool
  default     = false
  nullable    = false
}

variable "received" {
  description = <<-EOT
    Deliveries that the consumer has noted, to be verified here: the header X-Webhook-Signature, the body byte for byte,
    and when it came, in seconds since 1970.
  EOT
  type = list(object({
    signature = string
    body      = string
    at        = number
  }))
  default  = []
  nullable = false
}

# The second step, once everything is imported: what this configuration owns, and what it protects. Both begin empty, so
# that the plan of the import shows imports and nothing else.

variable "owned_metadata" {
  description = "The keys of custom_metadata that this configuration owns, on every object. Those of others stay. null owns none."
  type        = map(string)
  default     = null
}

variable "protect" {
  description = "true makes it an error to destroy anything of the base."
  type        = bool
  default     = false
  nullable    = false
}

variable "let_go" {
  description = "The external_ids of objects that this configuration is to forget. Apply that; then take them out of the base."
  type        = set(string)
  default     = []
  nullable    = false
}

locals {
  # It takes effect once it is applied, and then also when the block is gone. "abandon" takes an object out of the state
  # and leaves it at the service.
  deletion_policy = {
    for code in concat(keys(var.customers), keys(var.accounts), keys(var.subscriptions)) :
    code => contains(var.let_go, code) ? "abandon" : var.protect ? "prevent" : null
  }
}

# The second step, after the import: the keys that this configuration owns, and the objects that it protects. Both are
# empty at first, so that the first plan contains only imports.

variable "owned_metadata" {
  description = "The keys of custom_metadata that this configuration owns, on every object. Keys of other systems stay. null owns none."
  type        = map(string)
  default     = null
}

variable "protect" {
  description = "If true, destroying any of these objects is an error."
  type        = bool
  default     = false
  nullable    = false
}

variable "let_go" {
  description = "The external_ids of objects to remove from state only. Apply this, then remove them from the configuration."
  type        = set(string)
  default     = []
  nullable    = false
}

locals {
  # The value in state applies, even after the block is removed. "abandon" removes an object from state only; it stays at
  # the service.
  deletion_policy = {
    for code in concat(keys(var.customers), keys(var.accounts), keys(var.subscriptions)) :
    code => contains(var.let_go, code) ? "abandon" : var.protect ? "prevent" : null
  }
}

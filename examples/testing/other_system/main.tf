# Changes an object like another system, with the service's update operation.
variable "type" {
  description = "customer, account, subscription or endpoint."
  type        = string
  nullable    = false
}

variable "object" {
  description = "Id of the object, or external_id=CODE, or url=URL of an endpoint."
  type        = string
  nullable    = false
}

variable "fields" {
  description = "New values. A dot selects a nested field: \"custom_metadata.crm.score\" = 7."
  type        = any
  nullable    = false

  validation {
    condition     = length(var.fields) > 0
    error_message = "Set at least one field."
  }
}

variable "name" {
  description = "Name of the other system in the list of requests."
  type        = string
  default     = "another-system"
}

resource "terraform_data" "this" {
  triggers_replace = timestamp() # every run changes the object, even twice in the same way

  provisioner "local-exec" {
    # The command is the interpreter's last argument, without a shell.
    interpreter = concat(["billing-sandbox", "edit", "--as", var.name, var.type, var.object],
    slice(local.fields, 0, length(local.fields) - 1))
    command = local.fields[length(local.fields) - 1]
  }
}

locals {
  fields = [for name, value in var.fields : "${name}:=${jsonencode(value)}"]
}

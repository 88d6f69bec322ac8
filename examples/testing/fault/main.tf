# Makes requests of the next runs fail. Faults accumulate; a run without `add` ends all of them.
variable "add" {
  description = "KEY=VALUE,… as in billing-sandbox fault --help, such as operation=customers.create,drop=after,times=1."
  type        = string
  default     = null
}

resource "terraform_data" "this" {
  triggers_replace = timestamp() # every run adds its fault, even the same one twice

  provisioner "local-exec" {
    # The command is the interpreter's last argument, without a shell.
    interpreter = var.add == null ? ["billing-sandbox", "fault"] : ["billing-sandbox", "fault", "add"]
    command     = coalesce(var.add, "clear")
  }
}

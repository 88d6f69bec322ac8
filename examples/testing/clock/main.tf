# Moves the sandbox's clock. When the run ends, everything due has been processed.
variable "advance" {
  description = "Duration, such as 46d, 24h or 90m."
  type        = string
  nullable    = false
}

resource "terraform_data" "this" {
  triggers_replace = timestamp() # every run moves the clock, even twice by the same duration

  provisioner "local-exec" {
    # The command is the interpreter's last argument, without a shell.
    interpreter = ["billing-sandbox", "clock", "advance"]
    command     = var.advance
  }
}

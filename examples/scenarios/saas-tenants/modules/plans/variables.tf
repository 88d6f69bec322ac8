variable "names" {
  description = "The names of the plans to find, exactly as the service has them."
  type        = set(string)
  nullable    = false
}

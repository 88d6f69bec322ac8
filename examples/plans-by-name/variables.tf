variable "plan" {
  description = "The name of the plan to subscribe to."
  type        = string
  default     = "Basic"
  nullable    = false
}

variable "document_number" {
  type    = string
  default = "11.222.333/0001-81"
}

# A company has a CNPJ, a person a CPF.
output "kind" {
  value = provider::billing::document_type(var.document_number) == "cnpj" ? "juridical" : "natural"
}

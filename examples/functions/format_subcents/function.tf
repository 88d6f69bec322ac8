output "unit_price" {
  value = provider::billing::format_subcents(105012)
}

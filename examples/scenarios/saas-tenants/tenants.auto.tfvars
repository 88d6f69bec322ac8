tenants = {
  horizonte = {
    name            = "Comércio de Livros Horizonte Ltda."
    document_number = "45.997.418/0001-53"
    email           = "financeiro@horizonte.example"
    plan            = "team"
    seats           = 10
    labels          = { segment = "retail" }
  }

  aurora = {
    name               = "Padaria Aurora Ltda."
    document_number    = "11.222.333/0001-81"
    email              = "financeiro@aurora.example"
    billing_email      = "contas@aurora.example"
    plan               = "basic"
    seats              = 3
    seat_price         = "44.90" # agreed with them, instead of the price in the catalogue
    payment_terms_days = 21
    labels             = { segment = "food", region = "SP" }
  }
}

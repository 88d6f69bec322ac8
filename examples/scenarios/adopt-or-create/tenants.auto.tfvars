tenants = {
  # Everything exists.
  aurora = {
    name               = "Padaria Aurora"
    document_number    = "11.222.333/0001-81"
    payment_terms_days = 21
    plan_id            = "5b0f7d52-8f0a-4a35-9d7e-6f6f1f0c2a02"
  }

  # Customer and account exist.
  horizonte = {
    name               = "Livraria Horizonte"
    email              = "financeiro@horizonte.example"
    payment_terms_days = 15
    plan_id            = "5b0f7d52-8f0a-4a35-9d7e-6f6f1f0c2a01"
  }

  # Nothing exists.
  helena = {
    name    = "Helena Martins"
    email   = "helena@martins.example"
    plan_id = "5b0f7d52-8f0a-4a35-9d7e-6f6f1f0c2a01"
  }
}

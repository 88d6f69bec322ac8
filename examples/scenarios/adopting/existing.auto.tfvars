# The existing objects, with the values at the service. Each key is the external_id of the object.

customers = {
  crm-1001 = {
    name            = "Padaria Aurora"
    legal_name      = "Padaria Aurora Comércio de Alimentos Ltda."
    kind            = "juridical"
    document_number = "11.222.333/0001-81" # the mask makes no difference
    emails          = [{ value = "financeiro@aurora.example" }]
    notes           = "Entregas até as 7h."
    tags            = ["alimentos", "rede-aurora"]
  }

  crm-1002 = {
    name            = "Livraria Horizonte"
    kind            = "juridical"
    document_number = "45.997.418/0001-53"
    emails          = [{ value = "financeiro@horizonte.example" }]
  }

  crm-1003 = {
    name            = "Helena Martins"
    kind            = "natural"
    document_number = "529.982.247-25"
    emails          = [{ value = "helena@martins.example" }]
  }
}

accounts = {
  crm-1001-geral = {
    customer           = "crm-1001"
    billing_email      = "contas@aurora.example"
    payment_terms_days = 21
  }

  crm-1002-geral = {
    customer           = "crm-1002"
    billing_email      = "financeiro@horizonte.example"
    payment_terms_days = 15
  }
}

subscriptions = {
  crm-1001-plano = {
    account           = "crm-1001-geral"
    plan_id           = "5b0f7d52-8f0a-4a35-9d7e-6f6f1f0c2a02"
    collection_method = "charge_automatically"
  }

  crm-1002-plano = {
    account           = "crm-1002-geral"
    plan_id           = "5b0f7d52-8f0a-4a35-9d7e-6f6f1f0c2a01"
    collection_method = "manual_invoice"
    notes             = "Contrato 2026-017."
  }
}

# Known, but managed elsewhere.
left_alone = ["qa-automation"]

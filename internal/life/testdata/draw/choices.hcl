# Values of every argument, from which random lives draw. An optional argument may also be omitted. $name is the name of
# the block, which keeps unique values of two blocks apart, "@60h" a time after the start of the life, and $canary a
# write-only value, which must not be anywhere. Values that may be sensitive match private in check.go.

# Those of several types.
shared {
  custom_metadata = [
    {}, { a = "q7 1" }, { a = "q7 2", b = { c = 1, d = "q7 x" } }, { b = { c = 2, e = [1, "q7 y"] } }, { a = null, t = true }
  ]
  age_recipients = [ # public keys; their private keys are not stored anywhere
    [], ["age12mzc730zx6akp7uuergsjeeq8pv8rydr7m7kpxnkawzrm4g8nfls709e0m"], [
      "age12mzc730zx6akp7uuergsjeeq8pv8rydr7m7kpxnkawzrm4g8nfls709e0m",
      "age13657j4sxz5l4hgtx4s93pk8mlqtvgj3gfsh3t5f77r54u2m5x4dqnda6hl",
    ]
  ]
}

billing_customer {
  name            = ["Ana", "Bia"]
  external_id     = ["$name-1", "$name-2"]
  nickname        = ["q7 n1", "q7 n2"]
  legal_name      = ["q7 l1", "q7 l2"]
  notes           = ["q7 first", "q7 second"]
  kind            = ["natural", "juridical"]
  birthday        = ["1990-01-02", "1991-03-04"]
  document_number = ["123.456.789-09", "12345678909", "11.222.333/0001-81"]
  email           = ["q7.a@example.com", "q7.b@example.com"]
  phone           = ["+55 11 700771", "+55 11 700772"]
  emails = [
    [], [{ value = "q7.a@example.com" }], [{ value = "q7.b@example.com" }, { value = "q7.c@example.com" }]
  ]
  phones   = [[], [{ value = "+55 11 700771" }], [{ value = "+55 11 700773" }]]
  websites = [[], [{ value = "https://q7.example.com" }]]
  addresses = [
    [],
    [{ street = "q7 Rua A", city = "q7 S", number = "q7 10" }],
    [{ street = "q7 Rua B", complement = "q7 x", neighborhood = "q7 y" }, { postal_code = "q7 10", country = "BR" }],
  ]
  tags                   = [[], ["q7 x"], ["q7 x", "q7 y"]]
  custom_metadata        = shared.custom_metadata
  custom_metadata_mode   = ["merge", "replace"]
  create_billing_account = [true, false]
  billing_email          = ["q7.bill@example.com"]
  payment_terms_days     = [5]
  auto_collection        = [true, false]
  deletion_policy        = ["delete", "abandon", "prevent"]
}

billing_account {
  external_id          = ["$name-1", "$name-2"]
  billing_email        = ["q7.bill@example.com", "q7.bill2@example.com"]
  payment_terms_days   = [5, 30]
  auto_collection      = [true, false]
  status               = ["active", "suspended"]
  status_reason        = ["q7 why"]
  custom_metadata      = shared.custom_metadata
  custom_metadata_mode = ["merge", "replace"]
  deletion_policy      = ["close", "delete", "abandon", "prevent"]
}

billing_subscription {
  external_id = ["$name-1", "$name-2"]
  plan_id     = ["0b1e5bd6-0d2d-4a59-9d1a-7c8a5d4f2a01", "1c2f6ce7-1e3e-4b6a-8e2b-8d9b6e5f3b02"]
  items = [
    [],
    [{ product_id = "0b1e5bd6-0d2d-4a59-9d1a-7c8a5d4f2a01", price_id = "2d307df8-2f4f-4c7b-9f3c-9eac7f604c03" }],
    [
      { product_id = "0b1e5bd6-0d2d-4a59-9d1a-7c8a5d4f2a01", price_id = "2d307df8-2f4f-4c7b-9f3c-9eac7f604c03", quantity = 2 },
      { product_id = "1c2f6ce7-1e3e-4b6a-8e2b-8d9b6e5f3b02", price_id = "3e418e09-3050-4d8c-a04d-afbd80715d04" },
    ],
    [{ product_id = "1c2f6ce7-1e3e-4b6a-8e2b-8d9b6e5f3b02", price_id = "3e418e09-3050-4d8c-a04d-afbd80715d04", quantity = 5 }],
  ]
  company_id           = ["2d307df8-2f4f-4c7b-9f3c-9eac7f604c03", "3e418e09-3050-4d8c-a04d-afbd80715d04"]
  product_group_id     = ["2d307df8-2f4f-4c7b-9f3c-9eac7f604c03", "3e418e09-3050-4d8c-a04d-afbd80715d04"]
  discount_code_id     = ["2d307df8-2f4f-4c7b-9f3c-9eac7f604c03", "3e418e09-3050-4d8c-a04d-afbd80715d04"]
  discount_percent     = ["10", "12.50"]
  billing_cycle        = ["monthly", "annual"]
  collection_method    = ["charge_automatically", "manual_charge"]
  nfe_issuance_policy  = ["disabled", "on_finalization"]
  proration_behavior   = ["create_prorations", "none"]
  trial_end            = ["@960h"]
  trial_period_days    = [14]
  allow_pause          = [true]
  allow_cancel         = [true]
  notes                = ["q7 first", "q7 second"]
  cancel_at_period_end = [true, false]
  pause                = [{}, { behavior = "void" }, { resumes_at = "@60h" }, { resumes_at = "@2000h" }]
  plan_change          = [{ timing = "immediate" }, { timing = "end_of_period", reason = "q7 why" }]
  cancellation_reason  = ["q7 why", "q7 other"]
  custom_metadata      = shared.custom_metadata
  custom_metadata_mode = ["merge", "replace"]
  deletion_policy      = ["cancel", "cancel_at_period_end", "abandon", "prevent"]
  on_external_cancel   = ["keep", "recreate"]
}

billing_webhook_endpoint {
  url         = ["https://example.com/$name", "https://example.com/$name/2"]
  description = ["q7 first", "q7 second"]
  events      = [[], ["charge.paid"], ["charge.paid", "charge.created"]]
  active      = [true, false]
  authentication = [
    { type = "none" },
    { type = "basic", username = "q7 u", password_wo = "$canary" },
    { type = "header", name = "X-A", value_wo = "$canary" },
    { type = "header", name = "X-B", value_wo = "$canary", credentials_wo_version = 2 },
    { type = "bearer", token_wo = "$canary-2", credentials_wo_version = 3 },
  ]
  rotate_secret_when_changed = [{}, { at = "q7 1" }, { at = "q7 2" }]
  age_recipients             = shared.age_recipients
  deletion_policy            = ["delete", "abandon", "prevent"]
}

billing_api_key {
  name                 = ["$name-1", "$name-2"]
  description          = ["q7 first", "q7 second"]
  scopes               = [[], ["charges:*"], ["charges:read", "charges:write"]]
  expires_at           = ["@40h", "@1000h"]
  expires_after_days   = [5, 90]
  grace_period_days    = [0, 3]
  rotate_when_changed  = [{}, { at = "q7 1" }, { at = "q7 2" }]
  rotate_after_days    = [1, 30]
  revoke_previous_keys = [true, false]
  age_recipients       = shared.age_recipients
  deletion_policy      = ["revoke", "abandon", "prevent"]
}

billing_finance_record {
  collection = ["payables", "receivables"]
  body = [
    { name = "$name" },
    { name = "$name", amount = "10.00", note = "q7 a" },
    { name = "$name", amount = "12.00", note = "q7 b" },
    { name = "$name", deep = { a = "q7 1", b = ["q7 x", 1] } },
    { name = "$name", deep = { a = "q7 1", b = ["q7 y", 1] } },
    { name = "$name", amount = "10.00", deep = { a = "q7 2" } },
    { name = "$name", deep = { a = "q7 3" } },
    { name = "$name", deep = { a = "q7 4" } },
  ]
  ignore_remote_changes = [true, false]
  idempotency_key       = ["6f1c0a52-6d1c-4f0e-9d0a-1b2c3d4e5f60"]
  deletion_policy       = ["delete", "abandon", "prevent"]
}

# Texts above and what replaces them: the tax numbers of a second customer, and wordings that a service changes.
texts {
  second = [
    "123.456.789-09", "529.982.247-25",
    "12345678909", "52998224725",
    "11.222.333/0001-81", "45.997.418/0001-53",
  ]
  worded = [
    "Ana", " Ana  & \"Co\" \nCafé ",
    "Bia", "Bia <b> ",
    "q7 first", "q7 First <1>\n",
    "q7 second", "q7 Second  & é",
    "q7 n1", "q7 N 1 ",
    "q7 l1", "q7 L & 1",
    "q7 x", "q7 X ",
    "q7 y", "q7 Y & Z ",
    "q7 why", "q7 Why & ",
    "q7 Rua A", "q7 Rua  A ",
    "q7 10", "q7 10 ",
    "q7 S", "q7 São  S",
    "q7.a@example.com", "Q7.A.B@Example.com",
    "q7.bill@example.com", "Q7.Bill@Example.com",
    "+55 11 700771", "+55 (11) 70077-5678",
    "https://q7.example.com", "https://Q7.Example.com",
  ]
}

# Values for the attributes that the service computes, for terraform test without a service. For other attributes,
# Terraform generates random strings, 0, false and empty collections. Copy this folder, and use it as the source.
mock_resource "billing_customer" {
  defaults = {
    id                        = "0b8f6c1e-4f0a-4d53-9f0c-1e8a35b7c001"
    public_id                 = "0b8f6c1e-4f0a-4d53-9f0c-1e8a35b7c002"
    billing_account_id        = "0b8f6c1e-4f0a-4d53-9f0c-1e8a35b7c003"
    document_type             = "cnpj"
    custom_metadata           = {}
    effective_custom_metadata = "{}"
    metadata                  = "{}"
    created_at                = "2026-01-31T12:00:00Z"
    updated_at                = "2026-01-31T12:00:00Z"
  }
}

mock_resource "billing_account" {
  defaults = {
    id                        = "0b8f6c1e-4f0a-4d53-9f0c-1e8a35b7c003"
    public_id                 = "0b8f6c1e-4f0a-4d53-9f0c-1e8a35b7c004"
    status                    = "active"
    currency                  = "BRL"
    balance_cents             = 0
    custom_metadata           = {}
    effective_custom_metadata = "{}"
    metadata                  = "{}"
    created_at                = "2026-01-31T12:00:00Z"
    updated_at                = "2026-01-31T12:00:00Z"
  }
}

mock_resource "billing_subscription" {
  defaults = {
    id                        = "0b8f6c1e-4f0a-4d53-9f0c-1e8a35b7c005"
    public_id                 = "0b8f6c1e-4f0a-4d53-9f0c-1e8a35b7c006"
    status                    = "active"
    recurring_amount_cents    = 9900
    current_period_start      = "2026-01-31T12:00:00Z"
    current_period_end        = "2026-02-28T12:00:00Z"
    cycle_billing_date        = "2026-02-28T12:00:00Z"
    custom_metadata           = {}
    effective_custom_metadata = "{}"
    metadata                  = "{}"
    renewal_settings          = "{\"type\":\"auto_renew\"}"
    created_at                = "2026-01-31T12:00:00Z"
    updated_at                = "2026-01-31T12:00:00Z"
  }
}

mock_resource "billing_webhook_endpoint" {
  defaults = {
    id         = "0b8f6c1e-4f0a-4d53-9f0c-1e8a35b7c007"
    secret     = "whsec_of_a_mock_and_of_no_service"
    created_at = "2026-01-31T12:00:00Z"
    updated_at = "2026-01-31T12:00:00Z"
  }
}

mock_resource "billing_api_key" {
  defaults = {
    id         = "0b8f6c1e-4f0a-4d53-9f0c-1e8a35b7c008"
    token      = "ck_mock_00000000_ofNoService"
    key_prefix = "ck_mock_00000000"
    source     = "api"
    created_at = "2026-01-31T12:00:00Z"
  }
}

mock_resource "billing_finance_record" {
  defaults = {
    id              = "0b8f6c1e-4f0a-4d53-9f0c-1e8a35b7c009"
    idempotency_key = "0b8f6c1e-4f0a-4d53-9f0c-1e8a35b7c00a"
    response        = "{}"
  }
}

mock_data "billing_organization" {
  defaults = {
    id              = "0b8f6c1e-4f0a-4d53-9f0c-1e8a35b7c00b"
    name            = "Mock organization"
    environment     = "sandbox"
    document_number = "11222333000181"
    document_type   = "cnpj"
  }
}

mock_data "billing_invoices" {
  defaults = { invoices = [] }
}

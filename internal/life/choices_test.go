package life

import (
	"cmp"
	"strings"
)

// choices lists values of every argument, by type. nil, which is always possible, omits the argument. "$name" in a text
// is the name of the block, which keeps unique values of two blocks apart. Values that may be sensitive match private.
var choices = map[string]map[string][]any{
	"billing_customer": {
		"name":            {"Ana", "Bia"},
		"external_id":     {"$name-1", "$name-2"},
		"nickname":        {"q7 n1", "q7 n2"},
		"legal_name":      {"q7 l1", "q7 l2"},
		"notes":           {"q7 first", "q7 second"},
		"kind":            {"natural", "juridical"},
		"birthday":        {"1990-01-02", "1991-03-04"},
		"document_number": {"123.456.789-09", "12345678909", "11.222.333/0001-81"},
		"email":           {"q7.a@example.com", "q7.b@example.com"},
		"phone":           {"+55 11 700771", "+55 11 700772"},
		"emails":          {[]any{}, contacts("q7.a@example.com"), contacts("q7.b@example.com", "q7.c@example.com")},
		"phones":          {[]any{}, contacts("+55 11 700771"), contacts("+55 11 700773")},
		"websites":        {[]any{}, contacts("https://q7.example.com")},
		"addresses": {[]any{}, []any{object{"street": "q7 Rua A", "city": "q7 S", "number": "q7 10"}},
			[]any{object{"street": "q7 Rua B", "complement": "q7 x", "neighborhood": "q7 y"},
				object{"postal_code": "q7 10", "country": "BR"}}},
		"tags":            {[]any{}, []any{"q7 x"}, []any{"q7 x", "q7 y"}},
		"custom_metadata": freeForm, "custom_metadata_mode": modes,
		"create_billing_account": {true, false},
		"billing_email":          {"q7.bill@example.com"},
		"payment_terms_days":     {5},
		"auto_collection":        {true, false},
		"deletion_policy":        {"delete", "abandon", "prevent"},
	},
	"billing_account": {
		"external_id":        {"$name-1", "$name-2"},
		"billing_email":      {"q7.bill@example.com", "q7.bill2@example.com"},
		"payment_terms_days": {5, 30},
		"auto_collection":    {true, false},
		"status":             {"active", "suspended"},
		"status_reason":      {"q7 why"},
		"custom_metadata":    freeForm, "custom_metadata_mode": modes,
		"deletion_policy": {"close", "delete", "abandon", "prevent"},
	},
	"billing_subscription": {
		"external_id":         {"$name-1", "$name-2"},
		"plan_id":             {uuids[0], uuids[1]},
		"items":               {[]any{}, []any{item(0, nil)}, []any{item(0, 2), item(1, nil)}, []any{item(1, 5)}},
		"company_id":          {uuids[2], uuids[3]},
		"product_group_id":    {uuids[2], uuids[3]},
		"discount_code_id":    {uuids[2], uuids[3]},
		"discount_percent":    {"10", "12.50"},
		"billing_cycle":       {"monthly", "annual"},
		"collection_method":   {"charge_automatically", "manual_charge"},
		"nfe_issuance_policy": {"disabled", "on_finalization"},
		"proration_behavior":  {"create_prorations", "none"},
		"trial_end":           {"@960h"},
		"trial_period_days":   {14},
		"allow_pause":         {true}, "allow_cancel": {true},
		"notes":                {"q7 first", "q7 second"},
		"cancel_at_period_end": {true, false},
		"pause": {object{}, object{"behavior": "void"}, object{"resumes_at": "@60h"},
			object{"resumes_at": "@2000h"}},
		"plan_change":         {object{"timing": "immediate"}, object{"timing": "end_of_period", "reason": "q7 why"}},
		"cancellation_reason": {"q7 why", "q7 other"},
		"custom_metadata":     freeForm, "custom_metadata_mode": modes,
		"deletion_policy":    {"cancel", "cancel_at_period_end", "abandon", "prevent"},
		"on_external_cancel": {"keep", "recreate"},
	},
	"billing_webhook_endpoint": {
		"url":         {"https://example.com/$name", "https://example.com/$name/2"},
		"description": {"q7 first", "q7 second"},
		"events":      {[]any{}, []any{"charge.paid"}, []any{"charge.paid", "charge.created"}},
		"active":      {true, false},
		"authentication": {object{"type": "none"}, object{"type": "basic", "username": "q7 u", "password_wo": canary},
			object{"type": "header", "name": "X-A", "value_wo": canary},
			object{"type": "header", "name": "X-B", "value_wo": canary,
				"credentials_wo_version": 2}, object{"type": "bearer", "token_wo": canary + "-2", "credentials_wo_version": 3}},
		"rotate_secret_when_changed": {object{}, object{"at": "q7 1"}, object{"at": "q7 2"}},
		"age_recipients":             recipients,
		"deletion_policy":            {"delete", "abandon", "prevent"},
	},
	"billing_api_key": {
		"name":                 {"$name-1", "$name-2"},
		"description":          {"q7 first", "q7 second"},
		"scopes":               {[]any{}, []any{"charges:*"}, []any{"charges:read", "charges:write"}},
		"expires_at":           {"@40h", "@1000h"},
		"expires_after_days":   {5, 90},
		"grace_period_days":    {0, 3},
		"rotate_when_changed":  {object{}, object{"at": "q7 1"}, object{"at": "q7 2"}},
		"rotate_after_days":    {1, 30},
		"revoke_previous_keys": {true, false},
		"age_recipients":       recipients,
		"deletion_policy":      {"revoke", "abandon", "prevent"},
	},
	"billing_finance_record": {
		"collection": {"payables", "receivables"},
		"body": {object{"name": "$name"}, object{"name": "$name", "amount": "10.00", "note": "q7 a"},
			object{"name": "$name", "amount": "12.00", "note": "q7 b"},
			object{"name": "$name", "deep": object{"a": "q7 1", "b": []any{"q7 x", 1}}},
			object{"name": "$name", "amount": "10.00", "deep": object{"a": "q7 2"}},
			object{"name": "$name", "deep": object{"a": "q7 3"}}, object{"name": "$name", "deep": object{"a": "q7 4"}}},
		"ignore_remote_changes": {true, false},
		"idempotency_key":       {"6f1c0a52-6d1c-4f0e-9d0a-1b2c3d4e5f60"},
		"deletion_policy":       {"delete", "abandon", "prevent"},
	},
}

var required = map[string][]string{
	"billing_customer": {"name"}, "billing_webhook_endpoint": {"url"}, "billing_api_key": {"name"},
	"billing_finance_record": {"collection", "body"},
}

var (
	freeForm = []any{object{}, object{"a": "q7 1"}, object{"a": "q7 2", "b": object{"c": 1, "d": "q7 x"}},
		object{"b": object{"c": 2, "e": []any{1, "q7 y"}}}, object{"a": nil, "t": true}}
	// recipients are public keys. Their private keys are not stored anywhere.
	recipients = []any{[]any{}, []any{publicKeys[0]}, []any{publicKeys[0], publicKeys[1]}}
	publicKeys = []string{"age12mzc730zx6akp7uuergsjeeq8pv8rydr7m7kpxnkawzrm4g8nfls709e0m",
		"age13657j4sxz5l4hgtx4s93pk8mlqtvgj3gfsh3t5f77r54u2m5x4dqnda6hl"}
	modes = []any{"merge", "replace"}
	uuids = []string{"0b1e5bd6-0d2d-4a59-9d1a-7c8a5d4f2a01", "1c2f6ce7-1e3e-4b6a-8e2b-8d9b6e5f3b02",
		"2d307df8-2f4f-4c7b-9f3c-9eac7f604c03", "3e418e09-3050-4d8c-a04d-afbd80715d04"}
)

// ignorable lists paths below an argument for ignore_changes.
var ignorable = map[string][]string{
	"custom_metadata": {"custom_metadata.a", "custom_metadata.b", "custom_metadata.b.c"},
	"body":            {"body.amount", "body.note", "body.deep.a"},
	"authentication":  {"authentication.name"},
}

func contacts(values ...string) []any {
	var all []any
	for _, v := range values {
		all = append(all, object{"value": v})
	}
	return all
}

func item(n int, quantity any) object {
	one := object{"product_id": uuids[n], "price_id": uuids[n+2]}
	if quantity != nil {
		one["quantity"] = quantity
	}
	return one
}

// documents maps the tax numbers of the first customer to those of the second.
var documents = map[string]string{"123.456.789-09": "529.982.247-25", "12345678909": "52998224725",
	"11.222.333/0001-81": "45.997.418/0001-53"}

// wordings are texts that a service may store otherwise, for those in choices.
var wordings = map[string]string{
	"Ana": " Ana  & \"Co\" \nCafé ", "Bia": "Bia <b> ", "q7 first": "q7 First <1>\n", "q7 second": "q7 Second  & é",
	"q7 n1": "q7 N 1 ", "q7 l1": "q7 L & 1", "q7 x": "q7 X ", "q7 y": "q7 Y & Z ", "q7 why": "q7 Why & ",
	"q7 Rua A": "q7 Rua  A ", "q7 10": "q7 10 ", "q7 S": "q7 São  S", "q7.a@example.com": "Q7.A.B@Example.com",
	"q7.bill@example.com": "Q7.Bill@Example.com", "+55 11 700771": "+55 (11) 70077-5678",
	"https://q7.example.com": "https://Q7.Example.com",
}

// wordy returns a value with such texts.
func wordy(v any) any {
	return withTexts(v, func(text string) string { return cmp.Or(wordings[text], text) })
}

// named inserts the name of a block into a value.
func named(v any, address string) any {
	_, name, _ := strings.Cut(address, ".")
	if forEach(address) {
		name = "${each.key}"
	}
	switch v := v.(type) {
	case string:
		if other, two := documents[v]; two && name == "d" {
			return other
		}
		return strings.ReplaceAll(v, "$name", name)
	case object:
		all := object{}
		for key, inner := range v {
			all[key] = named(inner, address)
		}
		return all
	default:
		return v
	}
}

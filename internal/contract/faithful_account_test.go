package contract_test

import (
	"encoding/json"
	"maps"
	"math/big"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"
)

// rules say of each field that may be sent whether a value will do.
type rules map[string]func(any) bool

// broken names the fields that will not do, with the reason.
func (r rules) broken(sent object) object {
	wrong := object{}
	for field, value := range sent {
		if check, ok := r[field]; !ok || !check(value) {
			wrong[field] = "is not valid here"
		}
	}
	return wrong
}

func isObject(value any) bool { _, ok := value.(object); return ok }

func orNull(check func(any) bool) func(any) bool {
	return func(value any) bool { return value == nil || check(value) }
}

func oneOf(texts ...string) func(any) bool {
	return func(value any) bool { text, ok := value.(string); return ok && slices.Contains(texts, text) }
}

// within takes numbers from least to most; whole ones only when told.
func within(least, most int64, whole bool) func(any) bool {
	return func(value any) bool {
		number, _ := value.(json.Number)
		n, ok := new(big.Rat).SetString(number.String())
		return ok && n.Cmp(new(big.Rat).SetInt64(least)) >= 0 && n.Cmp(new(big.Rat).SetInt64(most)) <= 0 && (n.IsInt() || !whole)
	}
}

func with(all ...rules) rules {
	sum := rules{}
	for _, one := range all {
		maps.Copy(sum, one)
	}
	return sum
}

var (
	isMode       = oneOf("merge", "replace")
	accountRules = rules{
		"external_id": isText, "billing_email": isText, "payment_terms_days": within(1, 90, true),
		"auto_collection": isBool, "custom_metadata": isObject,
	}
	accountCreateRules = with(accountRules, rules{"customer": isObject})
	accountUpdateRules = with(accountRules, rules{
		"external_id": orNull(isText), "email": isText, "phone": isText, "address": isObject, "custom_metadata_mode": isMode,
		"name": func(value any) bool {
			name, ok := value.(string)
			return ok && name != "" && utf8.RuneCountInString(name) <= 255
		},
	})
)

func (f *faithful) account(method, id, step string, sent object) reply {
	account, i := find(f.accounts, id)
	switch {
	case method == http.MethodPost && id == "":
		return f.createAccount(sent)
	case account == nil:
		return notFound
	case method == http.MethodDelete:
		f.accounts = slices.Delete(f.accounts, i, i+1)
		return ok(object{"deleted": true})
	case method == http.MethodPatch:
		return f.updateAccount(account, sent)
	}
	return f.moveAccount(account, step, sent)
}

func (f *faithful) createAccount(sent object) reply {
	wrong := accountCreateRules.broken(sent)
	if _, ok := sent["customer"]; !ok {
		wrong["customer"] = "is required"
	}
	if len(wrong) > 0 {
		return invalid(wrong)
	}
	if answer, is := taken(f.accounts, sent, ""); is {
		return answer
	}
	customer, wrong := f.payer(sent["customer"].(object))
	if len(wrong) > 0 {
		return invalid(wrong)
	}
	account := f.open(customer, sent)
	if _, ok := sent["billing_email"]; !ok {
		account["billing_email"] = at(customer, "emails.0.value")
	}
	for _, field := range []string{"external_id", "custom_metadata"} {
		if value, ok := sent[field]; ok {
			account[field] = value
		}
	}
	return reply{status: http.StatusCreated, body: object{"data": account}}
}

// payer finds the customer that is referred to, or makes a new one.
func (f *faithful) payer(sent object) (customer, wrong object) {
	for _, customer := range f.customers {
		code := customer["external_id"]
		number := plainDocument(customer["document_number"])
		switch {
		case sent["id"] != nil && (sent["id"] == customer["id"] || sent["id"] == code),
			sent["external_id"] != nil && sent["external_id"] == code,
			number != "" && number == plainDocument(sent["document_number"]):
			return customer, nil
		}
	}
	if sent["id"] != nil {
		return nil, object{"customer.id": "nobody has it"}
	}
	fields := maps.Clone(sent)
	if kind, ok := sent["kind"]; ok {
		fields["kind"] = map[any]string{"individual": "natural", "company": "juridical"}[kind]
	}
	if wrong := validate(fields, true); len(wrong) > 0 {
		return nil, wrong
	}
	return f.newCustomer(fields), nil
}

func plainDocument(number any) string {
	text, _ := number.(string)
	return strings.Map(func(r rune) rune {
		if r < '0' || r > 'Z' || r > '9' && r < 'A' {
			return -1
		}
		return r
	}, strings.ToUpper(text))
}

func (f *faithful) updateAccount(account, sent object) reply {
	if account["status"] == "closed" {
		return refused
	}
	if wrong := accountUpdateRules.broken(sent); len(wrong) > 0 {
		return invalid(wrong)
	}
	if answer, is := taken(f.accounts, sent, account["id"].(string)); is {
		return answer
	}
	customer, _ := find(f.customers, at(account, "customer.id"))
	of := object{}
	for field, value := range sent {
		switch field {
		case "name", "email", "phone":
			of[field] = value
		case "address":
			of["addresses"] = append([]any{value}, customer["addresses"].([]any)...)
		case "external_id", "billing_email", "payment_terms_days", "auto_collection":
			account[field] = value
		}
	}
	changeMetadata(account, sent)
	f.change(customer, of)
	account["updated_at"] = f.moment()
	return ok(account)
}

func changeMetadata(o, sent object) {
	if value, ok := sent["custom_metadata"]; ok {
		if sent["custom_metadata_mode"] == "merge" {
			value = merge(o["custom_metadata"], value)
		}
		o["custom_metadata"] = value
	}
}

func (f *faithful) moveAccount(account object, step string, sent object) reply {
	status := map[string]string{"active suspend": "suspended", "suspended reactivate": "active", "active close": "closed", "suspended close": "closed"}[account["status"].(string)+" "+step]
	if status == "" {
		return refused
	}
	account["status"], account["updated_at"] = status, f.moment()
	account["suspended_at"], account["suspension_reason"] = nil, nil
	if status == "suspended" {
		account["suspended_at"], account["suspension_reason"] = f.moment(), sent["reason"]
	}
	return ok(account)
}

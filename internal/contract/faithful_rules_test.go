package contract_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

var (
	textFields = []string{"external_id", "nickname", "legal_name", "document_number", "notes"}
	listFields = []string{"addresses", "phones", "emails", "websites", "tags"}
	// createOnly says of a field of the account that comes with a customer
	// whether a value will do.
	createOnly = map[string]func(any) bool{
		"create_billing_account": isBool,
		"auto_collection":        isBool,
		"billing_email":          isText,
		"payment_terms_days": func(value any) bool {
			number, _ := value.(json.Number)
			n, err := strconv.Atoi(number.String())
			return err == nil && n >= 0
		},
	}
)

func isBool(value any) bool { _, ok := value.(bool); return ok }
func isText(value any) bool { _, ok := value.(string); return ok }

// validate names the fields that will not do, with the reason.
func validate(sent object, creating bool) object {
	wrong := object{}
	if _, ok := sent["name"]; creating && !ok {
		wrong["name"] = "is required"
	}
	for field, value := range sent {
		if !valid(field, value, creating) {
			wrong[field] = "is not valid here"
		}
	}
	return wrong
}

func valid(field string, value any, creating bool) bool {
	if check, ok := createOnly[field]; ok {
		return creating && check(value)
	}
	text, _ := value.(string)
	switch {
	case slices.Contains([]string{"name", "email", "phone"}, field):
		return isText(value)
	case field == "custom_metadata_mode":
		return !creating && (text == "merge" || text == "replace")
	case slices.Contains(textFields, field):
		return value == nil || isText(value)
	case field == "kind":
		return value == nil || text == "natural" || text == "juridical"
	case field == "birthday":
		_, err := time.Parse(time.DateOnly, text)
		return value == nil || err == nil
	case slices.Contains(listFields, field):
		_, ok := value.([]any)
		return value == nil || ok
	case field == "custom_metadata":
		_, ok := value.(object)
		return value == nil || ok
	}
	return false
}

// change writes valid fields into a customer.
func change(customer, sent object, moment string) {
	for field, value := range sent {
		if _, ok := createOnly[field]; ok || slices.Contains([]string{"email", "phone", "custom_metadata", "custom_metadata_mode"}, field) {
			continue
		}
		customer[field] = value
	}
	for _, field := range []string{"email", "phone"} {
		if value, ok := sent[field]; ok {
			putFirst(customer, field+"s", value)
		}
	}
	if value, ok := sent["custom_metadata"]; ok {
		if sent["custom_metadata_mode"] == "merge" {
			value = merge(customer["custom_metadata"], value)
		}
		customer["custom_metadata"] = value
	}
	customer["document_type"] = nil
	if number, ok := customer["document_number"].(string); ok {
		customer["document_type"] = documentType(number)
	}
	customer["updated_at"] = moment
}

func documentType(number string) string {
	if len(plainDocument(number)) <= 11 {
		return "cpf"
	}
	return "cnpj"
}

func putFirst(customer object, field string, value any) {
	items, _ := customer[field].([]any)
	for _, item := range items {
		if item.(object)["value"] == value {
			return
		}
	}
	customer[field] = append([]any{object{"value": value}}, items...)
}

func merge(stored, sent any) any {
	into, ok := stored.(object)
	from, also := sent.(object)
	if !ok || !also {
		return sent
	}
	merged := object{}
	for name, value := range into {
		merged[name] = value
	}
	for name, value := range from {
		merged[name] = merge(into[name], value)
	}
	return merged
}

func list(objects []object, query url.Values, most int) reply {
	var matches []object
	for _, o := range objects {
		if matchesAll(o, query) {
			matches = append(matches, o)
		}
	}
	if field := query.Get("sort_by"); field != "" {
		slices.SortStableFunc(matches, func(a, b object) int {
			order := strings.Compare(fmt.Sprint(a[field]), fmt.Sprint(b[field]))
			if query.Get("sort_order") == "asc" {
				return order
			}
			return -order
		})
	}
	page, size := clamp(query.Get("page"), 1, 1, 1<<30), clamp(query.Get("per_page"), 20, 1, most)
	first := min((page-1)*size, len(matches))
	items := append([]object{}, matches[first:min(first+size, len(matches))]...)
	return reply{status: http.StatusOK, body: object{"data": items, "meta": object{
		"total": len(matches), "page": page, "per_page": size, "total_pages": (len(matches) + size - 1) / size,
	}}}
}

func clamp(text string, otherwise, least, most int) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		n = otherwise
	}
	return max(least, min(n, most))
}

func matchesAll(o object, query url.Values) bool {
	for name := range query {
		wanted := query.Get(name)
		switch name {
		case "search":
			if !strings.Contains(o["name"].(string), wanted) {
				return false
			}
		case "updated_at_gte":
			bound, err := time.Parse(time.RFC3339, wanted)
			updated, also := time.Parse(time.RFC3339, o["updated_at"].(string))
			if err != nil || also != nil || updated.Before(bound) {
				return false
			}
		case "customer_id":
			if o["customer"].(object)["id"] != wanted {
				return false
			}
		case "external_id", "document_number", "status", "event", "billing_account_id", "subscription_id", "plan_id":
			if o[name] != wanted {
				return false
			}
		}
	}
	return true
}

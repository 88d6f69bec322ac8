package evidence_test

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/evidence"
)

var (
	moneyForm    = regexp.MustCompile(`^[0-9]+\.[0-9]{2}$`)
	likeUUID     = regexp.MustCompile(`^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-`)
	responseTime = regexp.MustCompile(`^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$`)
)

func TestExchangesHoldWellFormedValues(t *testing.T) {
	t.Parallel()
	for _, exchange := range evidence.All("") {
		t.Run(exchange.Name, func(t *testing.T) {
			t.Parallel()
			checkValues(t, "request", decode(exchange.Request.Body))
			checkValues(t, "response", decode(exchange.Response.Body))
			raw, err := json.Marshal(exchange)
			if err != nil {
				t.Fatal(err)
			}
			checkNoSecret(t, raw)
		})
	}
}

// checkValues checks a body: ids are version 4 UUIDs, timestamps have the right format, and tax numbers valid check
// digits.
func checkValues(t *testing.T, path string, value any) {
	t.Helper()
	switch value := value.(type) {
	case object:
		for name, member := range value {
			checkValues(t, path+"."+name, member)
		}
	case []any:
		for _, item := range value {
			checkValues(t, path, item)
		}
	case string:
		checkText(t, path, value)
	}
}

func checkText(t *testing.T, path, value string) {
	t.Helper()
	name := path[strings.LastIndex(path, ".")+1:]
	switch {
	case strings.Contains(path, ".details.fields."): // describes an error of the field with that name
	case name == "operationId": // of an OpenAPI document
	case path == "request.customer.id" && !likeUUID.MatchString(value): // an external code
	case likeUUID.MatchString(value) || name == "id" || name == "public_id" || strings.HasSuffix(name, "Id"):
		if !uuidForm.MatchString(value) {
			t.Errorf("%s is %q, not a version 4 UUID", path, value)
		}
	case path == "request.occurred_at" && !strings.Contains(value, "-"): // a rejected value
	case name == "occurred_at" && len(value) == len(time.DateOnly): // a date is a DateTime of financial management
		if _, err := time.Parse(time.DateOnly, value); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	case path == "request.expiresAt": // a request may use any offset
		if _, err := time.Parse(time.RFC3339, value); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	case strings.HasSuffix(name, "_at") || strings.HasSuffix(name, "At") || name == "graceUntil" || name == "timestamp":
		if _, err := time.Parse(time.RFC3339, value); err != nil || !responseTime.MatchString(value) {
			t.Errorf("%s is %q, not a UTC time with milliseconds", path, value)
		}
	case path == "response.data.amount" || path == "response.data.balance":
		if !moneyForm.MatchString(value) {
			t.Errorf("%s is %q, not a decimal string with 2 places", path, value)
		}
	case name == "document_number":
		if !validDocument(value) {
			t.Errorf("%s is %q, with wrong check digits", path, value)
		}
	}
}

// validDocument checks the last two digits of a CPF or CNPJ without punctuation. The value of a letter is its ASCII
// code minus that of 0.
func validDocument(text string) bool {
	var digits []int
	for _, r := range text {
		if r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' {
			digits = append(digits, int(r-'0'))
		}
	}
	highest := map[int]int{11: 11, 14: 9}[len(digits)] // weight, after which they restart at 2
	if highest == 0 {
		return false
	}
	for position := len(digits) - 2; position < len(digits); position++ {
		sum, weight := 0, 2
		for i := position - 1; i >= 0; i-- {
			sum += digits[i] * weight
			if weight++; weight > highest {
				weight = 2
			}
		}
		if digits[position] != sum*10%11%10 {
			return false
		}
	}
	return true
}

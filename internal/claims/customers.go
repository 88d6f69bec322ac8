package claims

import (
	"crypto/rand"
	"fmt"
	"maps"
	"math/big"
	"net/http"
	"net/url"
)

const (
	customersPath = "/v1/customers"
	accountsPath  = "/v1/billing-accounts"
	mePath        = "/v1/me"
)

func customerPath(id string) string { return customersPath + "/" + url.PathEscape(id) }
func accountPath(id string) string  { return accountsPath + "/" + url.PathEscape(id) }

// customer creates a customer without a billing account, with a unique name unless the fields have one, and returns its
// path and the response.
func (p *probe) customer(fields object) (string, *response) {
	body := merged(object{"name": unique(), "create_billing_account": false}, fields)
	a := p.post(customersPath, body).wantStatus(http.StatusCreated)
	return customerPath(a.text("data.customer.id")), a
}

// merged returns a new object with the members of all; later ones take precedence.
func merged(all ...object) object {
	sum := object{}
	for _, one := range all {
		maps.Copy(sum, one)
	}
	return sum
}

// cpf returns a random valid individual tax number, 11 digits without punctuation.
func cpf() string {
	n, err := rand.Int(rand.Reader, big.NewInt(999_999_998))
	if err != nil {
		panic(err) // crypto/rand never fails
	}
	digits := fmt.Sprintf("%09d", n.Int64()+1)
	for len(digits) < 11 {
		sum := 0
		for i, digit := range digits {
			sum += int(digit-'0') * (len(digits) + 1 - i)
		}
		check := sum * 10 % 11 % 10
		digits += fmt.Sprint(check)
	}
	return digits
}

// maskedCPF adds the usual punctuation.
func maskedCPF(digits string) string {
	return digits[:3] + "." + digits[3:6] + "." + digits[6:9] + "-" + digits[9:]
}

// customerMembers lists the members of a customer in Recurring billing §2 that are always returned.
var customerMembers = []string{
	"id", "public_id", "external_id", "name", "nickname", "legal_name",
	"document_type", "document_number", "kind", "birthday", "notes",
	"addresses", "phones", "emails", "websites", "tags",
	"metadata", "custom_metadata", "created_at", "updated_at",
}

// allFields returns a create body with every field of a customer. The word is its external_id and part of its texts.
func allFields(word string) object {
	return object{
		"name":            "oficina " + word,
		"external_id":     word,
		"nickname":        "oficina do sul 🛠",
		"legal_name":      "oficina " + word + " ltda",
		"document_number": maskedCPF(cpf()),
		"kind":            "juridical",
		"birthday":        "2011-02-28",
		"notes":           "primeira parte, 50%",
		"addresses": []object{
			{"kind": "billing", "street": "rua das flores", "number": "482", "complement": "sala 71",
				"neighborhood": "jardim", "city": "campinas", "state": "SP", "postal_code": "13087450",
				"country": "BR"},
			{"kind": "shipping", "street": "avenida do contorno", "number": "s/n", "complement": nil,
				"neighborhood": "distrito industrial", "city": "betim", "state": "MG", "postal_code": "32600104", "country": "BR"},
		},
		"phones": []object{{"kind": "mobile", "value": "5519998124407"},
			{"kind": "office", "value": "551932567710"}},
		"emails":          []object{{"kind": "financial", "value": word + "@correio.example"}},
		"websites":        []object{{"kind": "store", "value": "https://" + word + ".example/"}},
		"tags":            []string{"atacado", "interior-sp"},
		"custom_metadata": object{"crm": object{"owner": "aline"}, "route": []any{"cps-03", 7, nil}},
	}
}

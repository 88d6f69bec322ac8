package contract_test

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"
)

type object = map[string]any

const (
	goodToken   = "faithful-token"
	narrowToken = "faithful-narrow-token"
)

// faithful is the smallest server that keeps every claim. It is here to show
// that claims can be kept and, behind the faults of faults_test.go, that each
// can be broken; it shares nothing with the sandbox.
type faithful struct {
	mu        sync.Mutex
	now       time.Time
	most      int // the largest page, in items
	customers []object
	accounts  []object
}

func newFaithful() *faithful {
	return &faithful{now: time.Date(2025, 5, 6, 14, 22, 9, 318e6, time.UTC), most: 100}
}

// reply is an answer before it is written; err is the code of an error.
type reply struct {
	status  int
	body    any
	err     string
	details object
}

func (f *faithful) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	answer := f.answer(r)
	if answer.err != "" {
		failure := object{"code": answer.err, "message": http.StatusText(answer.status)}
		if answer.details != nil {
			failure["details"] = answer.details
		}
		answer.body = object{"error": failure}
	}
	raw, err := json.Marshal(answer.body)
	if err != nil {
		panic(err)
	}
	w.Header().Set("Request-Id", newUUID())
	w.Header().Set("Content-Type", "application/json")
	if answer.status == http.StatusOK {
		tag := fmt.Sprintf(`"%x"`, sha256.Sum256(raw))
		w.Header().Set("ETag", tag)
		if r.Method == http.MethodGet && r.Header.Get("If-None-Match") == tag {
			w.Header().Del("Content-Type")
			w.WriteHeader(http.StatusNotModified)
			return
		}
	}
	w.WriteHeader(answer.status)
	_, _ = w.Write(raw) // a client that went away is its own concern
}

func (f *faithful) answer(r *http.Request) reply {
	token, bearer := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !bearer || (token != goodToken && token != narrowToken) {
		return reply{status: http.StatusUnauthorized, err: "invalid_token"}
	}
	kind, id, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/v1/"), "/")
	switch r.Method + " " + kind {
	case "GET me":
		return reply{status: http.StatusOK, body: object{
			"id": "4b3e1d0a-5f0c-4d6e-8a51-0c2f6b7d9e10", "name": "Livraria Ipê", "email": "a@ipe.example", "document_type": "cnpj",
			"document_number": "12345678000195", "environment": "sandbox", "created_at": "2024-02-19T13:05:41.207Z",
		}}
	case "GET customers":
		return f.read(f.customers, id, r.URL.Query())
	case "GET billing-accounts":
		return f.read(f.accounts, id, r.URL.Query())
	case "POST customers", "PATCH customers":
		if token == narrowToken {
			return reply{status: http.StatusForbidden, err: "insufficient_scope", details: object{"required": "write", "granted": "read"}}
		}
		return f.write(r, id)
	case "DELETE customers":
		return f.delete(id)
	}
	return reply{status: http.StatusNotFound, err: "not_found"}
}

func find(objects []object, id string) int {
	return slices.IndexFunc(objects, func(o object) bool { return o["id"] == id })
}

func (f *faithful) read(objects []object, id string, query url.Values) reply {
	if id == "" {
		return list(objects, query, f.most)
	}
	if i := find(objects, id); i >= 0 {
		return reply{status: http.StatusOK, body: object{"data": objects[i]}}
	}
	return reply{status: http.StatusNotFound, err: "not_found"}
}

// write creates a customer when there is no id, and updates one otherwise.
func (f *faithful) write(r *http.Request, id string) reply {
	var sent object
	decoder := json.NewDecoder(r.Body)
	decoder.UseNumber()
	if err := decoder.Decode(&sent); err != nil || r.Header.Get("Content-Type") != "application/json" {
		return reply{status: http.StatusBadRequest, err: "bad_request"}
	}
	position := find(f.customers, id)
	if id != "" && position < 0 {
		return reply{status: http.StatusNotFound, err: "not_found"}
	}
	if wrong := validate(sent, id == ""); len(wrong) > 0 {
		return reply{status: http.StatusUnprocessableEntity, err: "validation_error", details: object{"fields": wrong}}
	}
	for _, other := range f.customers {
		if external := sent["external_id"]; external != nil && other["external_id"] == external && other["id"] != id {
			return reply{status: http.StatusUnprocessableEntity, err: "external_id_taken", details: object{"field": "external_id", "id": other["id"]}}
		}
	}
	if id == "" {
		return f.create(sent)
	}
	f.now = f.now.Add(time.Millisecond)
	change(f.customers[position], sent, f.moment())
	return reply{status: http.StatusOK, body: object{"data": f.customers[position]}}
}

func (f *faithful) moment() string { return f.now.Format("2006-01-02T15:04:05.000Z") }

func (f *faithful) create(sent object) reply {
	f.now = f.now.Add(time.Millisecond)
	customer := object{"id": newUUID(), "public_id": newUUID(), "metadata": object{}, "created_at": f.moment()}
	for _, field := range slices.Concat(textFields, []string{"name", "kind", "birthday"}) {
		customer[field] = nil
	}
	for _, field := range listFields {
		customer[field] = []any{}
	}
	customer["custom_metadata"], customer["document_type"] = object{}, nil
	change(customer, sent, f.moment())
	f.customers = append(f.customers, customer)
	body := object{"customer": customer, "billing_account": nil}
	if wanted, ok := sent["create_billing_account"]; !ok || wanted == true {
		body["billing_account"] = f.open(customer, sent)
	}
	return reply{status: http.StatusCreated, body: object{"data": body}}
}

func (f *faithful) open(customer, sent object) object {
	account := object{
		"id": newUUID(), "public_id": newUUID(), "external_id": nil, "currency": "BRL", "billing_email": sent["email"],
		"payment_terms_days": 10, "auto_collection": true, "balance_cents": 0, "status": "active", "suspended_at": nil,
		"suspension_reason": nil, "tax_exempt": false, "tax_exemption_certificate": nil, "customer_tax_type": nil,
		"metadata": object{}, "custom_metadata": object{}, "created_at": f.moment(), "updated_at": f.moment(),
	}
	for _, field := range []string{"billing_email", "payment_terms_days", "auto_collection"} {
		if value, ok := sent[field]; ok {
			account[field] = value
		}
	}
	embedded := object{}
	for name, value := range customer {
		embedded[name] = value
	}
	switch customer["kind"] {
	case "natural":
		embedded["kind"] = "individual"
	case "juridical":
		embedded["kind"] = "company"
	}
	account["customer"] = embedded
	f.accounts = append(f.accounts, account)
	return account
}

func (f *faithful) delete(id string) reply {
	i := find(f.customers, id)
	if i < 0 {
		return reply{status: http.StatusNotFound, err: "not_found"}
	}
	f.customers = slices.Delete(f.customers, i, i+1)
	for _, account := range f.accounts {
		if account["customer"].(object)["id"] == id {
			account["status"] = "closed"
		}
	}
	return reply{status: http.StatusOK, body: object{"data": object{"deleted": true}}}
}

func newUUID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails, by its contract
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

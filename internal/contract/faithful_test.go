package contract_test

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
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

	subscriptions []object
	items         map[any][]any // of a subscription, by its id
	invoices      []object

	collections
	finance
}

func newFaithful() *faithful {
	return &faithful{
		now: time.Date(2025, 5, 6, 14, 22, 9, 318e6, time.UTC), most: 100, items: map[any][]any{}, collections: newCollections(),
		finance: newFinance(),
	}
}

// reply is an answer before it is written; err is the code of an error.
type reply struct {
	status  int
	body    any
	err     string
	details object
	text    string // YAML, instead of the body
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
	if answer.text != "" {
		raw = []byte(answer.text)
		w.Header().Set("Content-Type", "application/yaml")
	}
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
	if path, is := strings.CutPrefix(r.URL.Path, financePrefix); is {
		return f.book(r, path)
	}
	if path, is := strings.CutPrefix(r.URL.Path, "/api/v1/"); is {
		return f.collect(r, path)
	}
	token, bearer := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !bearer || (token != goodToken && token != narrowToken) {
		return reply{status: http.StatusUnauthorized, err: "invalid_token"}
	}
	kind, rest, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/v1/"), "/")
	id, step, _ := strings.Cut(rest, "/")
	if r.Method == http.MethodGet {
		return f.read(kind, id, step, r.URL.Query())
	}
	sent, ok := receiveObject(r)
	if !ok {
		return reply{status: http.StatusBadRequest, err: "bad_request"}
	}
	if token == narrowToken {
		return reply{status: http.StatusForbidden, err: "insufficient_scope", details: object{"required": "write", "granted": "read"}}
	}
	f.now = f.now.Add(time.Millisecond)
	switch kind {
	case "customers":
		return f.customer(r.Method, id, sent)
	case "billing-accounts":
		return f.account(r.Method, id, step, sent)
	case "subscriptions":
		return f.subscription(r.Method, id, step, sent)
	}
	return notFound
}

var notFound = reply{status: http.StatusNotFound, err: "not_found"}

func ok(data any) reply { return reply{status: http.StatusOK, body: object{"data": data}} }

// refused is the answer to a step that the object's state does not allow.
var refused = reply{status: http.StatusUnprocessableEntity, err: "invalid_transition"}

func invalid(wrong object) reply {
	return reply{status: http.StatusUnprocessableEntity, err: "validation_error", details: object{"fields": wrong}}
}

// receiveObject reads the request's JSON object. An empty body is an empty one.
func receiveObject(r *http.Request) (object, bool) {
	sent := object{}
	decoder := json.NewDecoder(r.Body)
	decoder.UseNumber()
	if err := decoder.Decode(&sent); err != nil && !errors.Is(err, io.EOF) {
		return nil, false
	}
	return sent, r.Header.Get("Content-Type") == "application/json"
}

// find is the object with that id and its position, nil when there is none.
func find(objects []object, id any) (object, int) {
	i := slices.IndexFunc(objects, func(o object) bool { return o["id"] == id })
	if i < 0 {
		return nil, i
	}
	return objects[i], i
}

func (f *faithful) read(kind, id, step string, query url.Values) reply {
	if kind == "me" {
		return reply{status: http.StatusOK, body: object{
			"id": "4b3e1d0a-5f0c-4d6e-8a51-0c2f6b7d9e10", "name": "Livraria Ipê", "email": "a@ipe.example", "document_type": "cnpj",
			"document_number": "12345678000195", "environment": "sandbox", "created_at": "2024-02-19T13:05:41.207Z",
		}}
	}
	objects, known := map[string][]object{
		"customers": f.customers, "billing-accounts": f.accounts, "subscriptions": f.subscriptions, "invoices": f.invoices,
	}[kind]
	found, _ := find(objects, id)
	switch {
	case known && id == "":
		return list(objects, query, f.most)
	case found == nil:
		return notFound
	case step == "items":
		var listed []object
		for _, item := range f.items[id] {
			listed = append(listed, item.(object))
		}
		return list(listed, query, f.most)
	}
	return ok(found)
}

// taken is the refusal of an external_id that another live object has.
func taken(objects []object, sent object, id string) (reply, bool) {
	for _, other := range objects {
		gone := other["status"] == "closed" || other["status"] == "canceled"
		if external := sent["external_id"]; external != nil && other["external_id"] == external && other["id"] != id && !gone {
			return reply{status: http.StatusUnprocessableEntity, err: "external_id_taken", details: object{"field": "external_id", "id": other["id"]}}, true
		}
	}
	return reply{}, false
}

func (f *faithful) moment() string { return moment(f.now) }

func moment(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

func newUUID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails, by its contract
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

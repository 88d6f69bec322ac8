package finance_test

import (
	"encoding/json"
	"fmt"
	"io"
	"log"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
)

const (
	// pageSize is small, so that every listing crosses the edge of a page.
	pageSize = 2
	// silentKey is stored and never answered.
	silentKey = "internal_note"
)

var uuidV4 = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)

// fake is financial management as its description and the wire contract have it, and strict: what they do not know is refused.
type fake struct {
	token string

	mu      sync.Mutex
	records map[string][]acctest.JSON // by collection, in order
	replies map[string]acctest.JSON   // by collection and key
	cursors map[string]string         // cursor → what it belongs to
	made    int
	edits   int
	asked   []string // methods and paths
	// lose is how many answers to creations are still to be lost after the record was made.
	lose int
	// circle makes every list answer the same cursor.
	circle bool
}

// refusal is an answer in the service's error shape.
type refusal struct {
	status int
	code   string
	fields acctest.JSON
}

func refuse(status int, code string) *refusal { return &refusal{status: status, code: code} }

func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.asked = append(f.asked, r.Method+" "+r.URL.Path)
	w.Header().Set("Request-Id", fmt.Sprintf("req-%d", len(f.asked)))
	status, answer, wrong := f.answer(w, r)
	if wrong != nil {
		status, answer = wrong.status, acctest.JSON{"error": acctest.JSON{"code": wrong.code, "message": "refused", "details": acctest.JSON{"fields": wrong.fields}}}
	}
	if r.Method == http.MethodPost && wrong == nil && f.lose > 0 {
		f.lose--
		panic(http.ErrAbortHandler)
	}
	if text, isText := answer.(string); isText || answer == nil {
		w.WriteHeader(status)
		_, _ = io.WriteString(w, text)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	if err := json.NewEncoder(w).Encode(answer); err != nil {
		panic(err)
	}
}

func (f *fake) answer(w http.ResponseWriter, r *http.Request) (int, any, *refusal) {
	switch {
	case r.Header.Get("Authorization") != "Bearer "+f.token:
		return 0, nil, refuse(401, "unauthorized")
	case r.Header.Get("Content-Type") != "application/json":
		return 0, nil, refuse(400, "content_type")
	case (r.Header.Get("X-Idempotency-Key") != "") != (r.Method == http.MethodPost):
		return 0, nil, refuse(400, "idempotency_key")
	}
	if document, ok := strings.CutPrefix(r.URL.Path, "/api/v1/openapi."); ok && r.Method == http.MethodGet {
		return f.openAPI(w, r, document)
	}
	parts := strings.Split(strings.TrimPrefix(r.URL.Path, "/v1/"), "/")
	switch {
	case len(parts) == 1 && parts[0] != "" && r.Method == http.MethodGet:
		return f.list(parts[0], r.URL.Query())
	case len(parts) == 1 && parts[0] != "" && r.Method == http.MethodPost:
		return f.create(parts[0], r)
	case len(parts) == 2 && r.URL.RawQuery == "":
		return f.single(parts[0], parts[1], r)
	}
	return 0, nil, refuse(404, "route_not_found")
}

func (f *fake) openAPI(w http.ResponseWriter, r *http.Request, document string) (int, any, *refusal) {
	if document == "json" && r.Header.Get("Accept") == "application/json" {
		return 200, acctest.JSON{"openapi": "3.1.0", "info": acctest.JSON{"title": "Finance", "version": "1.10"}}, nil
	}
	if document != "yaml" || r.Header.Get("Accept") != "application/yaml" {
		return 0, nil, refuse(406, "not_acceptable")
	}
	w.Header().Set("Content-Type", "application/yaml")
	return 200, "openapi: 3.1.0\ninfo:\n  title: Finance\n", nil
}

// list pages by cursors, each of which belongs to its collection and filters.
func (f *fake) list(collection string, query url.Values) (int, any, *refusal) {
	limit, err := strconv.Atoi(query.Get("limit"))
	if err != nil || limit < 1 || limit > 100 {
		return 0, nil, refuse(400, "limit")
	}
	cursor := query.Get("cursor")
	query.Del("cursor")
	belongs, from := collection+"?"+query.Encode(), 0
	if cursor != "" {
		place, known := strings.CutPrefix(f.cursors[cursor], belongs+" ")
		if from, err = strconv.Atoi(place); !known || err != nil {
			return 0, nil, refuse(400, "cursor")
		}
	}
	var matching []acctest.JSON
	for _, record := range f.records[collection] {
		if matches(record, query) {
			matching = append(matching, public(record))
		}
	}
	to := min(from+min(limit, pageSize), len(matching))
	var next any
	if to < len(matching) {
		opaque := fmt.Sprintf("%d+/=%x", len(f.cursors), to)
		f.cursors[opaque], next = fmt.Sprintf("%s %d", belongs, to), opaque
	}
	if f.circle {
		next = "always the same"
		f.cursors["always the same"] = belongs + " 0"
	}
	return 200, acctest.JSON{"data": matching[from:to], "meta": acctest.JSON{"next_cursor": next}}, nil
}

func matches(record acctest.JSON, query url.Values) bool {
	for name, values := range query {
		field, bound, _ := strings.Cut(strings.TrimSuffix(name, "]"), "[")
		have, _ := record[field].(string)
		switch {
		case name == "limit":
		case bound == "" && have != values[0], bound == "gte" && have < values[0], bound == "lt" && have >= values[0]:
			return false
		}
	}
	return true
}

// create makes one record for one key, whatever the body.
func (f *fake) create(collection string, r *http.Request) (int, any, *refusal) {
	key := collection + " " + r.Header.Get("X-Idempotency-Key")
	if !uuidV4.MatchString(r.Header.Get("X-Idempotency-Key")) {
		return 0, nil, refuse(400, "idempotency_key")
	}
	if original, known := f.replies[key]; known {
		return 201, acctest.JSON{"data": original}, nil
	}
	body, wrong := bodyOf(r)
	if wrong != nil {
		return 0, nil, wrong
	}
	f.made++
	body["id"] = fmt.Sprintf("00000000-0000-4000-8000-%012d", f.made)
	body["created_at"] = time.Date(2026, 3, 14, 12, 0, f.made, 0, time.UTC).Format("2006-01-02T15:04:05.000Z")
	body["revision"] = 1
	f.records[collection] = append(f.records[collection], body)
	f.replies[key] = public(body)
	return 201, acctest.JSON{"data": f.replies[key]}, nil
}

func bodyOf(r *http.Request) (acctest.JSON, *refusal) {
	decoder := json.NewDecoder(r.Body)
	decoder.UseNumber()
	var body acctest.JSON
	if decoder.Decode(&body) != nil || body == nil {
		return nil, refuse(400, "malformed")
	}
	if text, isText := body["amount"].(string); body["amount"] != nil && (!isText || !regexp.MustCompile(`^\d+\.\d\d$`).MatchString(text)) {
		return nil, &refusal{status: 422, code: "validation_error", fields: acctest.JSON{"amount": "is no money: a decimal string with 2 places"}}
	}
	for i, line := range lines(body) {
		line["line_id"] = i + 1
	}
	return body, nil
}

// lines are the objects of a list to which the service adds ids.
func lines(body acctest.JSON) (all []acctest.JSON) {
	items, _ := body["lines"].([]any)
	for _, item := range items {
		if line, ok := item.(acctest.JSON); ok {
			all = append(all, line)
		}
	}
	return all
}

func (f *fake) single(collection, id string, r *http.Request) (int, any, *refusal) {
	at := slices.IndexFunc(f.records[collection], func(record acctest.JSON) bool { return record["id"] == id })
	if at < 0 {
		return 0, nil, refuse(404, "not_found")
	}
	record := f.records[collection][at]
	switch r.Method {
	case http.MethodGet:
	case http.MethodDelete:
		f.records[collection] = slices.Delete(f.records[collection], at, at+1)
		return 204, nil, nil
	case http.MethodPatch:
		change, wrong := bodyOf(r)
		if wrong != nil {
			return 0, nil, wrong
		}
		for key, value := range change {
			if record[key] = value; value == nil {
				delete(record, key)
			}
		}
		f.edits++
		record["revision"] = f.edits + 1
	default:
		return 0, nil, refuse(404, "route_not_found")
	}
	return 200, acctest.JSON{"data": public(record)}, nil
}

// public is what the service answers of a record: a copy that later changes do not reach.
func public(record acctest.JSON) acctest.JSON {
	shown := maps.Clone(record)
	delete(shown, silentKey)
	return shown
}

// newFake starts the service.
func newFake(token string) (*fake, *httptest.Server) {
	f := &fake{token: token, records: map[string][]acctest.JSON{}, replies: map[string]acctest.JSON{}, cursors: map[string]string{}}
	server := httptest.NewUnstartedServer(f)
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // a lost answer is no news
	server.StartTLS()
	return f, server
}

package sandbox

import (
	"net/http"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/store"
)

// node is an object of the description.
type node = map[string]any

// describeJSON serves finance.openapi.json.
func describeJSON(c *call, _ *store.Tx) (reply, error) {
	return reply{status: http.StatusOK, body: c.server.finance.description.json, kind: "application/json"}, nil
}

// describeYAML serves finance.openapi.yaml: the same in YAML.
func describeYAML(c *call, _ *store.Tx) (reply, error) {
	return reply{status: http.StatusOK, body: c.server.finance.description.yaml, kind: "application/yaml"}, nil
}

// description is what the two serve.
type description struct{ json, yaml []byte }

func describe(routes []route) (d description, err error) {
	if d.json, err = encode(openAPI(routes)); err != nil {
		return d, err
	}
	d.yaml, err = yaml.JSONToYAML(d.json)
	return d, err
}

// openAPI describes what the routes serve
// (service description, Financial management §4 and §9).
func openAPI(routes []route) node {
	paths := node{}
	for _, r := range routes {
		path, _ := paths[r.pattern].(node)
		if path == nil {
			path = node{}
			paths[r.pattern] = path
		}
		path[strings.ToLower(r.method)] = r.describe()
	}
	return node{
		"openapi": "3.1.0",
		"info": node{"title": "Financial management", "version": "1",
			"description": "Accounts, payables, receivables and records of any other collection, as the sandbox serves them. " +
				"Whatever has no path of its own for accounts, payables and receivables is that of {collection}. " +
				"Every request carries Content-Type: application/json, one without a body as well."},
		"paths":    paths,
		"security": []any{node{"jwt": []any{}}},
		"components": node{
			"securitySchemes": node{"jwt": node{"type": "http", "scheme": "bearer", "bearerFormat": "JWT", "description": "Signed with HS512."}},
			"schemas":         schemas(),
			"responses":       node{"Refused": response("Refused; error.code says why.", ref("schemas", "Error"))},
		},
	}
}

func ref(kind, name string) node { return node{"$ref": "#/components/" + kind + "/" + name} }

// response is an answer with a JSON body.
func response(description string, schema node) node {
	return node{"description": description, "headers": requestID(), "content": node{"application/json": node{"schema": schema}}}
}

// empty is an answer without a body.
func empty(description string) node { return node{"description": description, "headers": requestID()} }

func requestID() node {
	return node{"Request-Id": node{"description": "Names the request in the service's log, which is kept 30 days.", "schema": node{"type": "string", "format": "uuid"}}}
}

// describe is one operation.
func (r route) describe() node {
	operation := node{"operationId": r.name, "parameters": r.parameters(), "responses": r.responses()}
	if r.scope != "" {
		operation["description"] = "Needs the scope " + r.scope + "."
	}
	if r.takesFields() {
		operation["requestBody"] = node{"required": true, "content": node{"application/json": node{"schema": ref("schemas", "Fields")}}}
	}
	return operation
}

func (r route) takesFields() bool { return r.method == http.MethodPost || r.method == http.MethodPatch }

// parameters are those of the path, the query and the headers.
func (r route) parameters() []any {
	all := []any{}
	text := node{"type": "string"}
	for segment := range strings.SplitSeq(r.pattern, "/") {
		switch segment {
		case "{collection}":
			all = append(all, node{"name": "collection", "in": "path", "required": true, "schema": node{"type": "string", "pattern": collectionName.String()}})
		case "{id}":
			all = append(all, node{"name": "id", "in": "path", "required": true, "schema": node{"type": "string", "format": "uuid"}})
		}
	}
	if slices.Contains(r.query, anyField) {
		all = append(all,
			node{"name": "limit", "in": "query", "schema": node{"type": "integer", "minimum": 1, "maximum": mostRecords, "default": defaultRecords}},
			node{"name": "cursor", "in": "query", "schema": text, "description": "meta.next_cursor of the page before, unchanged, with the same filters."},
			node{"name": "filters", "in": "query", "style": "form", "explode": true, "schema": node{"type": "object", "additionalProperties": text},
				"description": "The name of any field, alone for exactly that text, or followed by [gte], [gt], [lte] or [lt]. A date without a time is the whole day, in UTC."})
	}
	if r.method == http.MethodGet {
		all = append(all, node{"name": "If-None-Match", "in": "header", "schema": text, "description": "The ETag of an answer before."})
	}
	if r.method == http.MethodPost {
		all = append(all, node{"name": "X-Idempotency-Key", "in": "header", "schema": node{"type": "string", "format": "uuid"},
			"description": "A UUID of version 4. The same one again gets the original answer, and makes nothing."})
	}
	return all
}

// responses are what an operation answers, by status.
func (r route) responses() node {
	responses := node{}
	refused := []string{"400", "401", "403", "422"}
	if strings.Contains(r.pattern, "{") {
		refused = append(refused, "404")
	}
	if r.takesFields() {
		refused = append(refused, "413")
	}
	record := node{"type": "object", "required": []any{"data"}, "properties": node{"data": ref("schemas", "Record")}}
	switch r.method {
	case http.MethodGet:
		responses["200"], responses["304"] = r.found(record), empty("Unchanged.")
	case http.MethodPost:
		responses["201"] = response("Made, now or with this key before.", record)
	case http.MethodPatch:
		responses["200"] = response("Changed.", record)
	case http.MethodDelete:
		responses["204"] = empty("Deleted.")
	}
	for _, status := range refused {
		responses[status] = ref("responses", "Refused")
	}
	return responses
}

// found is the 200 of a GET.
func (r route) found(record node) node {
	switch {
	case strings.HasSuffix(r.name, ".yaml"):
		found := empty("This description.")
		found["content"] = node{"application/yaml": node{"schema": node{"type": "string"}}}
		return found
	case strings.HasSuffix(r.name, ".json"):
		return response("This description.", node{"type": "object"})
	case strings.HasSuffix(r.name, ".get"):
		return response("The record.", record)
	case r.name == "finance.accounts.list":
		return response("A page of accounts.", ref("schemas", "Accounts"))
	default:
		return response("A page of records.", ref("schemas", "Records"))
	}
}

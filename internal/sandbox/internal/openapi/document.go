// Package openapi describes the operations of the sandbox in OpenAPI 3.1. Requests are described from the forms that
// decode them, responses from the encoded types, and examples from recorded exchanges.
package openapi

import (
	"encoding/json"
	"maps"
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/recurring-billing/terraform-provider-billing/internal/evidence"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/server"
)

type (
	object = server.Schema
	list   = []any
)

// Service is the subject of a document.
type Service struct {
	Title, About string
	Recorded     string // prefix of the names of its exchanges
	Operations   []Operation
	// Webhook describes the requests that the service sends; nil if it sends none.
	Webhook func(server.Schemas) server.Schema
}

// Operation is a method of a path.
type Operation struct {
	Name, Summary, Method, Path string
	Scope                       string // empty: any token
	Parameters                  []any  // in addition to those of the path
	Body                        func(server.Schemas) server.Schema
	BodyRequired                bool
	Returns                     server.Returns
	Rejections                  []int
}

// OfRoutes returns the operations of a service.
func OfRoutes(routes []server.Route, returned map[string]server.Returns) []Operation {
	operations := make([]Operation, len(routes))
	for i, r := range routes {
		o := Operation{Name: r.Name, Method: r.Method, Path: r.Pattern, Scope: r.Scope, Returns: returned[r.Name],
			Rejections: []int{http.StatusBadRequest, http.StatusUnauthorized, http.StatusForbidden,
				http.StatusUnprocessableEntity}}
		if body, required := r.Form.Schema(); body != nil {
			o.Body, o.BodyRequired = func(server.Schemas) server.Schema { return body }, required
			o.Rejections = append(o.Rejections, http.StatusRequestEntityTooLarge)
		}
		if strings.Contains(r.Pattern, "{") {
			o.Rejections = append(o.Rejections, http.StatusNotFound)
		}
		if o.Returns.Conflicts {
			o.Rejections = append(o.Rejections, http.StatusConflict)
		}
		o.Parameters = queryOf(r.Query, o.Returns)
		if r.Method == http.MethodGet {
			o.Parameters = append(o.Parameters, header("If-None-Match", "The ETag of a response before."),
				header("If-Modified-Since", "The Last-Modified of a response before."))
		}
		operations[i] = o
	}
	return operations
}

// Document describes a service at an address.
func Document(s Service, address string) ([]byte, error) {
	schemas := server.Schemas{"Error": failure}
	paths := object{}
	for _, o := range s.Operations {
		item, ok := paths[o.Path].(object)
		if !ok {
			item = object{}
			paths[o.Path] = item
		}
		item[strings.ToLower(o.Method)] = s.operation(o, schemas)
	}
	document := object{
		"openapi":  "3.1.0",
		"info":     object{"title": s.Title, "version": "1", "description": s.About},
		"servers":  list{object{"url": address}},
		"security": list{object{"token": list{}}},
		"paths":    paths,
		"components": object{
			"schemas":         schemas,
			"responses":       object{"Rejected": rejected},
			"headers":         object{"Request-Id": object{"schema": object{"type": "string", "format": "uuid"}}},
			"securitySchemes": object{"token": object{"type": "http", "scheme": "bearer"}},
		},
	}
	if s.Webhook != nil {
		document["webhooks"] = object{"event": object{"post": webhook(s.Webhook(schemas))}}
	}
	return server.Encode(document)
}

// failure describes the body of an error, in both shapes.
var failure = object{"anyOf": list{
	object{"type": "object", "required": list{"error"}, "properties": object{"error": object{
		"type": "object", "required": list{"code", "message"}, "properties": object{
			"code": object{"type": "string"}, "message": object{"type": "string"},
			"details": object{"description": "For validation_error, in fields: what is wrong with each field."},
		}}}},
	object{"type": "object", "required": list{"error", "error_code"}, "properties": object{
		"error": object{"type": "string"}, "error_code": object{"type": "string"}}},
}}

var rejected = object{
	"description": "The request was rejected; the code says why.",
	"headers":     object{"Request-Id": reference("headers", "Request-Id")},
	"content":     content(reference("schemas", "Error"), nil),
}

func reference(kind, name string) object { return object{"$ref": "#/components/" + kind + "/" + name} }

func content(schema object, examples object) object {
	media := object{"schema": schema}
	if len(examples) > 0 {
		media["examples"] = examples
	}
	return object{"application/json": media}
}

var placeholder = regexp.MustCompile(`\{(\w+)\}`)

func (s Service) operation(o Operation, schemas server.Schemas) object {
	described := object{"operationId": o.Name, "tags": list{strings.Split(o.Name, ".")[0]}}
	if o.Summary != "" {
		described["summary"] = o.Summary
	}
	if o.Scope != "" {
		described["security"] = list{object{"token": list{o.Scope}}}
	}
	var parameters list
	for _, name := range placeholder.FindAllStringSubmatch(o.Path, -1) {
		parameters = append(parameters, object{"name": name[1], "in": "path", "required": true,
			"schema": object{"type": "string"}})
	}
	if parameters = append(parameters, o.Parameters...); len(parameters) > 0 {
		described["parameters"] = parameters
	}
	sent, received := s.examples(o.Name)
	if o.Body != nil {
		described["requestBody"] = object{"required": o.BodyRequired, "content": content(o.Body(schemas), sent)}
	}
	responses := object{"default": reference("responses", "Rejected")}
	for _, status := range o.Rejections {
		responses[strconv.Itoa(status)] = reference("responses", "Rejected")
	}
	success := object{"description": http.StatusText(o.Returns.Status),
		"headers": object{"Request-Id": reference("headers", "Request-Id")}}
	if o.Returns.Body != nil {
		body := o.Returns.Body(schemas)
		for _, example := range received[o.Returns.Status] {
			value, _ := server.Decode(example.(object)["value"].(json.RawMessage)) // cannot fail: recorded JSON
			promise(schemas, body, value)
		}
		success["content"] = content(body, received[o.Returns.Status])
	}
	responses[strconv.Itoa(o.Returns.Status)] = success
	if slices.ContainsFunc(o.Parameters, func(p any) bool { return p.(object)["name"] == "If-None-Match" }) {
		responses[strconv.Itoa(http.StatusNotModified)] = object{"description": http.StatusText(http.StatusNotModified)}
	}
	described["responses"] = responses
	return described
}

// promise marks as required only the fields found in recorded responses: the services do not document others as always
// present, though the sandbox always returns them.
func promise(schemas server.Schemas, schema object, recorded any) {
	if name, ok := schema["$ref"].(string); ok {
		schema = schemas[strings.TrimPrefix(name, "#/components/schemas/")]
	}
	alternatives, _ := schema["anyOf"].(list)
	for _, alternative := range alternatives {
		promise(schemas, alternative.(object), recorded)
	}
	switch recorded := recorded.(type) {
	case []any:
		items, _ := schema["items"].(object)
		for _, item := range recorded {
			promise(schemas, items, item)
		}
	case map[string]any:
		properties, _ := schema["properties"].(object)
		if required, ok := schema["required"].(list); ok {
			schema["required"] = slices.DeleteFunc(slices.Clone(required), func(name any) bool {
				_, has := recorded[name.(string)]
				return !has
			})
		}
		for name, property := range properties {
			promise(schemas, property.(object), recorded[name])
		}
	}
}

// examples returns the request and response bodies, by status, of an operation's successful recorded exchanges.
func (s Service) examples(operation string) (sent object, received map[int]object) {
	sent, received = object{}, map[int]object{}
	if s.Recorded == "" {
		return sent, received
	}
	for _, e := range evidence.All(s.Recorded) {
		status := e.Response.Status
		if e.Operation != operation || status >= http.StatusMultipleChoices {
			continue
		}
		name := strings.TrimPrefix(e.Name, s.Recorded)
		if e.Request.Body != nil {
			sent[name] = object{"value": e.Request.Body}
		}
		if e.Response.Body != nil {
			if received[status] == nil {
				received[status] = object{}
			}
			received[status][name] = object{"value": e.Response.Body}
		}
	}
	return sent, received
}

func header(name, description string) object {
	return object{"name": name, "in": "header", "description": description, "schema": object{"type": "string"}}
}

// Query returns a query parameter.
func Query(name, description string, schema server.Schema) any {
	p := object{"name": name, "in": "query", "schema": schema}
	if description != "" {
		p["description"] = description
	}
	return p
}

// queryOf describes the query parameters of a listing.
func queryOf(names []string, returned server.Returns) (parameters []any) {
	anyField := slices.Contains(names, server.AnyField)
	if anyField {
		names = slices.Concat(server.Paging, server.Sorting)
	}
	for _, name := range slices.Sorted(slices.Values(names)) {
		schema, description := object{"type": "string"}, ""
		switch name {
		case "page":
			schema, description = object{"type": "integer", "default": 1}, "Less than 1 counts as 1."
		case "per_page":
			schema = object{"type": "integer", "default": 20}
			description = "Less than 1 counts as 1, more than 100 as 100."
		case "sort_by":
			if fields := fieldsOf(returned); !anyField {
				schema["enum"] = fields
			}
			description = "A field of the objects. Without it, the order differs from one request to the next."
		case "sort_order":
			schema = object{"type": "string", "enum": list{"asc", "desc"}, "default": "desc"}
		case "updated_at_gte":
			schema = server.DateOrTime.Schema
		case "search":
			description = "A part of a name, an email address, a number or a code, whatever the case."
		}
		parameters = append(parameters, Query(name, description, schema))
	}
	if anyField {
		parameters = append(parameters, object{"name": "filters", "in": "query", "style": "form", "explode": true,
			"description": "Any field of the objects and the value that it has.",
			"schema":      object{"type": "object", "additionalProperties": object{"type": "string"}}})
	}
	return parameters
}

// fieldsOf returns the field names of listed objects.
func fieldsOf(returned server.Returns) (names list) {
	schemas := server.Schemas{}
	page := returned.Body(schemas)
	items := page["properties"].(object)["data"].(object)["items"].(object)
	referred := schemas[strings.TrimPrefix(items["$ref"].(string), "#/components/schemas/")]
	for _, name := range slices.Sorted(maps.Keys(referred["properties"].(object))) {
		names = append(names, name)
	}
	return names
}

// webhook describes a delivery.
func webhook(body object) object {
	parameters := list{}
	for name, description := range map[string]string{
		"X-Webhook-Event":       "The name of the event.",
		"X-Webhook-Event-Id":    "The same for all deliveries of an event: a receiver that has processed it ignores the others.",
		"X-Webhook-Delivery-Id": "The same for all attempts of a delivery.",
		"X-Webhook-Attempt":     "Counts from 1.",
		"X-Webhook-Timestamp":   "When the attempt was sent.",
		"X-Webhook-Signature": "t=<seconds>,v1=<HMAC-SHA256 in hexadecimal of \"<seconds>.<body>\", keyed with the whole " +
			"secret of the endpoint>.",
	} {
		p := header(name, description)
		p["required"] = true
		parameters = append(parameters, p)
	}
	slices.SortFunc(parameters, func(a, b any) int {
		return strings.Compare(a.(object)["name"].(string), b.(object)["name"].(string))
	})
	return object{
		"operationId": "webhook", "summary": "A delivery to a webhook endpoint", "security": list{},
		"parameters":  parameters,
		"requestBody": object{"required": true, "content": content(body, nil)},
		"responses":   object{"2XX": object{"description": "Delivered. Anything else is tried again."}},
	}
}

// Sent returns the schema of a type whose fields are optional, except those listed.
func Sent[T any](required ...string) func(server.Schemas) server.Schema {
	return func(s server.Schemas) server.Schema {
		more := object{"additionalProperties": false, "required": nil}
		if len(required) > 0 {
			more["required"] = required
		}
		return s.Fields(reflect.TypeFor[T]()).With(more)
	}
}

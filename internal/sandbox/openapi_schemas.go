package sandbox

// schemas are the named schemas of the description.
func schemas() node {
	text := node{"type": "string"}
	record := node{
		"description": "Free-form fields, and three that the service sets.",
		"type":        "object", "required": []any{"id", "created_at", "updated_at"},
		"properties": node{"id": uuidSchema(), "created_at": momentSchema(), "updated_at": momentSchema()},
		"allOf":      []any{ref("schemas", "Fields")},
	}
	return node{
		"Fields":   fieldsSchema(),
		"Record":   record,
		"Account":  node{"allOf": []any{ref("schemas", "Record")}, "required": []any{"name"}},
		"Records":  pageSchema("Record"),
		"Accounts": pageSchema("Account"),
		"Error": node{"type": "object", "required": []any{"error"}, "properties": node{"error": node{
			"type": "object", "required": []any{"code", "message"},
			"properties": node{"code": text, "message": text, "details": node{"description": "For a 422, in fields: the name of each field and what is wrong with it."}}}}},
	}
}

// fieldsSchema are the fields whose form is known (recordRules); any others may
// stand beside them.
func fieldsSchema() node {
	fields := node{
		"company_id":  uuidSchema(),
		"occurred_at": momentSchema(),
		"amount":      node{"type": "string", "pattern": moneyText.String(), "not": node{"pattern": zeroText.String()}, "description": "Money: a positive decimal string with two places."},
		"type":        node{"enum": []any{"debit", "credit"}},
		"name":        node{"type": "string", "pattern": `[^\s\v\x85\p{Z}]`, "description": "Not only white space."},
	}
	for name, schema := range fields {
		fields[name] = node{"anyOf": []any{schema, node{"type": "null"}}}
	}
	return node{"type": "object", "additionalProperties": true, "properties": fields}
}

func uuidSchema() node { return node{"type": "string", "format": "uuid"} }

func momentSchema() node {
	return node{"type": "string", "pattern": momentText.String(), "anyOf": []any{node{"format": "date"}, node{"format": "date-time"}},
		"description": "ISO 8601: a date, or a date with time and zone."}
}

// pageSchema is the envelope of a listing
// (service description, Financial management §4).
func pageSchema(item string) node {
	return node{"type": "object", "required": []any{"data", "meta"}, "properties": node{
		"data": node{"type": "array", "maxItems": mostRecords, "items": ref("schemas", item)},
		"meta": node{"type": "object", "required": []any{"next_cursor"}, "properties": node{
			"next_cursor": node{"type": []any{"string", "null"}, "description": "Null: there are no more pages."}}},
	}}
}

package claims

import (
	"encoding/json"
	"net/http"
)

func metadataClaims() []Claim {
	const create = "Recurring billing §4 Customer create; wire contract: customers.create"
	const update = "Recurring billing §4 custom_metadata_mode; wire contract: customers.update"
	return []Claim{
		claim(81, create, "custom_metadata is stored as it was sent: types, nesting, empty parts, null and unusual keys.",
			checkMetadataKept),
		claim(82, create, "Numbers in custom_metadata are stored exactly, also beyond 2^53.", checkMetadataNumbers),
		claim(83, update, "merge adds keys and merges nested objects, at any depth.", checkMergeNested),
		claim(84, update, "merge replaces scalars and whole arrays.", checkMergeReplaces),
		claim(85, update, "merge keeps a key that is sent as null, with the value null.", checkMergeNull),
		claim(86, update, "merge replaces an object by a scalar and a scalar by an object.", checkMergeKinds),
		claim(87, update, "merge with an empty object changes nothing.", checkMergeEmpty),
		claim(88, update, "replace replaces the whole object and keeps null values.", checkReplace),
		claim(89, update, "replace is the mode when none is sent.", checkReplaceDefault),
		claim(90, update, "An empty object with replace clears custom_metadata.", checkReplaceEmpty),
		claim(91, update, "An update without custom_metadata does not change it.", checkMetadataLeft),
	}
}

func checkMetadataKept(p *probe) {
	metadata := object{
		"text": "1", "number": 1, "yes": true, "yes as text": "true", "nothing": nil, "empty text": "",
		"empty object": object{}, "empty list": []any{},
		"nested":       object{"deep": object{"deeper": []any{object{"a": nil}, []any{1, "2", false}}}},
		"dotted.key/ç": "São João 🛠", "Case": 1, "case": 2,
	}
	path, a := p.customer(object{"custom_metadata": metadata})
	a.want("data.customer.custom_metadata", metadata)
	p.get(path).wantStatus(http.StatusOK).want("data.custom_metadata", metadata)
}

func checkMetadataNumbers(p *probe) {
	metadata := object{
		"beyond a double":   json.Number("9007199254740993"),
		"most negative":     json.Number("-9223372036854775808"),
		"largest":           json.Number("9223372036854775807"),
		"fraction":          json.Number("1234567.8901"),
		"nested and listed": object{"list": []any{json.Number("9007199254740995")}},
	}
	path, a := p.customer(object{"custom_metadata": metadata})
	a.want("data.customer.custom_metadata", metadata)
	p.get(path).want("data.custom_metadata", metadata)
	p.patch(path, object{"custom_metadata": object{"more": 1}, "custom_metadata_mode": "merge"}).
		want("data.custom_metadata", merged(metadata, object{"more": 1}))
}

// checkMode creates a customer with the one metadata, updates it with the other in
// that mode ("" sends none), and wants the result in the response and in a read.
func checkMode(p *probe, mode string, stored, sent, wanted object) {
	path, _ := p.customer(object{"custom_metadata": stored})
	body := object{"custom_metadata": sent}
	if mode != "" {
		body["custom_metadata_mode"] = mode
	}
	p.patch(path, body).wantStatus(http.StatusOK).want("data.custom_metadata", wanted)
	p.get(path).wantStatus(http.StatusOK).want("data.custom_metadata", wanted)
}

func checkMergeNested(p *probe) {
	checkMode(p, "merge",
		object{"a": 1, "crm": object{"owner": "Aline", "team": object{"name": "sul", "size": 3}}},
		object{"b": 2, "crm": object{"team": object{"size": 4, "lead": "Rui"}}},
		object{"a": 1, "b": 2, "crm": object{"owner": "Aline", "team": object{"name": "sul", "size": 4, "lead": "Rui"}}})
}

func checkMergeReplaces(p *probe) {
	checkMode(p, "merge",
		object{"scalar": 1, "list": []any{1, 2, 3}, "objects": []any{object{"a": 1}}, "kept": "yes"},
		object{"scalar": "one", "list": []any{4}, "objects": []any{object{"b": 2}}},
		object{"scalar": "one", "list": []any{4}, "objects": []any{object{"b": 2}}, "kept": "yes"})
}

func checkMergeNull(p *probe) {
	checkMode(p, "merge",
		object{"scalar": 1, "object": object{"a": 1, "b": 2}, "whole": object{"c": 3}},
		object{"scalar": nil, "object": object{"a": nil}, "whole": nil, "new": nil},
		object{"scalar": nil, "object": object{"a": nil, "b": 2}, "whole": nil, "new": nil})
}

func checkMergeKinds(p *probe) {
	checkMode(p, "merge",
		object{"object": object{"a": 1}, "scalar": 1, "list": []any{1}},
		object{"object": 2, "scalar": object{"b": 2}, "list": object{"c": 3}},
		object{"object": 2, "scalar": object{"b": 2}, "list": object{"c": 3}})
}

func checkMergeEmpty(p *probe) {
	stored := object{"a": object{"b": 1}}
	checkMode(p, "merge", stored, object{}, stored)
	checkMode(p, "merge", stored, object{"a": object{}}, stored)
}

func checkReplace(p *probe) {
	stored := object{"a": 1, "crm": object{"owner": "Aline", "team": "sul"}}
	sent := object{"crm": object{"owner": "Jonas"}, "nothing": nil}
	checkMode(p, "replace", stored, sent, sent)
}

func checkReplaceDefault(p *probe) {
	sent := object{"crm": object{"owner": "Jonas"}, "nothing": nil}
	checkMode(p, "", object{"a": 1, "crm": object{"team": "sul"}}, sent, sent)
}

func checkReplaceEmpty(p *probe) {
	path, _ := p.customer(object{"custom_metadata": object{"a": 1}})
	p.patch(path, object{"custom_metadata": object{}, "custom_metadata_mode": "replace"}).
		wantStatus(http.StatusOK).wantEmpty("data.custom_metadata")
	p.get(path).wantEmpty("data.custom_metadata")
}

func checkMetadataLeft(p *probe) {
	stored := object{"a": object{"b": nil}}
	path, _ := p.customer(object{"custom_metadata": stored})
	p.patch(path, object{"notes": "depois"}).wantStatus(http.StatusOK).want("data.custom_metadata", stored)
}

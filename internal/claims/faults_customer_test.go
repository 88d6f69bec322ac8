package claims_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

var customerFaults = []fault{
	{name: "200 for a creation", breaks: []int{51, 53},
		spoil: whenStatus(201, 201, func(in *inFlight) { in.status = 200 })},
	{name: "the created customer is not wrapped", breaks: []int{51, 52},
		spoil: whenStatus(201, 201, func(in *inFlight) { setAt(in.got, "data", at(in.got, "data.customer")) })},
	{name: "a misspelled member", breaks: []int{51},
		spoil: onCustomers(func(c object) { c["publicId"] = c["public_id"]; delete(c, "public_id") })},
	{name: "notes are not returned", breaks: []int{52}, spoil: onCustomers(func(c object) { c["notes"] = nil })},
	{name: "addresses lose their neighborhood", breaks: []int{52, 71}, spoil: onCustomers(func(c object) {
		for _, address := range items(c["addresses"]) {
			delete(address, "neighborhood")
		}
	})},
	{name: "no account unless asked", breaks: []int{53}, rewrite: onCreate(func(sent object) {
		if _, ok := sent["create_billing_account"]; !ok {
			sent["create_billing_account"] = false
		}
	})},
	{name: "always an account", breaks: []int{54},
		rewrite: onCreate(func(sent object) { delete(sent, "create_billing_account") })},
	{name: "the account's fields are dropped", breaks: []int{56},
		rewrite: onCreate(func(sent object) { delete(sent, "payment_terms_days") })},
	{name: "email is ignored", breaks: []int{57}, rewrite: func(in *inFlight) { delete(in.sent, "email") }},
	{name: "email becomes the last item", breaks: []int{57}, spoil: onCustomers(func(c object) {
		if list, ok := c["emails"].([]any); ok {
			slices.Reverse(list)
		}
	})},
	{name: "email is added again", breaks: []int{57, 58}, spoil: onCustomers(func(c object) {
		if list := items(c["emails"]); len(list) > 1 {
			c["emails"] = append(c["emails"].([]any), list[0])
		}
	})},
	{name: "the punctuation is removed", breaks: []int{52}, spoil: onCustomers(func(c object) {
		if number, ok := c["document_number"].(string); ok {
			c["document_number"] = strings.NewReplacer(".", "", "-", "", "/", "").Replace(number)
		}
	})},
	{name: "ids are numbers", breaks: []int{61}, spoil: onCustomers(func(c object) { c["public_id"] = "7" })},
	{name: "the same public_id for all", only: 61,
		spoil: onCustomers(func(c object) { c["public_id"] = "4b3e1d0a-5f0c-4d6e-8a51-0c2f6b7d9e10" })},
	{name: "dates without milliseconds", breaks: []int{62, 133},
		spoil: func(in *inFlight) {
			onCustomers(func(c object) { c["created_at"] = "2025-05-06T14:22:09Z" })(in)
			onData(accounts, func(a object) { setAt(a, "customer.created_at", "2025-05-06T14:22:09Z") })(in)
		}},
	{name: "created_at moves with updated_at", breaks: []int{62, 71},
		spoil: onCustomers(func(c object) { c["created_at"] = c["updated_at"] })},
	{name: "an update is a replacement", breaks: []int{71}, rewrite: onUpdate(func(sent object) {
		for _, field := range []string{"external_id", "nickname", "legal_name", "document_number", "notes",
			"custom_metadata"} {
			if _, ok := sent[field]; !ok {
				sent[field] = nil
			}
		}
	})},
	{name: "an update drops the tags", breaks: []int{71},
		rewrite: onUpdate(func(sent object) { delete(sent, "tags") })},
	{name: "the update returns the previous object", breaks: []int{71, 74}, rewrite: func(in *inFlight) {
		if in.method == http.MethodPatch {
			in.method = http.MethodGet
		}
	}},
	{name: "null changes nothing", breaks: []int{74, 75}, rewrite: onUpdate(func(sent object) {
		maps.DeleteFunc(sent, func(_ string, value any) bool { return value == nil })
	})},
	{name: "an empty list changes nothing", breaks: []int{76}, rewrite: onUpdate(func(sent object) {
		maps.DeleteFunc(sent, func(_ string, value any) bool { list, ok := value.([]any); return ok && len(list) == 0 })
	})},
}

var metadataFaults = []fault{
	{name: "nulls are dropped", breaks: []int{81, 85, 88}, spoil: onMetadata(withoutNulls)},
	{name: "numbers lose precision", only: 82, spoil: onMetadata(throughDouble)},
	{name: "keys are converted to lower case", breaks: []int{81}, spoil: onMetadata(func(value any) any {
		members, ok := value.(object)
		if !ok {
			return value
		}
		lower := object{}
		for name, member := range members {
			lower[strings.ToLower(name)] = member
		}
		return lower
	})},
	{name: "merge replaces", breaks: []int{83, 84, 85, 167, 246},
		rewrite: onUpdate(func(sent object) { delete(sent, "custom_metadata_mode") })},
	{name: "merge is shallow", breaks: []int{83, 85}, spoil: shallowMerge},
	{name: "merge ignores values that are not objects", breaks: []int{83, 84, 85, 86}, rewrite: onMerge(func(sent object) {
		maps.DeleteFunc(sent, func(_ string, value any) bool { _, ok := value.(object); return !ok })
	})},
	{name: "merge ignores null", only: 85, rewrite: onMerge(func(sent object) {
		maps.DeleteFunc(sent, func(_ string, value any) bool { return value == nil })
	})},
	{name: "every update merges", breaks: []int{71, 88, 90, 161, 167, 241, 246}, rewrite: onUpdate(func(sent object) {
		if sent["custom_metadata"] != nil {
			sent["custom_metadata_mode"] = "merge"
		}
	})},
}

func onCreate(act func(object)) func(*inFlight) {
	return func(in *inFlight) {
		if in.method == http.MethodPost && in.sent != nil {
			act(in.sent)
		}
	}
}

// noCompany removes an invalid value, which is rejected nevertheless.
func noCompany(method string) func(*inFlight) {
	return func(in *inFlight) {
		if in.method == method && in.sent["kind"] == "company" {
			in.mark = "company"
			delete(in.sent, "kind")
		}
	}
}

func onUpdate(act func(object)) func(*inFlight) {
	return func(in *inFlight) {
		if in.method == http.MethodPatch && in.sent != nil {
			act(in.sent)
		}
	}
}

// onMerge changes the custom_metadata of an update in merge mode.
func onMerge(act func(object)) func(*inFlight) {
	return onUpdate(func(sent object) {
		if metadata, ok := sent["custom_metadata"].(object); ok && sent["custom_metadata_mode"] == "merge" {
			act(metadata)
		}
	})
}

// shallowMerge returns nested objects as they were sent, like a server that merges only at the top level.
func shallowMerge(in *inFlight) {
	stored, ok := at(in.got, "data.custom_metadata").(object)
	if !ok || in.method != http.MethodPatch {
		return
	}
	onMerge(func(sent object) { maps.Copy(stored, sent) })(in)
}

// onCustomers changes every customer in a response: single, created or listed.
func onCustomers(act func(object)) func(*inFlight) {
	return func(in *inFlight) {
		if !strings.HasPrefix(in.path, "/v1/customers") {
			return
		}
		for _, path := range []string{"data", "data.customer"} {
			if customer, ok := at(in.got, path).(object); ok && customer["id"] != nil {
				act(customer)
			}
		}
		for _, customer := range items(at(in.got, "data")) {
			act(customer)
		}
	}
}

func onMetadata(convert func(any) any) func(*inFlight) {
	return onCustomers(func(c object) { c["custom_metadata"] = convert(c["custom_metadata"]) })
}

func withoutNulls(value any) any {
	o, ok := value.(object)
	if !ok {
		return value
	}
	kept := object{}
	for name, member := range o {
		if member != nil {
			kept[name] = withoutNulls(member)
		}
	}
	return kept
}

func throughDouble(value any) any {
	raw, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	var lossy any
	if err := json.Unmarshal(raw, &lossy); err != nil {
		panic(err)
	}
	return lossy
}

// at returns the value at a path of member names and positions, or nil.
func at(value any, path string) any {
	for step := range strings.SplitSeq(path, ".") {
		switch node := value.(type) {
		case object:
			value = node[step]
		case []any:
			i, err := strconv.Atoi(step)
			if err != nil || i >= len(node) {
				return nil
			}
			value = node[i]
		default:
			return nil
		}
	}
	return value
}

// parent returns the object that contains the last member of the path.
func parent(value any, path string) (object, string) {
	i := strings.LastIndex(path, ".")
	if i < 0 {
		holder, _ := value.(object)
		return holder, path
	}
	holder, _ := at(value, path[:i]).(object)
	return holder, path[i+1:]
}

func setAt(value any, path string, member any) {
	if holder, name := parent(value, path); holder != nil {
		holder[name] = member
	}
}

func deleteAt(value any, path string) {
	holder, name := parent(value, path)
	delete(holder, name)
}

// items returns the objects of an array.
func items(value any) []object {
	list, _ := value.([]any)
	var objects []object
	for _, item := range list {
		if o, ok := item.(object); ok {
			objects = append(objects, o)
		}
	}
	return objects
}

var refusalFaults = []fault{
	{name: "400 for an invalid value", breaks: []int{101, 110, 111},
		spoil: whenStatus(422, 422, func(in *inFlight) { in.status = 400 })},
	{name: "another code for an invalid value", breaks: []int{101, 110},
		spoil: whenStatus(422, 422, func(in *inFlight) { setAt(in.got, "error.code", "invalid") })},
	{name: "missing details", breaks: []int{101, 110, 111},
		spoil: whenStatus(422, 422, func(in *inFlight) { deleteAt(in.got, "error.details") })},
	{name: "a missing name gets a default", breaks: []int{101}, rewrite: onCreate(func(sent object) {
		if sent["name"] == nil {
			sent["name"] = "unnamed"
		}
	})},
	{name: "a rejected create creates the object", breaks: []int{106}, rewrite: noCompany(http.MethodPost), spoil: func(in *inFlight) {
		if in.mark != "" && in.method == http.MethodPost && in.status == http.StatusCreated {
			in.status = http.StatusUnprocessableEntity
			in.got = object{"error": object{"code": "validation_error", "message": "no",
				"details": object{"fields": object{"kind": "no"}}}}
		}
	}},
	{name: "a rejected update changes some fields", breaks: []int{109}, rewrite: noCompany(http.MethodPatch), spoil: func(in *inFlight) {
		if in.mark != "" && in.method == http.MethodPatch && in.status == http.StatusOK {
			in.status = http.StatusUnprocessableEntity
			in.got = object{"error": object{"code": "validation_error", "message": "no",
				"details": object{"fields": object{"kind": "no"}}}}
		}
	}},
	{name: "external_id_taken without the id", breaks: []int{110, 111},
		spoil: whenStatus(422, 422, func(in *inFlight) { deleteAt(in.got, "error.details.id") })},
	{name: "an update accepts any external_id", breaks: []int{71, 111}, rewrite: onUpdate(func(sent object) {
		if external, ok := sent["external_id"].(string); ok {
			sent["external_id"] = external + " "
		}
	})},
	{name: "one's own external_id is taken", breaks: []int{71, 112}, rewrite: func(in *inFlight) {
		if in.method == http.MethodPatch && in.sent["external_id"] != nil {
			in.status = http.StatusUnprocessableEntity
		}
	}},
	{name: "delete returns 204", breaks: []int{121},
		spoil: onDelete(func(in *inFlight) { in.status, in.got = http.StatusNoContent, nil })},
	{name: "delete returns false", breaks: []int{121},
		spoil: onDelete(func(in *inFlight) { setAt(in.got, "data.deleted", false) })},
	{name: "delete has no effect", breaks: []int{5, 122, 123, 124, 125}, rewrite: func(in *inFlight) {
		if in.method == http.MethodDelete {
			in.status, in.got = http.StatusOK, object{"data": object{"deleted": true}}
		}
	}},
	{name: "a second delete succeeds", breaks: []int{5, 122}, spoil: func(in *inFlight) {
		if in.method == http.MethodDelete && in.status == http.StatusNotFound {
			in.status, in.got = http.StatusOK, object{"data": object{"deleted": true}}
		}
	}},
}

var accountFaults = []fault{
	{name: "a deleted customer's account stays active", breaks: []int{125, 171, 175}, rewrite: func(in *inFlight) {
		if in.path == accounts && in.query.Get("status") == "active" {
			in.query.Del("status")
		}
	}, spoil: func(in *inFlight) {
		onAccounts(func(a object) { a["status"] = "active" })(in)
		if in.path == accounts && in.query.Has("status") {
			setAt(in.got, "data", []any{})
		}
	}},
	{name: "the customer is missing", breaks: []int{133},
		spoil: onAccounts(func(a object) { delete(a, "customer") })},
	{name: "the customer is incomplete", breaks: []int{133},
		spoil: onAccounts(func(a object) { deleteAt(a, "customer.addresses") })},
	{name: "customer_id is ignored", breaks: []int{54, 135}, rewrite: func(in *inFlight) {
		in.query.Del("customer_id")
		if in.path == "/v1/customers" && in.sent != nil {
			delete(in.sent, "create_billing_account")
		}
	}},
	{name: "status is ignored", breaks: []int{136, 311}, rewrite: func(in *inFlight) { in.query.Del("status") }},
}

func onDelete(act func(*inFlight)) func(*inFlight) {
	return func(in *inFlight) {
		if in.method == http.MethodDelete && in.status == http.StatusOK {
			act(in)
		}
	}
}

// onAccounts changes every account in the response to a single read.
func onAccounts(act func(object)) func(*inFlight) {
	return func(in *inFlight) {
		if account, ok := at(in.got, "data").(object); ok && strings.HasPrefix(in.path, "/v1/billing-accounts/") {
			act(account)
		}
	}
}

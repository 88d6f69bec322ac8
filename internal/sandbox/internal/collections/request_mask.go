package collections

import (
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/server"
)

// maskedField is in the request log where a credential was.
const maskedField = "[REDACTED]"

// shownOnce are the fields of a response that hold a credential.
var shownOnce = []string{"secret", "token"}

// Loggable is the body of a request or a response as the log may keep it. Bodies carry credentials in authentication:
// of that object only what comes back in responses is kept, so that a misspelt field does not reveal one. Responses
// carry the credentials that are shown once. A body that cannot be read is not kept at all.
func Loggable(body []byte) []byte {
	if len(body) == 0 {
		return body
	}
	value, err := server.Decode(body)
	object, ok := value.(map[string]any)
	if err != nil || !ok {
		return nil
	}
	if !mask(object) {
		return body
	}
	masked, err := server.Encode(object)
	if err != nil {
		return nil
	}
	return masked
}

// mask hides the credentials of an object, and of the objects in data, and reports whether there were any.
func mask(object map[string]any) (found bool) {
	if given, ok := object["authentication"]; ok {
		object["authentication"], found = maskedAuthentication(given), true
	}
	for _, name := range shownOnce {
		if _, ok := object[name]; ok {
			object[name], found = maskedField, true
		}
	}
	switch data := object["data"].(type) {
	case map[string]any:
		return mask(data) || found
	case []any:
		for _, element := range data {
			if inner, ok := element.(map[string]any); ok && mask(inner) {
				found = true
			}
		}
	}
	return found
}

func maskedAuthentication(given any) any {
	fields, ok := given.(map[string]any)
	if !ok {
		return maskedField
	}
	for name := range fields {
		if name != "type" && name != "username" && name != "name" {
			fields[name] = maskedField
		}
	}
	return fields
}

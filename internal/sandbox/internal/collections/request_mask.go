package collections

import (
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/server"
)

// maskedField stands in the request log where a credential was.
const maskedField = "[REDACTED]"

// Loggable is a request body as the log may keep it. Bodies carry credentials in
// authentication: of that object only what comes back in responses is kept, so
// that a misspelt field does not give one away. A body that cannot be read is not
// kept at all.
func Loggable(body []byte) []byte {
	if len(body) == 0 {
		return body
	}
	value, err := server.Decode(body)
	object, ok := value.(map[string]any)
	if err != nil || !ok {
		return nil
	}
	given, ok := object["authentication"]
	if !ok {
		return body
	}
	object["authentication"] = maskedAuthentication(given)
	masked, err := server.Encode(object)
	if err != nil {
		return nil
	}
	return masked
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

package contract_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"time"
)

func (f *faithful) key(r *http.Request, id, step string, sent object) reply {
	key, _ := find(f.keys, id)
	switch {
	case id == "" && r.Method == http.MethodGet:
		return list(f.keys, r.URL.Query(), f.most)
	case id == "" && r.Method == http.MethodPost:
		return f.createKey(sent)
	case key == nil:
		return notFound
	case step == "rotate":
		return f.rotateKey(key, sent)
	case r.Method == http.MethodGet:
		return ok(key)
	case r.Method == http.MethodDelete:
		f.revokeKey(key)
		return reply{status: http.StatusNoContent}
	}
	return reply{status: http.StatusMethodNotAllowed, err: "method_not_allowed"}
}

func (f *faithful) createKey(sent object) reply {
	if wrong := validateKey(sent); len(wrong) > 0 {
		return invalid(wrong)
	}
	key := object{"description": nil, "scopes": []any{}, "expiresAt": nil}
	maps.Copy(key, sent)
	if expires := parse(sent["expiresAt"]); !expires.IsZero() {
		key["expiresAt"] = moment(expires)
	}
	return reply{status: http.StatusCreated, body: object{"data": f.addKey(key)}}
}

// addKey completes a key that has its name, description, scopes and expiry, and
// shows it with its token.
func (f *faithful) addKey(key object) object {
	id := newUUID()
	prefix := "key_" + id[:8]
	maps.Copy(key, object{
		"id": id, "keyPrefix": prefix, "source": "api", "lastUsedAt": nil, "revokedAt": nil, "createdAt": f.moment(),
	})
	f.keys = append(f.keys, key)
	token := prefix + newUUID()
	f.tokens[token] = id
	answer := maps.Clone(key)
	answer["token"] = token
	return answer
}

func validateKey(sent object) object {
	wrong := object{}
	if _, is := sent["name"]; !is {
		wrong["name"] = "is required"
	}
	for field, value := range sent {
		valid := false
		switch field {
		case "name":
			valid = isText(value)
		case "description":
			valid = value == nil || isText(value)
		case "scopes":
			_, valid = value.([]any)
		case "expiresAt":
			valid = value == nil || !parse(value).IsZero()
		}
		if !valid {
			wrong[field] = "is not valid here"
		}
	}
	return wrong
}

// rotateKey gives a key a successor and ends its life with the grace.
func (f *faithful) rotateKey(key, sent object) reply {
	days := int64(7)
	if value, is := sent["graceDays"]; is {
		number, _ := value.(json.Number)
		var err error
		if days, err = number.Int64(); err != nil || days < 0 || days > 30 {
			return invalid(object{"graceDays": "must be an integer from 0 to 30"})
		}
	}
	if key["revokedAt"] != nil || f.rotated[key["id"]] {
		return reply{status: http.StatusConflict, err: "key_not_active"}
	}
	successor := f.addKey(object{
		"name": key["name"], "description": key["description"], "scopes": key["scopes"], "expiresAt": key["expiresAt"],
	})
	grace := f.now.Add(time.Duration(days) * 24 * time.Hour)
	if expires := parse(key["expiresAt"]); expires.IsZero() || grace.Before(expires) {
		key["expiresAt"] = moment(grace)
	}
	f.rotated[key["id"]] = true
	successor["predecessorId"], successor["graceUntil"] = key["id"], moment(grace)
	f.emitKey("api_key.rotated", key, object{"successorId": successor["id"], "graceUntil": moment(grace)})
	return ok(successor)
}

func (f *faithful) revokeKey(key object) {
	if key["revokedAt"] != nil {
		return
	}
	key["revokedAt"] = f.moment()
	f.emitKey("api_key.status_changed", key, object{"previousStatus": "active", "newStatus": "revoked"})
	f.emitKey("api_key.revoked", key, nil)
}

// emitKey sends an event about a key to whoever wants it.
func (f *faithful) emitKey(event string, key, more object) {
	data := maps.Clone(key)
	maps.Copy(data, more)
	one := newEvent(f, event, data)
	for _, endpoint := range f.endpoints {
		wanted := texts(endpoint["events"])
		if endpoint["active"] == true && (len(wanted) == 0 || slices.Contains(wanted, event)) {
			f.schedule(endpoint, one)
		}
	}
}

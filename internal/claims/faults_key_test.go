package claims_test

import (
	"encoding/json"
	"net/http"
	"path"
	"slices"
	"strings"
	"time"
)

var collectionsFaults = []fault{
	{name: "every caller can access collections", breaks: []int{532, 548, 549, 552, 566, 567, 573},
		rewrite: letIn("")},
	{name: "endpoints need no key", breaks: []int{532}, rewrite: letIn(hooks)},
	{name: "keys need no key", breaks: []int{532, 552}, rewrite: letIn(keys)},
	{name: "empty errors at collections", breaks: []int{514, 521, 532, 534, 552, 570, 614},
		spoil: whenStatus(400, 499, func(in *inFlight) { in.got = nil })},
	{name: "400 for an unknown id", breaks: []int{514, 534},
		spoil: whenStatus(404, 404, func(in *inFlight) { in.status = http.StatusBadRequest })},
	{name: "any delivery can be sent again", breaks: []int{534, 611, 612, 613, 614},
		rewrite: onCall(http.MethodPost, redo, func(in *inFlight) {
			if in.proxy.one(path.Dir(in.path)) == nil {
				in.status, in.got = http.StatusAccepted, object{}
			}
		})},
	{name: "any key can be revoked", breaks: []int{532, 534}, rewrite: onCall(http.MethodDelete, oneKey,
		func(in *inFlight) {
			if in.proxy.one(in.path) == nil {
				in.status = http.StatusNoContent
			}
		})},
	{name: "per_page is ignored at collections", breaks: []int{536, 538, 624}, rewrite: func(in *inFlight) {
		in.query.Del("per_page")
	}},
	{name: "the page is ignored at collections", breaks: []int{536, 538, 624}, rewrite: func(in *inFlight) {
		in.query.Del("page")
	}},
	{name: "total counts the page at collections", breaks: []int{536, 538, 624},
		spoil: onCall(http.MethodGet, hooks, func(in *inFlight) {
			list, _ := at(in.got, "data").([]any)
			setAt(in.got, "meta.total", json.Number(itoa(len(list))))
		}, keys, records)},
	{name: "lists cannot be read", breaks: []int{536, 537, 538, 539, 624},
		spoil: onCall(http.MethodGet, hooks, func(in *inFlight) {
			in.status = http.StatusForbidden
			in.got = object{"error": object{"code": "insufficient_scope", "message": "no"}}
		}, keys, records)},
	{name: "the newest comes first", breaks: []int{537, 539, 624},
		spoil: onCall(http.MethodGet, hooks, func(in *inFlight) {
			list, _ := at(in.got, "data").([]any)
			slices.Reverse(list)
		}, keys, records)},
	{name: "every endpoint lists all deliveries", breaks: []int{623, 624},
		spoil: onCall(http.MethodGet, records, func(in *inFlight) {
			var all []any
			for _, endpoint := range in.proxy.all(hooks) {
				for _, record := range in.proxy.all(hooks + "/" + endpoint["id"].(string) + "/deliveries") {
					all = append(all, record)
				}
			}
			setAt(in.got, "data", all)
			setAt(in.got, "meta.total", json.Number(itoa(len(all))))
		})},
}

var keyFaults = []fault{
	{name: "a created key without its source", breaks: []int{541},
		spoil: onCall(http.MethodPost, keys, func(in *inFlight) { deleteAt(in.got, "data.source") })},
	{name: "expiresAt is not converted to UTC", breaks: []int{541},
		spoil: onCall(http.MethodPost, keys, func(in *inFlight) { setAt(in.got, "data.expiresAt", in.sent["expiresAt"]) })},
	{name: "a new key has every scope", breaks: []int{542},
		rewrite: onSent(http.MethodPost, keys, func(sent object) { setDefault(sent, "scopes", []any{"*"}) })},
	{name: "a new key expires", breaks: []int{542}, rewrite: onSent(http.MethodPost, keys, func(sent object) {
		if sent["expiresAt"] == nil {
			sent["expiresAt"] = "2099-01-01T00:00:00Z"
		}
	})},
	{name: "the token does not start with its keyPrefix", breaks: []int{543},
		spoil: onCall(http.MethodPost, keys, func(in *inFlight) { setAt(in.got, "data.keyPrefix", "other") })},
	{name: "keyPrefix is the token", breaks: []int{543},
		spoil: onCall(http.MethodPost, keys,
			func(in *inFlight) { setAt(in.got, "data.keyPrefix", at(in.got, "data.token")) })},
	{name: "the same token for all", breaks: []int{543}, spoil: onCall(http.MethodPost, keys, func(in *inFlight) {
		setAt(in.got, "data.token", "key_same")
		setAt(in.got, "data.keyPrefix", "key")
	})},
	{name: "reads return a token", breaks: []int{544, 561},
		spoil: onCall(http.MethodGet, oneKey, func(in *inFlight) { setAt(in.got, "data.token", nil) })},
	{name: "lists return a token", only: 544, spoil: onCall(http.MethodGet, keys, func(in *inFlight) {
		for _, key := range items(at(in.got, "data")) {
			key["token"] = nil
		}
	})},
	{name: "reads return another keyPrefix", breaks: []int{544, 568},
		spoil: onCall(http.MethodGet, oneKey, func(in *inFlight) { setAt(in.got, "data.keyPrefix", "other") })},
	{name: "lastUsedAt stays null", only: 546,
		spoil: onCall(http.MethodGet, oneKey, func(in *inFlight) { setAt(in.got, "data.lastUsedAt", nil) })},
	{name: "lastUsedAt is set from the start", breaks: []int{542, 546}, spoil: onCall("", keys, func(in *inFlight) {
		if key, ok := at(in.got, "data").(object); ok {
			key["lastUsedAt"] = key["createdAt"]
		}
	}, oneKey)},
	{name: "keys do not expire", breaks: []int{541, 548, 569},
		rewrite: onSent(http.MethodPost, keys, func(sent object) { delete(sent, "expiresAt") })},
	{name: "a revocation returns a body", breaks: []int{549}, spoil: onCall(http.MethodDelete, oneKey,
		func(in *inFlight) { in.status, in.got = http.StatusOK, object{} })},
	{name: "a revocation has no effect", breaks: []int{532, 534, 549, 550, 551, 571, 573},
		rewrite: onCall(http.MethodDelete, oneKey, func(in *inFlight) { in.status = http.StatusNoContent })},
	{name: "a revoked key is missing", breaks: []int{550, 551}, spoil: onCall(http.MethodGet, oneKey, func(in *inFlight) {
		if at(in.got, "data.revokedAt") != nil {
			in.status = http.StatusNotFound
		}
	})},
	{name: "a revoked key is listed with another time", only: 550, spoil: listing(keys, func(key object) {
		if revoked := parse(key["revokedAt"]); !revoked.IsZero() {
			key["revokedAt"] = moment(revoked.Add(time.Hour))
		}
	})},
	{name: "a second revocation is rejected", breaks: []int{551},
		rewrite: onRevoked(func(in *inFlight, _ object) { in.status = http.StatusConflict })},
	remembering(secondRevocationFault),
	{name: "a rejection for scopes without details", breaks: []int{552},
		spoil: whenStatus(403, 403, func(in *inFlight) { deleteAt(in.got, "error.details") })},
	{name: "empty scopes allow nothing", breaks: []int{532, 549, 552},
		rewrite: onCall(http.MethodGet, hooks, func(in *inFlight) {
			if in.header.Get("Authorization") != "Bearer "+in.proxy.target.CollectionsAPIKey {
				in.status, in.got = http.StatusForbidden, object{"error": object{"code": "insufficient_scope", "message": "no"}}
			}
		})},
	{name: "only the first key may rotate", breaks: []int{532, 553}, rewrite: onCall(http.MethodPost, rotation,
		func(in *inFlight) {
			if in.header.Get("Authorization") != "Bearer "+in.proxy.target.CollectionsAPIKey {
				in.status = http.StatusForbidden
			}
		})},
}

// secondRevocationFault changes revokedAt when a revoked key is revoked again.
func secondRevocationFault() fault {
	again := map[string]bool{}
	return fault{name: "a second revocation changes revokedAt", only: 551,
		rewrite: onRevoked(func(in *inFlight, _ object) { again[in.id()] = true }),
		spoil: onCall(http.MethodGet, oneKey, func(in *inFlight) {
			if again[in.id()] {
				setAt(in.got, "data.revokedAt", moment(in.proxy.sandbox.Clock().Now().Add(time.Hour)))
			}
		})}
}

var rotationFaults = []fault{
	{name: "a successor keeps the id", breaks: []int{561}, spoil: onCall(http.MethodPost, rotation,
		func(in *inFlight) { setAt(in.got, "data.id", at(in.got, "data.predecessorId")) })},
	{name: "a successor keeps the keyPrefix", only: 561,
		spoil: onSuccessor(func(successor, old object) { successor["keyPrefix"] = old["keyPrefix"] })},
	{name: "a successor without predecessorId", breaks: []int{561, 572},
		spoil: onSuccessor(func(successor, _ object) { delete(successor, "predecessorId") })},
	{name: "a successor has no description", only: 562,
		spoil: onSuccessor(func(successor, _ object) { successor["description"] = nil })},
	{name: "a successor has all permissions", breaks: []int{562},
		spoil: onSuccessor(func(successor, _ object) { successor["scopes"] = []any{} })},
	{name: "a successor never expires", breaks: []int{562, 569},
		spoil: onSuccessor(func(successor, _ object) { successor["expiresAt"] = nil })},
	{name: "a successor expires with the old key", breaks: []int{562},
		spoil: onSuccessor(func(successor, old object) { successor["expiresAt"] = old["expiresAt"] })},
	{name: "a grace period of one day", only: 563, rewrite: onSent(http.MethodPost, rotation,
		func(sent object) { setDefault(sent, "graceDays", 1) })},
	{name: "graceDays is ignored", breaks: []int{564, 566, 567}, rewrite: onSent(http.MethodPost, rotation,
		func(sent object) { delete(sent, "graceDays") })},
	{name: "old keys never expire", breaks: []int{566, 567, 568},
		rewrite: onOwnKey(func(in *inFlight, id string) bool { return in.proxy.rotated[id] != "" }),
		spoil: onCall(http.MethodGet, oneKey, func(in *inFlight) {
			if in.proxy.rotated[in.id()] != "" {
				setAt(in.got, "data.expiresAt", nil)
			}
		})},
	{name: "there is no grace period", breaks: []int{563, 564, 566, 572}, rewrite: onSent(http.MethodPost, rotation,
		func(sent object) { sent["graceDays"] = 0 })},
	{name: "a rotation revokes the old key", breaks: []int{566, 568, 572}, spoil: onCall(http.MethodPost, rotation,
		func(in *inFlight) {
			in.proxy.ask(http.MethodDelete, in.parentPath(), nil)
		})},
	{name: "the grace period replaces an earlier expiry", only: 569,
		spoil: onCall(http.MethodGet, oneKey, func(in *inFlight) {
			if until := in.proxy.grace[in.id()]; until != nil {
				setAt(in.got, "data.expiresAt", until)
			}
		})},
	{name: "a rotated key can be rotated again", only: 570, rewrite: onCall(http.MethodPost, rotation,
		func(in *inFlight) {
			if successor := in.proxy.rotated[in.parent()]; successor != "" {
				in.path = keys + "/" + successor + "/rotate"
			}
		})},
	{name: "a revoked key can be rotated", only: 571, rewrite: onCall(http.MethodPost, rotation, func(in *inFlight) {
		if key := in.proxy.one(in.parentPath()); key["revokedAt"] != nil {
			in.status, in.got = http.StatusOK, object{"data": key}
		}
	})},
	{name: "another code for a key that is not active", breaks: []int{570, 571, 614},
		spoil: whenStatus(409, 409, func(in *inFlight) { setAt(in.got, "error.code", "conflict") })},
	{name: "only the last predecessor continues to work", only: 572, rewrite: onCall(http.MethodPost, rotation,
		func(in *inFlight) {
			for old := range in.proxy.rotated {
				in.proxy.ask(http.MethodDelete, keys+"/"+old, nil)
			}
		})},
	{name: "grace periods cannot end early", breaks: []int{573}, rewrite: onCall(http.MethodDelete, oneKey, func(in *inFlight) {
		if in.proxy.rotated[in.id()] != "" {
			in.status = http.StatusNoContent
		}
	})},
}

// letIn gives every caller below the path all permissions.
func letIn(prefix string) func(*inFlight) {
	return func(in *inFlight) {
		if strings.HasPrefix(in.path, prefix) {
			in.header.Set("Authorization", "Bearer "+in.proxy.target.CollectionsAPIKey)
		}
	}
}

// onRevoked changes the revocation of a revoked key.
func onRevoked(act func(*inFlight, object)) func(*inFlight) {
	return onCall(http.MethodDelete, oneKey, func(in *inFlight) {
		if key := in.proxy.one(in.path); key["revokedAt"] != nil {
			act(in, key)
		}
	})
}

// onOwnKey gives the keys that a claim has created all permissions.
func onOwnKey(which func(in *inFlight, id string) bool) func(*inFlight) {
	return func(in *inFlight) {
		in.proxy.mu.Lock()
		defer in.proxy.mu.Unlock()
		id, own := in.proxy.tokens[strings.TrimPrefix(in.header.Get("Authorization"), "Bearer ")]
		if own && which(in, id) {
			in.header.Set("Authorization", "Bearer "+in.proxy.target.CollectionsAPIKey)
		}
	}
}

// onSuccessor changes the response to a rotation; it also gets the old key after it.
func onSuccessor(act func(successor, old object)) func(*inFlight) {
	return onCall(http.MethodPost, rotation, func(in *inFlight) {
		old := in.proxy.one(in.parentPath())
		if successor, ok := at(in.got, "data").(object); ok && old != nil {
			act(successor, old)
		}
	})
}

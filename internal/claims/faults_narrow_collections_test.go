package claims_test

import (
	"net/http"
	"slices"
	"time"
)

var narrowCollectionsFaults = []fault{
	{name: "an inactive endpoint is created without updatedAt", only: 501,
		spoil: when(http.MethodPost, hooks, func(in *inFlight) {
			if in.sent["active"] == false {
				deleteAt(in.got, "data.updatedAt")
			}
		})},
	{name: "endpoints share a secret", only: 503, spoil: when(http.MethodPost, hooks, func(in *inFlight) {
		if slices.Equal(texts(in.sent["events"]), []string{"charge.paid"}) && in.sent["description"] == nil {
			setAt(in.got, "data.secret", "whsec_same")
		}
	})},
	{name: "a rotation returns no description", only: 512,
		spoil: returns(http.MethodPost, hook+"/rotate-secret", "data.description", nil)},
	{name: "an endpoint's deletion returns a body", only: 513,
		spoil: when(http.MethodDelete, hook, func(in *inFlight) {
			if in.status == http.StatusNoContent {
				in.status, in.got = http.StatusOK, object{"data": object{"deleted": true}}
			}
		})},
	{name: "a deleted endpoint is tested", only: 514, spoil: when(http.MethodPost, hook+"/test",
		func(in *inFlight) {
			if in.status == http.StatusNotFound && in.parent() != nobody {
				in.status = http.StatusAccepted
			}
		})},
	{name: "a key is created without a known key: 403", only: 532,
		spoil: responds(http.MethodPost, keys, 401, 403)},
	{name: "an unknown key is 400", only: 534, spoil: responds(http.MethodGet, keys+"/"+nobody, 404, 400)},
	{name: "total counts the page of endpoints", only: 536, spoil: when(http.MethodGet, hooks, countPage)},
	{name: "the newest endpoint comes first", only: 537, spoil: when(http.MethodGet, hooks, backwards)},
	{name: "total counts the page of keys", only: 538, spoil: when(http.MethodGet, keys, countPage)},
	{name: "the newest key comes first", only: 539, spoil: when(http.MethodGet, keys, backwards)},
	{name: "a key with two scopes is created without its source", only: 541,
		spoil: when(http.MethodPost, keys, func(in *inFlight) {
			if len(texts(in.sent["scopes"])) == 2 {
				deleteAt(in.got, "data.source")
			}
		})},
	{name: "a new key was used", only: 542, spoil: when(http.MethodPost, keys, func(in *inFlight) {
		if in.sent["description"] == nil {
			setAt(in.got, "data.lastUsedAt", at(in.got, "data.createdAt"))
		}
	})},
	{name: "a new keyPrefix is the token", only: 543, spoil: when(http.MethodPost, keys, func(in *inFlight) {
		if _, expires := in.sent["expiresAt"]; !expires {
			setAt(in.got, "data.keyPrefix", at(in.got, "data.token"))
		}
	})},
	{name: "an expired key cannot be read", only: 548, spoil: when(http.MethodGet, oneKey, func(in *inFlight) {
		if in.since("data.expiresAt") > 0 && in.proxy.rotated[in.id()] == "" {
			in.status = http.StatusNotFound
		}
	})},
	{name: "a revoked key works", only: 549, rewrite: onDeadKey(func(in *inFlight, key object) bool {
		return key["revokedAt"] != nil && in.proxy.rotated[key["id"].(string)] == ""
	})},
	{name: "a rejected key without scopes gets no details", only: 552, spoil: when(http.MethodPost, keys,
		func(in *inFlight) {
			if in.status == http.StatusForbidden {
				deleteAt(in.got, "error.details")
			}
		})},
	{name: "a key with scopes may not rotate", only: 553, rewrite: onDeadKey(func(in *inFlight, key object) bool {
		if in.method == http.MethodPost && len(texts(key["scopes"])) > 0 && in.path != keys {
			in.status = http.StatusForbidden
		}
		return false
	})},
	{name: "a grace period of 30 days is 14", only: 564, rewrite: when(http.MethodPost, rotation, func(in *inFlight) {
		if show(in.sent["graceDays"]) == "30" {
			in.sent["graceDays"] = 14
		}
	})},
	{name: "an old key works after its grace period", only: 566, rewrite: onDeadKey(func(in *inFlight, key object) bool {
		return in.graceOver(key) > 30*time.Minute
	})},
	{name: "an old key works for a short time", only: 567, rewrite: onDeadKey(func(in *inFlight, key object) bool {
		over := in.graceOver(key)
		return over >= 0 && over < time.Minute
	})},
	{name: "an old key has another keyPrefix", only: 568, spoil: when(http.MethodGet, oneKey,
		func(in *inFlight) {
			if in.proxy.rotated[in.id()] != "" {
				setAt(in.got, "data.keyPrefix", "other")
			}
		})},
	{name: "a revoked old key works", only: 573, rewrite: onDeadKey(func(in *inFlight, key object) bool {
		return key["revokedAt"] != nil && in.proxy.rotated[key["id"].(string)] != ""
	})},
	remembering(firstSecretFault),
	{name: "an exhausted delivery is tried again", only: 592, spoil: onRecords(func(record object) {
		if record["status"] == "exhausted" {
			record["nextRetryAt"] = record["createdAt"]
		}
	})},
	{name: "410 is recorded as 500", only: 602, spoil: onRecords(func(record object) {
		if show(record["httpCode"]) == "410" {
			record["httpCode"] = 500
		}
	})},
	{name: "the newest delivery comes first", only: 624, spoil: when(http.MethodGet, records, backwards)},
	{name: "two events are all events", only: 645, rewrite: when(http.MethodPost, hooks, func(in *inFlight) {
		if events := texts(in.sent["events"]); len(events) == 2 && events[0] == "api_key.revoked" {
			in.sent["events"] = []any{}
		}
	})},
	{name: "no events means only tests", only: 646, rewrite: when(http.MethodPost, hooks, func(in *inFlight) {
		if list, is := in.sent["events"].([]any); is && len(list) == 0 {
			in.sent["events"] = []any{"webhook.test"}
		}
	})},
	{name: "an endpoint of keys stays active", only: 647, rewrite: when(http.MethodPatch, hook,
		func(in *inFlight) {
			if in.sent["active"] == false && len(texts(in.proxy.one(in.path)["events"])) == 3 {
				in.method = http.MethodGet
			}
		})},
}

// countPage returns the number of items on a page as the total.
func countPage(in *inFlight) {
	if list, ok := at(in.got, "data").([]any); ok {
		setAt(in.got, "meta.total", len(list))
	}
}

// backwards reverses the order of a page.
func backwards(in *inFlight) {
	list, _ := at(in.got, "data").([]any)
	slices.Reverse(list)
}

// onDeadKey gives a key of the claim all permissions, depending on the key's state.
func onDeadKey(which func(*inFlight, object) bool) func(*inFlight) {
	return onOwnKey(func(in *inFlight, id string) bool {
		key := in.proxy.one(keys + "/" + id)
		return key != nil && which(in, key)
	})
}

// graceOver is the time since the end of a key's grace period if the key is not revoked; negative before its end.
func (in *inFlight) graceOver(key object) time.Duration {
	until := parse(in.proxy.grace[key["id"].(string)])
	if until.IsZero() || key["revokedAt"] != nil {
		return -1
	}
	return in.proxy.sandbox.Clock().Now().Sub(until)
}

// firstSecretFault signs with another secret until the secret is rotated.
func firstSecretFault() fault {
	rotated := map[any]bool{}
	return fault{name: "the first secret does not sign", only: 585, deliver: func(out *sending) {
		if !rotated[out.secret] {
			out.secret = "whsec_other"
		}
	}, spoil: onCall(http.MethodPost, hook+"/rotate-secret", func(in *inFlight) {
		rotated[at(in.got, "data.secret")] = true
	})}
}

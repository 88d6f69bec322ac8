package claims_test

import (
	"net/http"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
)

// The faults of the files faults_narrow_*_test.go are so narrow that only one claim detects them.

const (
	customers = "/v1/customers"
	invoices  = "/v1/invoices"
	nobody    = "00000000-0000-4000-8000-000000000000"
)

// when changes calls of that method, or of any method if it is empty, with that path, before the request or after the
// response, whatever its status.
func when(method, form string, act func(*inFlight)) func(*inFlight) {
	return func(in *inFlight) {
		if fits, err := path.Match(form, in.path); err == nil && fits && (method == "" || in.method == method) {
			act(in)
		}
	}
}

// ignoring removes a parameter of a list.
func ignoring(list, parameter string) func(*inFlight) {
	return when(http.MethodGet, list, func(in *inFlight) { in.query.Del(parameter) })
}

// ignoringFor removes a parameter of a list if it has that value.
func ignoringFor(list, parameter, value string) func(*inFlight) {
	return when(http.MethodGet, list, func(in *inFlight) {
		if in.query.Get(parameter) == value {
			in.query.Del(parameter)
		}
	})
}

// unsent removes a member of a request if it has that value; nil is null.
func unsent(method, form, member string, value any) func(*inFlight) {
	return when(method, form, func(in *inFlight) {
		if sent, is := in.sent[member]; is && sent == value {
			delete(in.sent, member)
		}
	})
}

// responds replaces one status of a response with another.
func responds(method, form string, from, to int) func(*inFlight) {
	return when(method, form, func(in *inFlight) {
		if in.status == from {
			in.status = to
		}
	})
}

// returns changes the result of a successful call.
func returns(method, form, member string, value any) func(*inFlight) {
	return when(method, form, func(in *inFlight) {
		if in.status < 300 {
			setAt(in.got, member, value)
		}
	})
}

// later returns a time a year later.
func later(of any) string { return moment(parse(of).Add(365 * 24 * time.Hour)) }

// listing changes each object of a list.
func listing(list string, act func(object)) func(*inFlight) {
	return when(http.MethodGet, list, func(in *inFlight) {
		for _, one := range items(at(in.got, "data")) {
			act(one)
		}
	})
}

// carriedOut executes a call that must be rejected because of a value, and then rejects it.
func carriedOut(method, form, member string, wrong any) (rewrite, spoil func(*inFlight)) {
	return when(method, form, func(in *inFlight) {
			if in.sent[member] == wrong {
				delete(in.sent, member)
				in.mark = "carried out"
			}
		}), func(in *inFlight) {
			if in.mark == "carried out" {
				in.status = http.StatusUnprocessableEntity
				in.got = object{"error": object{"code": "validation_error", "message": "no",
					"details": object{"fields": object{member: "no"}}}}
			}
		}
}

func carriedOutFault(name string, claim int, method, form, member string, wrong any) fault {
	f := fault{name: name, only: claim}
	f.rewrite, f.spoil = carriedOut(method, form, member, wrong)
	return f
}

// takenWithoutID removes the id from the error about a taken external_id.
func takenWithoutID(method, form string) func(*inFlight) {
	return when(method, form, func(in *inFlight) {
		if at(in.got, "error.code") == "external_id_taken" {
			deleteAt(in.got, "error.details.id")
		}
	})
}

// taken rejects a creation with the external_id of a matching object.
func taken(list string, fits func(object) bool) func(*inFlight) {
	return when(http.MethodPost, list, func(in *inFlight) {
		external, _ := in.sent["external_id"].(string)
		if external != "" && slices.ContainsFunc(in.proxy.all(list, "external_id", external), fits) {
			in.status = http.StatusUnprocessableEntity
		}
	})
}

// takenForever rejects the external_id of a deleted object.
func takenForever(name string, claim int, list string) fault {
	return remembering(func() fault {
		gone := map[any]bool{}
		return fault{name: name, only: claim, rewrite: func(in *inFlight) {
			when(http.MethodDelete, list+"/*", func(in *inFlight) {
				if found := in.proxy.one(in.path); found != nil && found["external_id"] != nil {
					gone[found["external_id"]] = true
				}
			})(in)
			when(http.MethodPost, list, func(in *inFlight) {
				if gone[in.sent["external_id"]] {
					in.status = http.StatusUnprocessableEntity
				}
			})(in)
		}}
	})
}

// replacing treats the mode replace as merge.
func replacing(form string) func(*inFlight) {
	return when(http.MethodPatch, form, func(in *inFlight) {
		if in.sent["custom_metadata_mode"] == "replace" {
			in.sent["custom_metadata_mode"] = "merge"
		}
	})
}

// merging changes the result of a merge of a customer's custom_metadata; it also gets the sent value.
func merging(act func(got, sent object)) func(*inFlight) {
	return when(http.MethodPatch, customers+"/*", func(in *inFlight) {
		got, ok := at(in.got, "data.custom_metadata").(object)
		sent, also := in.sent["custom_metadata"].(object)
		if ok && also && in.sent["custom_metadata_mode"] == "merge" {
			act(got, sent)
		}
	})
}

// unknownToken reports whether the token is none of those that a claim may have.
func unknownToken(in *inFlight) bool {
	token := strings.TrimPrefix(in.header.Get("Authorization"), "Bearer ")
	t := in.proxy.target
	return token != "" && !slices.Contains([]string{t.Token, t.RevokedToken, t.ExpiredToken, t.NarrowToken}, token)
}

// deadAs changes the status of /v1/me for a caller from 401.
func deadAs(status int, who func(*inFlight) bool) func(*inFlight) {
	return when(http.MethodGet, "/v1/me", func(in *inFlight) {
		if who(in) {
			in.status = status
		}
	})
}

var narrowConventionFaults = []fault{
	{name: "a list without Request-Id", only: 1,
		spoil: when(http.MethodGet, customers, func(in *inFlight) { in.response.Del("Request-Id") })},
	{name: "an unknown customer is 400", only: 5,
		spoil: responds(http.MethodGet, customers+"/"+nobody, 404, 400)},
	{name: "an unknown token is 403", only: 23, spoil: deadAs(http.StatusForbidden, unknownToken)},
	{name: "a revoked token is 403", only: 24, spoil: deadAs(http.StatusForbidden, func(in *inFlight) bool {
		return in.header.Get("Authorization") == "Bearer "+in.proxy.target.RevokedToken
	})},
	{name: "an expired token is 403", only: 25, spoil: deadAs(http.StatusForbidden, func(in *inFlight) bool {
		return in.header.Get("Authorization") == "Bearer "+in.proxy.target.ExpiredToken
	})},
	{name: "a narrow scope has another code", only: 26,
		spoil: when(http.MethodPost, customers, func(in *inFlight) {
			if in.status == http.StatusForbidden {
				setAt(in.got, "error.code", "forbidden")
			}
		})},
	{name: "no per_page unless requested", only: 31, spoil: when(http.MethodGet, customers, func(in *inFlight) {
		if !in.query.Has("per_page") {
			deleteAt(in.got, "meta.per_page")
		}
	})},
	{name: "a later page without customers is 404", only: 36,
		spoil: when(http.MethodGet, customers, func(in *inFlight) {
			if in.query.Has("page") && at(in.got, "data.0") == nil {
				in.status = http.StatusNotFound
			}
		})},
	{name: "customers are sorted backwards by external_id and created_at", only: 37, rewrite: when(http.MethodGet, customers,
		func(in *inFlight) {
			if by := in.query.Get("sort_by"); by == "external_id" || by == "created_at" {
				turn(in)
			}
		})},
	{name: "a sorted page of 1 is the one before", only: 39,
		rewrite: when(http.MethodGet, customers, func(in *inFlight) {
			if page := atoi(in.query.Get("page")); page > 1 && in.query.Get("per_page") == "1" && in.query.Has("sort_by") {
				in.query.Set("page", itoa(page-1))
			}
		})},
	remembering(anyWordFault),
	{name: "external_id of customers matches a part", only: 41,
		rewrite: when(http.MethodGet, customers, rename("external_id", "search"))},
	{name: "customers are sorted backwards by id", only: 46, rewrite: when(http.MethodGet, customers,
		func(in *inFlight) {
			if in.query.Get("sort_by") == "id" {
				turn(in)
			}
		})},
}

// turn reverses the requested order.
func turn(in *inFlight) {
	if in.query.Get("sort_order") == "desc" {
		in.query.Set("sort_order", "asc")
		return
	}
	in.query.Set("sort_order", "desc")
}

// anyWordFault finds all customers by a word that no customer contains.
func anyWordFault() fault {
	var names []string
	return fault{name: "search finds everything for an unknown word", only: 40, spoil: func(in *inFlight) {
		when("", customers+"*", func(in *inFlight) {
			if name, ok := in.sent["name"].(string); ok {
				names = append(names, name)
			}
		})(in)
		when(http.MethodGet, customers, func(in *inFlight) {
			word := in.query.Get("search")
			had := slices.ContainsFunc(names, func(name string) bool { return strings.Contains(name, word) })
			if all := in.proxy.all(customers); word != "" && !had && show(at(in.got, "meta.total")) == "0" {
				setAt(in.got, "data", all)
				setAt(in.got, "meta.total", len(all))
			}
		})(in)
	}}
}

var narrowCustomerFaults = []fault{
	{name: "a new customer has a tag", only: 51, spoil: when(http.MethodPost, customers, func(in *inFlight) {
		if in.sent["tags"] == nil {
			setAt(in.got, "data.customer.tags", []any{"new"})
		}
	})},
	{name: "a creation drops the birthday", only: 52,
		rewrite: when(http.MethodPost, customers, func(in *inFlight) { delete(in.sent, "birthday") })},
	{name: "a customer has no account unless requested", only: 53,
		rewrite: when(http.MethodPost, customers, func(in *inFlight) {
			setDefault(in.sent, "create_billing_account", false)
		})},
	{name: "no account is an empty object", only: 54, spoil: when(http.MethodPost, customers, func(in *inFlight) {
		if in.sent["create_billing_account"] == false {
			setAt(in.got, "data.billing_account", object{})
		}
	})},
	{name: "terms of 0 days are the default", only: 56,
		rewrite: when(http.MethodPost, customers, func(in *inFlight) {
			if in.sent["payment_terms_days"] != nil && atoi(show(in.sent["payment_terms_days"])) == 0 {
				delete(in.sent, "payment_terms_days")
			}
		})},
	{name: "phone becomes the last of phones", only: 57,
		spoil: when(http.MethodPost, customers, func(in *inFlight) {
			if list, ok := at(in.got, "data.customer.phones").([]any); ok && in.sent["phone"] != nil {
				slices.Reverse(list)
			}
		})},
	{name: "email is added again to emails", only: 58,
		spoil: when(http.MethodPost, customers, func(in *inFlight) {
			for _, email := range items(in.sent["emails"]) {
				if list, ok := at(in.got, "data.customer.emails").([]any); ok && email["value"] == in.sent["email"] {
					setAt(in.got, "data.customer.emails", append([]any{object{"value": in.sent["email"]}}, list...))
				}
			}
		})},
	{name: "a new updated_at has no milliseconds", only: 62,
		spoil: when(http.MethodPost, customers, func(in *inFlight) {
			made := parse(at(in.got, "data.customer.updated_at"))
			if !made.IsZero() && at(in.got, "data.billing_account") == nil {
				setAt(in.got, "data.customer.updated_at", made.Format(time.RFC3339))
			}
		})},
	{name: "customers are updated before they are created", only: 62, spoil: func(in *inFlight) {
		onCustomers(func(c object) { c["created_at"] = later(c["created_at"]) })(in)
		onData(accounts, func(a object) { setAt(a, "customer.created_at", later(at(a, "customer.created_at"))) })(in)
	}},
	{name: "nickname changes legal_name too", only: 71,
		rewrite: when(http.MethodPatch, customers+"/*", func(in *inFlight) {
			if in.sent["nickname"] != nil {
				in.sent["legal_name"] = in.sent["nickname"]
			}
		})},
	{name: "null does not clear birthday", only: 74,
		rewrite: unsent(http.MethodPatch, customers+"/*", "birthday", nil)},
	{name: "null does not clear phones", only: 75,
		rewrite: unsent(http.MethodPatch, customers+"/*", "phones", nil)},
	{name: "[] does not clear phones", only: 76,
		rewrite: when(http.MethodPatch, customers+"/*", func(in *inFlight) {
			if list, ok := in.sent["phones"].([]any); ok && len(list) == 0 {
				delete(in.sent, "phones")
			}
		})},
	{name: "empty text in custom_metadata is null", only: 81,
		rewrite: when(http.MethodPost, customers, func(in *inFlight) {
			metadata, _ := in.sent["custom_metadata"].(object)
			for name, value := range metadata {
				if value == "" {
					metadata[name] = nil
				}
			}
		})},
	{name: "merge goes one level deep", only: 83, spoil: merging(func(got, sent object) {
		for name, value := range sent {
			inner, _ := value.(object)
			for member, deep := range inner {
				if _, is := deep.(object); is {
					setAt(got, name+"."+member, deep)
				}
			}
		}
	})},
	{name: "merge adds to an array", only: 84, spoil: merging(func(got, sent object) {
		for name := range sent {
			if list, ok := got[name].([]any); ok {
				got[name] = append(list, nil)
			}
		}
	})},
	{name: "merge keeps an object that becomes a number", only: 86,
		rewrite: when(http.MethodPatch, customers+"/*", func(in *inFlight) {
			sent, _ := in.sent["custom_metadata"].(object)
			for name, value := range sent {
				_, becomes := value.(object)
				_, was := at(in.proxy.one(in.path), "custom_metadata."+name).(object)
				if was && !becomes && value != nil && in.sent["custom_metadata_mode"] == "merge" {
					delete(sent, name)
				}
			}
		})},
	{name: "replace drops null", only: 88, spoil: when(http.MethodPatch, customers+"/*", func(in *inFlight) {
		if in.sent["custom_metadata_mode"] == "replace" {
			setAt(in.got, "data.custom_metadata", withoutNulls(at(in.got, "data.custom_metadata")))
		}
	})},
	{name: "an empty object replaces nothing", only: 90,
		rewrite: when(http.MethodPatch, customers+"/*", func(in *inFlight) {
			if sent, ok := in.sent["custom_metadata"].(object); ok && len(sent) == 0 {
				in.method = http.MethodGet
			}
		})},
	{name: "a customer without a name is named", only: 101,
		rewrite: when(http.MethodPost, customers, func(in *inFlight) {
			if in.sent["name"] == nil {
				in.sent["name"] = "unnamed"
			}
		})},
	carriedOutFault("a rejected customer is created", 106, http.MethodPost, customers, "kind", "company"),
	carriedOutFault("a rejected update is carried out", 109, http.MethodPatch, customers+"/*", "kind", "company"),
	{name: "the id of the other customer is missing in a creation", only: 110,
		spoil: takenWithoutID(http.MethodPost, customers)},
	{name: "the id of the other customer is missing in an update", only: 111,
		spoil: takenWithoutID(http.MethodPatch, customers+"/*")},
	{name: "a customer's own external_id is taken", only: 112,
		rewrite: when(http.MethodPatch, customers+"/*", func(in *inFlight) {
			if external := in.sent["external_id"]; external != nil && external == in.proxy.one(in.path)["external_id"] {
				in.status = http.StatusUnprocessableEntity
			}
		})},
	{name: "a deletion returns additional fields", only: 121,
		spoil: returns(http.MethodDelete, customers+"/*", "data.id", nobody)},
	{name: "a customer can be deleted twice", only: 122,
		spoil: when(http.MethodDelete, customers+"/*", func(in *inFlight) {
			if in.status == http.StatusNotFound && in.id() != nobody {
				in.status, in.got = http.StatusOK, object{"data": object{"deleted": true}}
			}
		})},
	remembering(deletedFoundFault),
	takenForever("a deleted customer keeps its external_id", 124, customers),
	{name: "a deleted customer's account is active", only: 125,
		spoil: when(http.MethodGet, accounts+"/*", func(in *inFlight) {
			customer, _ := at(in.got, "data.customer.id").(string)
			if customer != "" && in.proxy.one(customers+"/"+customer) == nil {
				setAt(in.got, "data.status", "active")
			}
		})},
}

// deletedFoundFault finds a deleted customer by its full name.
func deletedFoundFault() fault {
	gone := map[string]object{}
	return fault{name: "search finds a deleted customer", only: 123,
		rewrite: when(http.MethodDelete, customers+"/*", func(in *inFlight) {
			if found := in.proxy.one(in.path); found != nil {
				gone[found["name"].(string)] = found
			}
		}), spoil: when(http.MethodGet, customers, func(in *inFlight) {
			if found := gone[in.query.Get("search")]; found != nil {
				setAt(in.got, "data", []any{found})
				setAt(in.got, "meta.total", 1)
			}
		})}
}

var narrowAccountFaults = []fault{
	{name: "an account's customer has no birthday", only: 133, spoil: func(in *inFlight) {
		if in.method == http.MethodGet {
			onData(accounts, func(a object) { setAt(a, "customer.birthday", nil) })(in)
		}
	}},
	{name: "an unknown customer_id is ignored", only: 135, rewrite: ignoringFor(accounts, "customer_id", nobody)},
	{name: "status closed is ignored", only: 136, rewrite: ignoringFor(accounts, "status", "closed")},
	{name: "accounts are sorted backwards", only: 138, rewrite: when(http.MethodGet, accounts, turn)},
	{name: "a listed account's customer has no notes", only: 139,
		spoil: listing(accounts, func(a object) { setAt(a, "customer.notes", nil) })},
	{name: "terms of 45 days are 30", only: 142, rewrite: when(http.MethodPost, accounts, func(in *inFlight) {
		if in.sent["payment_terms_days"] != nil {
			in.sent["payment_terms_days"] = 30
		}
	})},
	{name: "a new account shows another customer", only: 145,
		spoil: when(http.MethodPost, accounts, func(in *inFlight) {
			if at(in.sent, "customer.id") != nil {
				setAt(in.got, "data.customer.id", uuid.NewString())
			}
		})},
	{name: "the id of the other account is missing", only: 154, spoil: takenWithoutID("", accounts+"*")},
	{name: "auto_collection cannot be changed", only: 161,
		rewrite: when(http.MethodPatch, accounts+"/*", func(in *inFlight) {
			if _, is := in.sent["auto_collection"]; is {
				in.method = http.MethodGet
			}
		})},
	{name: "null does not clear an account's external_id", only: 164,
		rewrite: unsent(http.MethodPatch, accounts+"/*", "external_id", nil)},
	{name: "accounts always merge", only: 167, rewrite: replacing(accounts + "/*")},
	{name: "an update of an unknown account is 400", only: 168,
		spoil: responds(http.MethodPatch, accounts+"/"+nobody, 404, 400)},
	{name: "a suspension omits the time", only: 171,
		spoil: returns(http.MethodPost, accounts+"/*/suspend", "data.suspended_at", nil)},
	{name: "a suspended account stays suspended", only: 172, rewrite: onStep("/reactivate", func(in *inFlight) {
		if in.stored()["status"] == "suspended" {
			skip("/reactivate")(in)
		}
	})},
	{name: "closed accounts are listed as suspended", only: 175, spoil: when(http.MethodGet, accounts, func(in *inFlight) {
		if in.query.Get("status") == "closed" {
			listing(accounts, func(a object) { a["status"] = "suspended" })(in)
		}
	})},
	{name: "a closed account keeps its external_id", only: 177,
		rewrite: taken(accounts, func(a object) bool { return a["status"] == "closed" })},
	{name: "a deletion returns a message", only: 181,
		spoil: returns(http.MethodDelete, accounts+"/*", "data.deleted", "yes")},
	takenForever("a deleted account keeps its external_id", 182, accounts),
	{name: "updated_at_gte of accounts is ignored", only: 183, rewrite: ignoring(accounts, "updated_at_gte")},
}

// show returns a number without loss.
func show(value any) string {
	number, _ := value.(interface{ String() string })
	if number == nil {
		return ""
	}
	return number.String()
}

const (
	oneSubscription = subscriptions + "/*"
	aMonth          = 20 * 24 * time.Hour
)

// since is the time since a time of an object, by the sandbox's clock.
func (in *inFlight) since(member string) time.Duration {
	t := parse(at(in.got, member))
	if t.IsZero() {
		return 0
	}
	return in.proxy.sandbox.Clock().Now().Sub(t)
}

var narrowSubscriptionFaults = []fault{
	remembering(draftFault),
	{name: "a creation drops the notes of a subscription", only: 203,
		rewrite: when(http.MethodPost, subscriptions, func(in *inFlight) { delete(in.sent, "notes") })},
	{name: "plan_id may be null but not absent", only: 205, rewrite: subscribing(func(in *inFlight) {
		if _, is := in.sent["plan_id"]; !is {
			in.status = http.StatusUnprocessableEntity
		}
	})},
	{name: "a trial omits its start", only: 206,
		spoil: onData(subscriptions, func(s object) { s["trial_start"] = nil })},
	{name: "the offset of trial_end is ignored", only: 207, rewrite: subscribing(func(in *inFlight) {
		if end, ok := in.sent["trial_end"].(string); ok {
			in.sent["trial_end"] = strings.Replace(end, "-03:00", "Z", 1)
		}
	})},
	{name: "the id of the other subscription is missing", only: 229, spoil: takenWithoutID("", subscriptions+"*")},
	{name: "resuming an unknown subscription is 422", only: 233,
		spoil: responds(http.MethodPost, subscriptions+"/"+nobody+"/resume", 404, 422)},
	{name: "null does not clear notes", only: 243,
		rewrite: unsent(http.MethodPatch, oneSubscription, "notes", nil)},
	{name: "replace merges in a subscription", only: 246, rewrite: replacing(oneSubscription)},
	remembering(newItemsFault),
	{name: "a sync sets no quantity above 4", only: 263,
		rewrite: when(http.MethodPut, oneSubscription+"/items", func(in *inFlight) {
			for _, item := range items(in.sent["items"]) {
				if atoi(show(item["quantity"])) > 4 {
					item["quantity"] = 4
				}
			}
		})},
	{name: "pause_collection omits resumes_at", only: 271,
		spoil: onData(subscriptions, func(s object) { setAt(s, "pause_collection.resumes_at", nil) })},
	{name: "keep_as_draft needs resumes_at", only: 273, rewrite: onStep("/pause", func(in *inFlight) {
		if in.sent["behavior"] == "keep_as_draft" && in.sent["resumes_at"] == nil {
			in.status = http.StatusUnprocessableEntity
		}
	})},
	{name: "a resumption omits the time", only: 278,
		spoil: returns(http.MethodPost, oneSubscription+"/resume", "data.resumed_at", nil)},
	{name: "a plan that is reverted later stays pending", only: 283,
		rewrite: onStep("/change-plan", func(in *inFlight) {
			if in.sent["timing"] == "end_of_period" && in.sent["plan_id"] == in.stored()["plan_id"] {
				skip("/change-plan")(in)
			}
		})},
	{name: "a cancellation omits the time", only: 291,
		spoil: returns(http.MethodPost, oneSubscription+"/cancel", "data.canceled_at", nil)},
	{name: "a scheduled cancellation returns false", only: 292,
		spoil: returns(http.MethodPost, oneSubscription+"/cancel", "data.cancel_at_period_end", false)},
	{name: "an update schedules no cancellation", only: 293,
		rewrite: unsent(http.MethodPatch, oneSubscription, "cancel_at_period_end", true)},
	{name: "canceling a trial is 202", only: 297, rewrite: onStep("/cancel", func(in *inFlight) {
		if in.stored()["status"] == "trialing" {
			in.mark = "trialing"
		}
	}), spoil: func(in *inFlight) {
		if in.mark == "trialing" {
			in.status = http.StatusAccepted
		}
	}},
	{name: "a canceled subscription keeps its external_id", only: 298,
		rewrite: taken(subscriptions, func(s object) bool { return s["status"] == "canceled" })},
	{name: "external_id of subscriptions is ignored", only: 312, rewrite: ignoring(subscriptions, "external_id")},
	{name: "listed subscriptions have no amount", only: 314,
		spoil: listing(subscriptions, func(s object) { s["recurring_amount_cents"] = nil })},
	{name: "the page of subscriptions is ignored", only: 315, rewrite: ignoring(subscriptions, "page")},
	{name: "an invoice with a reason is 200", only: 321, spoil: onStep("/invoices", func(in *inFlight) {
		if in.sent["reason"] != nil && in.status == http.StatusCreated {
			in.status = http.StatusOK
		}
	})},
	{name: "an unknown subscription_id is ignored", only: 322,
		rewrite: ignoringFor(invoices, "subscription_id", nobody)},
	{name: "billing_account_id of invoices is ignored", only: 323,
		rewrite: ignoring(invoices, "billing_account_id")},
	{name: "invoices are not sorted in descending order", only: 324, rewrite: ignoring(invoices, "sort_order")},
	remembering(pendingFault),
	remembering(revertedPlanFault),
	remembering(scheduledFault),
	remembering(revertedCancelFault),
	{name: "trials do not end", only: 338, spoil: when(http.MethodGet, oneSubscription, func(in *inFlight) {
		if at(in.got, "data.status") == "active" && at(in.got, "data.trial_end") != nil {
			setAt(in.got, "data.status", "trialing")
		}
	})},
	remembering(resumedFault),
	{name: "a pause ends with the period", only: 340, spoil: when(http.MethodGet, oneSubscription,
		func(in *inFlight) {
			if at(in.got, "data.status") == "paused" && in.since("data.paused_at") > aMonth {
				setAt(in.got, "data.status", "active")
			}
		})},
}

// draftFault returns a subscription without a trial as a draft until it is paused, changed or canceled.
func draftFault() fault {
	fresh := map[any]bool{}
	return fault{name: "a new subscription is a draft", only: 202, rewrite: func(in *inFlight) {
		if _, cancels := in.sent["cancel_at_period_end"]; cancels && in.method == http.MethodPatch {
			delete(fresh, in.id())
		}
		if in.method == http.MethodPost && in.path != subscriptions && in.sent["timing"] != "end_of_period" {
			delete(fresh, in.parent())
		}
	}, spoil: func(in *inFlight) {
		if id, made := at(in.got, "data.id").(string); made && in.method == http.MethodPost && in.path == subscriptions {
			fresh[id] = at(in.got, "data.status") == "active"
		}
		onData(subscriptions, func(s object) {
			if s["status"] == "active" && fresh[s["id"]] {
				s["status"] = "draft"
			}
		})(in)
	}}
}

// newItemsFault omits the quantity of an item until a sync.
func newItemsFault() fault {
	synced := map[string]bool{}
	return fault{name: "new items have no quantity unless sent", only: 262, spoil: func(in *inFlight) {
		when(http.MethodPut, oneSubscription+"/items", func(in *inFlight) { synced[in.path] = true })(in)
		onItems(func(item object) {
			if show(item["quantity"]) == "1" && !synced[in.path] {
				item["quantity"] = nil
			}
		})(in)
	}}
}

// pendingFault keeps returning a pending plan after it has taken effect.
func pendingFault() fault {
	pending := map[string]any{}
	return fault{name: "a plan stays pending after it has taken effect", only: 334,
		rewrite: onStep("/change-plan", func(in *inFlight) {
			if delete(pending, in.parent()); in.sent["timing"] == "end_of_period" {
				pending[in.parent()] = in.sent["plan_id"]
			}
		}),
		spoil: when(http.MethodGet, oneSubscription, func(in *inFlight) {
			plan := pending[in.id()]
			if plan != nil && plan == at(in.got, "data.plan_id") && in.since("data.created_at") > aMonth {
				setAt(in.got, "data.metadata.pending_plan_id", plan)
			}
		})}
}

// revertedPlanFault executes a reverted change of plan.
func revertedPlanFault() fault {
	pending := map[string]any{}
	return fault{name: "a reverted plan takes effect", only: 335,
		rewrite: onStep("/change-plan", func(in *inFlight) {
			if in.sent["timing"] == "end_of_period" {
				pending[in.parent()] = in.sent["plan_id"]
			}
		}), spoil: when(http.MethodGet, oneSubscription, func(in *inFlight) {
			if plan := pending[in.id()]; plan != nil && in.since("data.created_at") > aMonth {
				setAt(in.got, "data.plan_id", plan)
			}
		})}
}

// scheduledFault omits the reason of a scheduled cancellation.
func scheduledFault() fault {
	scheduled := map[string]bool{}
	return fault{name: "a scheduled cancellation has no reason", only: 336,
		rewrite: onStep("/cancel", func(in *inFlight) {
			scheduled[in.parent()] = in.sent["cancel_at_period_end"] == true
		}), spoil: when(http.MethodGet, oneSubscription, func(in *inFlight) {
			if scheduled[in.id()] && at(in.got, "data.status") == "canceled" {
				setAt(in.got, "data.cancellation_reason", nil)
			}
		})}
}

// revertedCancelFault ends a subscription despite its reverted cancellation.
func revertedCancelFault() fault {
	reverted := map[string]bool{}
	return fault{name: "a reverted cancellation takes effect", only: 337,
		rewrite: updating(func(in *inFlight) {
			if in.sent["cancel_at_period_end"] == false {
				reverted[in.id()] = true
			}
		}), spoil: when(http.MethodGet, oneSubscription, func(in *inFlight) {
			if reverted[in.id()] && in.since("data.created_at") > aMonth {
				setAt(in.got, "data.status", "canceled")
			}
		})}
}

// resumedFault omits the time of an automatic resumption.
func resumedFault() fault {
	resumed := map[string]bool{}
	return fault{name: "an automatic resumption omits its time", only: 339,
		rewrite: onStep("/resume", func(in *inFlight) { resumed[in.parent()] = true }),
		spoil: when(http.MethodGet, oneSubscription, func(in *inFlight) {
			if !resumed[in.id()] {
				setAt(in.got, "data.resumed_at", nil)
			}
		})}
}

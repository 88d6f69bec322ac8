package claims_test

import (
	"maps"
	"net/http"
	"path"
	"regexp"
	"slices"
	"strings"
)

const (
	hooks    = "/api/v1/webhook-endpoints"
	hook     = hooks + "/*"
	hookStep = hook + "/*"
	records  = hook + "/deliveries"
	redo     = records + "/*/retry"
	keys     = "/api/v1/api-keys"
	oneKey   = keys + "/*"
	rotation = oneKey + "/rotate"
)

var endpointFaults = []fault{
	{name: "an endpoint is created with 200", breaks: []int{501},
		spoil: onCall(http.MethodPost, hooks, func(in *inFlight) { in.status = http.StatusOK })},
	{name: "a created endpoint without updatedAt", breaks: []int{501},
		spoil: onCall(http.MethodPost, hooks, func(in *inFlight) { deleteAt(in.got, "data.updatedAt") })},
	{name: "a new endpoint is inactive", breaks: []int{502},
		rewrite: onSent(http.MethodPost, hooks, func(sent object) { setDefault(sent, "active", false) })},
	{name: "a new endpoint wants what there is today", breaks: []int{502},
		rewrite: onSent(http.MethodPost, hooks, func(sent object) { setDefault(sent, "events", []any{"charge.paid"}) })},
	{name: "a secret without its prefix", breaks: []int{503, 512},
		spoil: onCall(http.MethodPost, hooks, trimSecret, hookStep)},
	{name: "one secret for all", breaks: []int{503, 512},
		spoil: onCall(http.MethodPost, hooks, func(in *inFlight) { setAt(in.got, "data.secret", "whsec_same") }, hookStep)},
	{name: "reads leave the description out", breaks: []int{505, 508},
		spoil: onCall(http.MethodGet, hook, func(in *inFlight) { deleteAt(in.got, "data.description") })},
	{name: "lists leave the description out", breaks: []int{505}, spoil: onCall(http.MethodGet, hooks, func(in *inFlight) {
		for _, endpoint := range items(at(in.got, "data")) {
			delete(endpoint, "description")
		}
	})},
	{name: "credentials come back", breaks: []int{506, 510}, spoil: onCall(http.MethodGet, hook, func(in *inFlight) {
		setAt(in.got, "data.authentication", in.proxy.withheld[at(in.got, "data.id")])
	})},
	{name: "the user name does not come back", breaks: []int{506},
		spoil: onCall("", hook, func(in *inFlight) { deleteAt(in.got, "data.authentication.username") })},
	{name: "the header's name does not come back", breaks: []int{505, 506, 510},
		spoil: onCall("", hook, func(in *inFlight) { deleteAt(in.got, "data.authentication.name") })},
	{name: "400 for what is invalid at collections", breaks: []int{521},
		spoil: whenStatus(422, 422, func(in *inFlight) { in.status = 400 })},
	{name: "updates ignore active", breaks: []int{508, 614, 647},
		rewrite: onSent(http.MethodPatch, hook, func(sent object) { delete(sent, "active") })},
	{name: "updates clear what is not sent", breaks: []int{508},
		rewrite: onSent(http.MethodPatch, hook, func(sent object) { setDefault(sent, "description", nil) })},
	{name: "null leaves the description", breaks: []int{509}, rewrite: onSent(http.MethodPatch, hook, func(sent object) {
		maps.DeleteFunc(sent, func(_ string, value any) bool { return value == nil })
	})},
	{name: "an empty list leaves the events", breaks: []int{509},
		rewrite: onSent(http.MethodPatch, hook, func(sent object) {
			if list, ok := sent["events"].([]any); ok && len(list) == 0 {
				delete(sent, "events")
			}
		})},
	{name: "an authentication is merged", breaks: []int{510}, rewrite: onCall(http.MethodPatch, hook, func(in *inFlight) {
		if in.sent["authentication"] != nil {
			in.sent["authentication"] = merge(in.proxy.withheld[in.id()], in.sent["authentication"])
		}
	})},
	{name: "a rotation keeps the secret", breaks: []int{512, 587}, rewrite: onCall(http.MethodPost, hook+"/rotate-secret",
		func(in *inFlight) {
			in.status, in.got = http.StatusOK,
				object{"data": merge(in.proxy.one(in.parentPath()), object{"secret": in.proxy.secrets[in.parent()]})}
		})},
	{name: "a rotation shows no secret", breaks: []int{512}, spoil: onCall(http.MethodPost, hook+"/rotate-secret",
		func(in *inFlight) { deleteAt(in.got, "data.secret") })},
	{name: "a deletion returns a body", breaks: []int{513},
		spoil: onCall(http.MethodDelete, hook, func(in *inFlight) {
			in.status, in.got = http.StatusOK, object{"data": object{"deleted": true}}
		})},
	{name: "a deleted endpoint stays", breaks: []int{514}, rewrite: onCall(http.MethodDelete, hook,
		func(in *inFlight) { in.status = http.StatusNoContent })},
}

// addressFaults are guards with a hole, and one that shuts too much out.
var addressFaults = slices.Concat(holes(
	hole{521, `^http:`}, hole{521, `^ftp:`}, hole{521, `^(//|example)`},
	hole{522, `localhost`}, hole{522, `LOCALHOST`}, hole{522, `//127\.255`}, hole{522, `//\[::1`}, hole{522, `ffff:127`},
	hole{522, `//0\.0`}, hole{522, `//\[::\]`},
	hole{523, `//10\.0`}, hole{523, `//10\.255`}, hole{523, `//172\.16`}, hole{523, `//172\.31`}, hole{523, `//192\.168`},
	hole{524, `//169\.254`}, hole{524, `fe80`}, hole{524, `febf`}, hole{525, `fc00`}, hole{525, `fd`},
	hole{526, `//100\.64`}, hole{526, `//100\.127`}, hole{527, `ffff:10\.`}, hole{527, `a9fe`}, hole{527, `ffff:100`},
	hole{528, `\.local`}, hole{528, `\.internal`}, hole{528, `\.INTERNAL`}, hole{530, `.`},
), []fault{
	{name: "another code for internal addresses", breaks: []int{521},
		spoil: whenStatus(422, 422, func(in *inFlight) { setAt(in.got, "error.code", "invalid_url") })},
})

// hole is a form of url that a guard lets through, and the claim about it.
type hole struct {
	breaks int
	form   string
}

func holes(all ...hole) []fault {
	var faults []fault
	for _, one := range all {
		form := regexp.MustCompile(one.form)
		pass := func(sent object) {
			if address, ok := sent["url"].(string); ok && form.MatchString(address) {
				sent["url"] = "https://example.com/in"
			}
		}
		faults = append(faults, fault{name: "a guard without " + one.form, breaks: []int{one.breaks},
			rewrite: func(in *inFlight) {
				if in.path == hooks && one.breaks != 530 || in.method == http.MethodPatch {
					pass(in.sent)
				}
			}})
	}
	return faults
}

// onCall acts on calls of that method, or of any where it is empty, whose path has
// one of the forms. A call with a status of 300 or above is left out.
func onCall(method, form string, act func(*inFlight), more ...string) func(*inFlight) {
	return func(in *inFlight) {
		if method != "" && in.method != method || in.status >= 300 {
			return
		}
		for _, form := range append([]string{form}, more...) {
			if fits, err := path.Match(form, in.path); err == nil && fits {
				in.proxy.mu.Lock()
				defer in.proxy.mu.Unlock()
				act(in)
				return
			}
		}
	}
}

// onSent acts on what a call of that method and path sends.
func onSent(method, form string, act func(object)) func(*inFlight) {
	return onCall(method, form, func(in *inFlight) {
		if in.sent != nil {
			act(in.sent)
		}
	})
}

func setDefault(sent object, field string, value any) {
	if _, is := sent[field]; !is {
		sent[field] = value
	}
}

func trimSecret(in *inFlight) {
	if secret, ok := at(in.got, "data.secret").(string); ok {
		setAt(in.got, "data.secret", strings.TrimPrefix(secret, "whsec_"))
	}
}

// partly takes a field that will not do out of what is sent, and refusePartly
// rejects it once the rest is done.
func partly(field string) func(*inFlight) {
	return func(in *inFlight) {
		if _, is := in.sent[field]; is {
			delete(in.sent, field)
			in.mark = "partly " + field
		}
	}
}

func refusePartly(field string) func(*inFlight) {
	return func(in *inFlight) {
		if in.mark == "partly "+field {
			in.status = http.StatusUnprocessableEntity
			in.got = object{"error": object{"code": "validation_error", "message": "no",
				"details": object{"fields": object{field: "no"}}}}
		}
	}
}

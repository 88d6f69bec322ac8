package claims

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
)

func recordClaims() []Claim {
	const source = "Collections §2 Delivery record; wire contract: webhook_deliveries.list"
	return []Claim{
		collectionsClaim(621, source,
			"A delivery is listed with every member, and with the bodies that were sent and returned.", receiving(checkRecord)),
		collectionsClaim(622,
			"Collections §2 Delivery record, §5 Protection on the sender side; wire contract: webhook_deliveries.list",
			"No secret, credential, signature or Set-Cookie appears in a delivery: such a header contains [REDACTED].",
			receiving(checkRedacted)),
		collectionsClaim(623, "Wire contract: webhook_deliveries.list (filters)",
			"The filters status and event exclude the others, alone and combined.", receiving(checkRecordFilters)),
		collectionsClaim(624, "Wire contract: webhook_deliveries.list (paging as in recurring billing, order by createdAt)",
			"Deliveries are paged, each appears once, by createdAt with the oldest first, and only those of one endpoint.",
			receiving(checkRecordPages)),
	}
}

func checkRecord(p *probe, r *receiver) {
	r.respondWith(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `recebido: "sim"`) })
	path, _ := p.hook(r, nil)
	id := p.fire(path)
	one := p.awaitNth(r, 1)
	a := p.record(path, id, "success").wantPresent("data", deliveryMembers...)
	a.want("data.event", "webhook.test").want("data.eventId", one.header.Get("X-Webhook-Event-Id")).
		wantMatch("data.createdAt", timeForm)
	if !sameText(a.at("data.requestBody"), one.body) {
		a.failf("requestBody is %s, what came is %s", show(a.at("data.requestBody")), clip(one.body))
	}
	if !sameText(a.at("data.responseBody"), []byte(`recebido: "sim"`)) {
		a.failf("responseBody is %s", show(a.at("data.responseBody")))
	}
}

// hidden are the headers whose values no delivery shows, in lower case.
var hidden = []string{"x-webhook-signature", "authorization", "set-cookie"}

func checkRedacted(p *probe, r *receiver) {
	cookie := unique()
	r.respondWith(func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Set-Cookie", "session="+cookie) })
	for i, kind := range kinds() {
		path, created := p.hook(r, object{"authentication": kind.authentication})
		id := p.fire(path)
		one := p.awaitNth(r, i+1)
		a := p.record(path, id, "success")
		_, credential, found := strings.Cut(kind.value, " ")
		if !found {
			credential = kind.value
		}
		a.wantNowhere("the credential", credential).wantNowhere("the secret",
			created.text("data.secret")).wantNowhere("the cookie", cookie)
		_, v1, _ := strings.Cut(one.header.Get("X-Webhook-Signature"), "v1=")
		a.wantNowhere("the signature", v1)
		p.wantRedacted(a.at("data"), append(slices.Clone(hidden), strings.ToLower(kind.name)))
	}
}

// wantRedacted looks for headers by their names, wherever a delivery shows them:
// the description does not name the members that hold them.
func (p *probe) wantRedacted(value any, names []string) {
	switch value := value.(type) {
	case map[string]any:
		for name, shown := range value {
			if slices.Contains(names, strings.ToLower(name)) {
				if list, ok := shown.([]any); ok && len(list) == 1 {
					shown = list[0]
				}
				if shown != "[REDACTED]" {
					p.failf("the header %s is shown as %s, want [REDACTED]", name, show(shown))
				}
			}
			p.wantRedacted(shown, names)
		}
	case []any:
		for _, item := range value {
			p.wantRedacted(item, names)
		}
	}
}

func checkRecordFilters(p *probe, r *receiver) {
	path, failed, _ := p.failing(r)
	r.respondWith(nil)
	passed := p.fire(path)
	p.record(path, passed, "success")
	for _, one := range []struct {
		query []string
		ids   []string
	}{
		{[]string{"status", "failed"}, []string{failed}},
		{[]string{"status", "success"}, []string{passed}},
		{[]string{"status", "exhausted"}, nil},
		{[]string{"event", "webhook.test"}, []string{failed, passed}},
		{[]string{"event", "charge.paid"}, nil},
		{[]string{"event", "webhook.test", "status", "success"}, []string{passed}},
		{[]string{"event", "charge.paid", "status", "success"}, nil},
	} {
		var got []string
		for _, item := range p.listed(path+"/deliveries", one.query...) {
			got = append(got, text(item, "id"))
		}
		slices.Sort(got)
		slices.Sort(one.ids)
		if !slices.Equal(got, one.ids) {
			p.failf("GET %s/deliveries with %v lists %v, want %v", path, one.query, got, one.ids)
		}
	}
}

func checkRecordPages(p *probe, r *receiver) {
	path, _ := p.hook(r, nil)
	other, _ := p.hook(r, nil)
	var made []string
	for range 3 {
		made = append(made, p.fire(path))
		p.fire(other)
	}
	checkPages(p, path+"/deliveries", made)
	checkOrder(p, path+"/deliveries")
	if n := len(p.listed(path + "/deliveries")); p.err == nil && n != len(made) {
		p.failf("%d deliveries of the endpoint, want %d", n, len(made))
	}
}

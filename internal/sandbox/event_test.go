package sandbox_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// Collections §6: who gets an event, and the data of those about keys.
func TestEvents(t *testing.T) {
	t.Parallel()
	erp := consume(t)
	server, c := erp.reaching(t)
	c.endpoint(`{"url":"` + erp.URL + `/all"}`)
	c.endpoint(`{"url":"` + erp.URL + `/paid","events":["charge.paid"]}`)
	off, _ := c.endpoint(`{"url":"` + erp.URL + `/off","active":false}`)
	emit := func(event string, data any) []string {
		t.Helper()
		if _, err := server.Emit(event, data); err != nil {
			t.Fatal(err)
		}
		settle(t, server)
		var paths []string
		for _, w := range erp.take() {
			paths = append(paths, w.path+" "+w.header.Get("X-Webhook-Event"))
		}
		slices.Sort(paths)
		return paths
	}
	if got := emit("charge.paid", nil); !slices.Equal(got, []string{"/all charge.paid", "/paid charge.paid"}) {
		t.Errorf("charge.paid went to %v", got)
	}
	if got := emit("agreement.accepted", map[string]string{"id": "a-1"}); !slices.Equal(got,
		[]string{"/all agreement.accepted"}) {
		t.Errorf("an event of the future went to %v", got)
	}
	if got := c.do("GET", off+"/deliveries", "").want(200).json("meta", "total"); got != "0" {
		t.Errorf("an inactive endpoint has %s deliveries", got)
	}
	for _, bad := range []func() (string, error){
		func() (string, error) { return server.Emit("", nil) },
		func() (string, error) { return server.Emit("a.b", 7) },
		func() (string, error) { return server.Emit("a.b", json.RawMessage(`{`)) },
	} {
		if id, err := bad(); err == nil {
			t.Errorf("emitted %s", id)
		}
	}
}

// data is the data of the event with that name among those received.
func data(t *testing.T, got []webhook, event string) string {
	t.Helper()
	for _, w := range got {
		var body struct {
			Event string         `json:"event"`
			Data  map[string]any `json:"data"`
		}
		if err := json.Unmarshal([]byte(w.body), &body); err != nil {
			t.Fatal(err)
		}
		if body.Event == event {
			document, _ := json.Marshal(body.Data)
			return string(document)
		}
	}
	t.Fatalf("no %s among %+v", event, got)
	return ""
}

// Collections §6: exactly the documented data, and no token.
func TestKeyEvents(t *testing.T) {
	t.Parallel()
	erp := consume(t)
	server, c := erp.reaching(t)
	c.endpoint(`{"url":"` + erp.URL + `"}`)
	path, old := c.key(`{"name":"erp","scopes":["a:*"]}`)
	rotated := c.do("POST", path+"/rotate", `{"graceDays":2}`).want(200)
	settle(t, server)
	got := erp.take()
	public := func(created result, ends, revoked string) string {
		return `"createdAt":"2026-05-04T09:00:00.000Z","description":"","expiresAt":` + ends + `,%s"id":` +
			created.json("data", "id") +
			`,"keyPrefix":` + created.json("data", "keyPrefix") + `,"lastUsedAt":null,"name":"erp",%s"revokedAt":` + revoked +
			`,"scopes":["a:*"],"source":"api"%s}`
	}
	until := `"2026-05-06T09:00:00.000Z"`
	want := "{" + fmt.Sprintf(public(old, until, "null"), `"graceUntil":`+until+",", "", `,"successorId":`+
		rotated.json("data", "id"))
	if have := data(t, got, "api_key.rotated"); have != want {
		t.Errorf("rotated: %s, want %s", have, want)
	}
	c.do("DELETE", keysPath+"/"+rotated.text("data", "id"), "").want(204)
	settle(t, server)
	got = append(got, erp.take()...)
	now := `"2026-05-04T09:00:00.000Z"`
	want = "{" + fmt.Sprintf(public(rotated, "null", now), "", `"newStatus":"revoked","previousStatus":"active",`, "")
	if have := data(t, got, "api_key.status_changed"); have != want {
		t.Errorf("status changed: %s, want %s", have, want)
	}
	want = "{" + fmt.Sprintf(public(rotated, "null", now), "", "", "")
	if have := data(t, got, "api_key.revoked"); have != want {
		t.Errorf("revoked: %s, want %s", have, want)
	}
	if len(got) != 3 || got[1].header.Get("X-Webhook-Event") != "api_key.status_changed" {
		t.Errorf("%d events, out of order", len(got))
	}
	c.do("DELETE", keysPath+"/"+rotated.text("data", "id"), "").want(204)
	settle(t, server)
	if again := erp.take(); len(again) != 0 {
		t.Errorf("a second revocation made %v", again)
	}
	for _, w := range got {
		for _, token := range []string{old.text("data", "token"), rotated.text("data", "token")} {
			if strings.Contains(w.body, token) {
				t.Errorf("a token stands in %s", w.body)
			}
		}
	}
}

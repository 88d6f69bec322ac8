package rehearsal

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/rehearsal/hello"
)

// A provider may use the copy if it knows the number of the run, speaks its protocol, and would have used the same
// organization.
func TestGreetings(t *testing.T) {
	t.Parallel()
	environ := map[string]string{"BILLING_TOKEN": "secret"}
	services := map[string]string{"billing": "https://billing.example.com"}
	use := func(g *greetings, address, token string) map[string]hello.Use {
		return map[string]hello.Use{"billing": {Address: address, Digest: hello.Digest(g.number, token),
			AddressFrom: "base_url",
			TokenFrom:   "token"}}
	}
	for name, c := range map[string]struct {
		said   func(g *greetings) hello.Greeting
		file   bool // the copy is from a file, so no token is known
		number string
		status int
		want   string
	}{
		"same": {func(g *greetings) hello.Greeting {
			return hello.Greeting{Protocol: 1, Services: use(g, "https://billing.example.com/", "secret")}
		}, false, "", http.StatusNoContent, ""},
		"nothing configured": {func(*greetings) hello.Greeting { return hello.Greeting{Protocol: 1} }, true, "",
			http.StatusNoContent, ""},
		"any token for a file": {func(g *greetings) hello.Greeting {
			return hello.Greeting{Protocol: 1, Services: use(g, "https://billing.example.com", "other")}
		}, true, "", http.StatusNoContent, ""},
		"another token": {func(g *greetings) hello.Greeting {
			return hello.Greeting{Protocol: 1, Services: use(g, "https://billing.example.com", "other")}
		}, false, "", http.StatusConflict, "token has another token than BILLING_TOKEN"},
		"another address": {func(g *greetings) hello.Greeting {
			return hello.Greeting{Protocol: 1, Services: use(g, "https://eu.example.com", "secret")}
		}, true, "", http.StatusConflict, "base_url names the service at https://eu.example.com"},
		"a service that was not copied": {func(*greetings) hello.Greeting {
			return hello.Greeting{Protocol: 1, Services: map[string]hello.Use{"finance": {Address: "https://f", Digest: "d"}}}
		}, false, "", http.StatusConflict, "BILLING_FINANCE_BASE_URL and BILLING_FINANCE_TOKEN"},
		"another release": {func(*greetings) hello.Greeting { return hello.Greeting{Protocol: 2, Version: "9.9"} }, false, "",
			http.StatusConflict, "provider 9.9 speaks version 2"},
		"another run": {func(*greetings) hello.Greeting { return hello.Greeting{Protocol: 1} }, false, "other",
			http.StatusNotFound, ""},
	} {
		g := newGreetings(services, func(name string) string { return environ[name] }, !c.file)
		mux := http.NewServeMux()
		mux.Handle("POST /rehearsals/{number}", g)
		body, err := json.Marshal(c.said(g))
		if err != nil {
			t.Fatal(err)
		}
		number := g.number
		if c.number != "" {
			number = c.number
		}
		answer := httptest.NewRecorder()
		mux.ServeHTTP(answer, httptest.NewRequest(http.MethodPost, "/rehearsals/"+number, strings.NewReader(string(body))))
		count, refused := g.heard()
		if answer.Code != c.status || c.want != "" && !strings.Contains(answer.Body.String(), c.want) {
			t.Errorf("%s: %d %s, want %d %s", name, answer.Code, answer.Body, c.status, c.want)
		}
		if (count == 1) != (c.status != http.StatusNotFound) || (refused != "") != (c.status == http.StatusConflict) {
			t.Errorf("%s: %d greetings, refused %q", name, count, refused)
		}
		if strings.Contains(answer.Body.String(), "secret") {
			t.Errorf("%s: %s", name, answer.Body)
		}
	}
}

package collections

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
)

// listener keeps everything that an observer receives, as one text.
type listener struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *listener) Observe(_ context.Context, e api.Exchange) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, body := range []func() string{e.RequestBody, e.ResponseBody} {
		if body != nil {
			l.text.WriteString(body() + "\n")
		}
	}
	e.RequestBody, e.ResponseBody = nil, nil
	fmt.Fprintf(&l.text, "%+v\n", e)
}

// secretsIn are the values that a body of this service shows or is shown once:
// tokens, secrets, passwords, and the value of an authentication.
func secretsIn(value any, inAuthentication bool) (found []string) {
	switch v := value.(type) {
	case map[string]any:
		for name, inner := range v {
			secret, isText := inner.(string)
			switch {
			case isText && (name == "token" || name == "secret" || name == "password" || name == "value" && inAuthentication):
				found = append(found, secret)
			default:
				found = append(found, secretsIn(inner, name == "authentication")...)
			}
		}
	case []any:
		for _, item := range v {
			found = append(found, secretsIn(item, false)...)
		}
	}
	return found
}

// TestNoSecretIsLogged plays every exchange that holds a secret, and looks at
// what is logged: of each body the rest, and of the secrets nothing.
func TestNoSecretIsLogged(t *testing.T) {
	t.Parallel()
	count := 0
	for _, exchange := range recorded().Exchanges(200, 299) {
		var secrets []string
		for _, body := range []json.RawMessage{exchange.Request.Body, exchange.Response.Body} {
			if body != nil {
				var value any
				if err := json.Unmarshal(body, &value); err != nil {
					t.Fatal(err)
				}
				secrets = append(secrets, secretsIn(value, false)...)
			}
		}
		var watched listener
		wire, _ := recorded().Service(exchange)
		s := newService(t, wire, func(cfg *api.Config) { cfg.Observer = &watched })
		if _, err := recorded().Call(t, s, exchange); err != nil {
			t.Errorf("%s: %v", exchange.Name, err)
		}
		shown := watched.text.String()
		for _, secret := range append(secrets, "key_1234567890") {
			if strings.Contains(shown, secret) {
				t.Errorf("%s: %q is logged:\n%s", exchange.Name, secret, shown)
			}
		}
		if len(secrets) == 0 {
			continue
		}
		count++
		// A response that shows a secret once is not logged at all.
		once := strings.Contains(shown, "is not shown, because it may contain a secret")
		if !once && (!strings.Contains(shown, "(masked)") || !strings.Contains(shown, `"id":`)) {
			t.Errorf("%s: nothing is left to read:\n%s", exchange.Name, shown)
		}
	}
	if count < 8 {
		t.Errorf("only %d exchanges with a secret were played", count)
	}
}

// TestNoSecretIsInAnError sends secrets and gets them back in every way that
// ends in an error.
func TestNoSecretIsInAnError(t *testing.T) {
	t.Parallel()
	const secret = "whsec_hush-hush"
	create := WebhookEndpointBody{URL: api.Set(hook + "?key=" + secret), Authentication: api.Set(Authentication{
		Type: "header", Name: new("X-Key"), Value: new(secret), Token: new(secret), Password: new(secret),
	})}
	responses := map[string]http.HandlerFunc{
		"lost":              lost,
		"a broken object":   respond(201, `{"data":{"id":["e1"],"secret":"`+secret+`","token":"`+secret+`"}}`),
		"an object cut":     respond(201, `{"data":{"id":"e1","secret":"`+secret),
		"no id":             respond(201, `{"data":{"secret":"`+secret+`","token":"`+secret+`"}}`),
		"a secret as a key": respond(201, `{"data":{"id":"e1","secret":{"`+secret+`":1},"token":{"`+secret+`":1}}}`),
		"rejected, repeated": respond(422, `{"error":{"code":"validation_error","message":"bad `+secret+
			`","details":{"fields":{"authentication":"`+secret+`"}}}}`),
		"a proxy": respond(502, `<title>`+secret+`</title>`),
		"a page":  respond(200, `<html>`+secret+`</html>`),
	}
	for name, broken := range responses {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newService(t, newWire(routes{
					"POST /": broken, "PATCH /": broken, "GET " + endpointsPath: respond(200, listOf()),
					"GET " + keysPath: respond(200, listOf()), "GET " + endpointPath: respond(200, endpointJSON(t, nil)),
					"GET " + keysPath + "/k1": respond(200, keyJSON(t, nil)),
				}))
				_, createErr := s.CreateWebhookEndpoint(t.Context(), create)
				_, updateErr := s.UpdateWebhookEndpoint(t.Context(), "e1",
					WebhookEndpointBody{Authentication: create.Authentication})
				_, keyErr := s.CreateAPIKey(t.Context(), askedKey)
				_, rotateErr := s.RotateAPIKey(t.Context(), "k1", 7)
				for _, err := range []error{createErr, updateErr, keyErr, rotateErr} {
					if err != nil && strings.Contains(fmt.Sprintf("%v %+v", err, err), "hush") {
						t.Errorf("a secret is shown: %v", err)
					}
				}
				made := name == "a secret as a key" // what has an id is created
				if !made && (createErr == nil || keyErr == nil || rotateErr == nil) {
					t.Errorf("no error: %v, %v, %v", createErr, keyErr, rotateErr)
				}
				_, secretErr := s.RotateWebhookSecret(t.Context(), "e1")
				if secretErr != nil && strings.Contains(secretErr.Error(), "hush") {
					t.Errorf("a secret is shown: %v", secretErr)
				}
			})
		})
	}
}

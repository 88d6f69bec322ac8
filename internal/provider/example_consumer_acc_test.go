package provider_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
	"github.com/recurring-billing/terraform-provider-billing/internal/hook"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

const day = 24 * time.Hour

// both are the resources of the example.
var both = []string{"billing_api_key.consumer", "billing_webhook_endpoint.consumer"}

// credentials are what the consumer is given.
type credentials struct {
	Key    string `json:"api_key"`
	Secret string `json:"webhook_secret"`
}

// consumer is the example webhook-consumer, applied, with a receiver in its place.
type consumer struct {
	*command
	service  *acctest.Service
	receiver *hook.Receiver
	endpoint string
	given    credentials
}

// newConsumer starts where the clock of the service says so.
func newConsumer(t *testing.T, clock acctest.Option) *consumer {
	t.Helper()
	receiver := acctest.NewReceiver(t)
	service := acctest.Start(t, clock, acctest.Receiving(receiver))
	c := &consumer{command: scenario(t, "webhook-consumer", service), service: service, receiver: receiver}
	c.write("receiver.auto.tfvars", fmt.Sprintf("receiver_url = %q\n", receiver.URL))
	c.applies("create", both)
	c.endpoint = c.ids()[both[1]]
	c.gets()
	return c
}

// ago is the option of a sandbox whose clock stands still that long before that of this machine.
func ago(age time.Duration) acctest.Option {
	return func(o *sandbox.Options) { o.Start = time.Now().Add(-age) }
}

// gets are the values that the consumer was given before; it is given those of now.
func (c *consumer) gets() (before credentials) {
	c.t.Helper()
	before = c.given
	if err := json.Unmarshal([]byte(c.raw("output", "-json", "consumer")), &c.given); err != nil {
		c.t.Fatal(err)
	}
	return before
}

// responds is the status that the service returns to a key of the consumer, which may read deliveries.
func (c *consumer) responds(key string) int {
	c.t.Helper()
	status, _ := c.service.CallWithKey(key, "GET", "/api/v1/webhook-endpoints/"+c.endpoint+"/deliveries", nil)
	return status
}

// delivery lets a charge be paid, and is what a receiver gets of it first.
func delivery(t *testing.T, s *acctest.Service, receiver *hook.Receiver) hook.Delivery {
	t.Helper()
	before := len(receiver.Got())
	if _, err := s.Sandbox.Emit("charge.paid", nil); err != nil {
		t.Fatal(err)
	}
	if err := s.Sandbox.WaitDeliveries(t.Context()); err != nil {
		t.Fatal(err)
	}
	got := receiver.Got()
	if len(got) <= before {
		t.Fatal("nothing was delivered")
	}
	return got[before]
}

// renewed holds key and secret to be others than before, the old key to work meanwhile, and deliveries to be signed
// with the new secret only. It returns the old ones.
func (c *consumer) renewed() (before credentials) {
	c.t.Helper()
	before = c.gets()
	if c.given.Key == before.Key || c.given.Secret == before.Secret || c.given.Key == "" || c.given.Secret == "" {
		c.t.Error("key or secret is the old one")
	}
	for _, key := range []string{before.Key, c.given.Key} {
		if status := c.responds(key); status != http.StatusOK {
			c.t.Errorf("the service returns %d to the old or the new key", status)
		}
	}
	if got := delivery(c.t, c.service, c.receiver); !got.SignedWith(c.given.Secret) || got.SignedWith(before.Secret) {
		c.t.Errorf("the delivery is not signed with the new secret: %v", got.Header)
	}
	return before
}

// TestAccExample_consumerByAge: nothing happens before the age, and both are rotated after it, once.
func TestAccExample_consumerByAge(t *testing.T) {
	t.Parallel()
	c := newConsumer(t, ago(91*day))
	if out := c.must("plan", "-var=rotate_after_days=92"); !strings.Contains(out, "1 to change") ||
		strings.Contains(out, "(known after apply)") {
		t.Errorf("it is rotated before the age:\n%s", out)
	}
	version := c.raw("output", "version")
	if got := delivery(t, c.service, c.receiver); !got.SignedWith(c.given.Secret) {
		t.Errorf("the delivery is not signed with the secret: %v", got.Header)
	}
	// Made long ago, and today is today. Without this the service would create a new key that is just as old.
	c.service.Sandbox.Clock().Advance(91 * day)
	c.applies("update", both)
	c.settled()
	c.renewed()
	if now := c.raw("output", "version"); now == version {
		t.Errorf("the version does not change: %s, then %s", version, now)
	}
}

// TestAccExample_consumerByTrigger: another text rotates both, as it does in the README; with end_grace no old key is
// left.
func TestAccExample_consumerByTrigger(t *testing.T) {
	t.Parallel()
	c := newConsumer(t, acctest.RunningClock)
	c.settled()
	c.write("rotation.auto.tfvars", `rotation = "2026-11-incident"`)
	out := c.applies("update", both)
	c.settled()
	first := c.renewed()
	for _, secret := range []string{first.Key, first.Secret, c.given.Key, c.given.Secret} {
		if strings.Contains(out, secret) {
			t.Errorf("a secret is printed:\n%s", out)
		}
	}

	c.write("rotation.auto.tfvars", c.told("**After a leak**"))
	c.applies("update", both)
	second := c.gets()
	for key, want := range map[string]int{first.Key: 401, second.Key: 401, c.given.Key: 200} {
		if status := c.responds(key); status != want {
			t.Errorf("the service returns %d to a key, want %d", status, want)
		}
	}
	c.write("rotation.auto.tfvars", `rotation = "leak-17"`)
	c.applies("update", both[:1]) // end_grace is taken back, which rotates nothing
	if third := c.gets(); c.given != third {
		t.Error("what was rotated is rotated again")
	}
	c.settled()
	c.applies("delete", both, "-destroy")
	if status := c.responds(c.given.Key); status != http.StatusUnauthorized {
		t.Errorf("after all the service returns %d to the key", status)
	}
}

// TestAccExample_consumerIsWatched: deliveries are verified or not, a missed event and an old
// key that is still used are warned of.
func TestAccExample_consumerIsWatched(t *testing.T) {
	t.Parallel()
	c := newConsumer(t, acctest.RunningClock)
	got := delivery(t, c.service, c.receiver)
	at, signature := c.service.Sandbox.Clock().Now().Unix(), got.Header.Get("X-Webhook-Signature")
	entries, err := json.Marshal([]acctest.JSON{
		{"signature": signature, "body": got.Body, "at": at},
		{"signature": signature, "body": got.Body + " ", "at": at},
		{"signature": signature, "body": got.Body, "at": at + 600},
		{"signature": strings.ToUpper(signature[:1]) + signature[1:], "body": got.Body, "at": at},
	})
	if err != nil {
		t.Fatal(err)
	}
	if out := c.must("apply", "-auto-approve", "-var=received="+string(entries)); !strings.Contains(
		out, "verified = [ true, false, false, false, ]") || !strings.Contains(out, "number 1, 2, 3, counted from 0") {
		t.Errorf("output or check is wrong:\n%s", out)
	}
	c.must("apply", "-auto-approve", "-var=rotation=today")
	c.settled("-var=rotation=today")
	c.responds(c.given.Key)
	c.receiver.Respond(hook.Status(http.StatusInternalServerError, ""))
	delivery(t, c.service, c.receiver)
	c.service.Sandbox.Clock().Advance(day)
	if err := c.service.Sandbox.WaitDeliveries(t.Context()); err != nil {
		t.Fatal(err)
	}
	out := c.must("plan", "-var=rotation=today")
	for _, warning := range []string{"erp used an old key within the last day", "erp has missed events"} {
		if !strings.Contains(out, warning) {
			t.Errorf("the plan does not warn: %q\n%s", warning, out)
		}
	}
}

// TestAccExample_keyRenewsItself: a key is renewed before it expires, and gets other scopes, while the old one works;
// each new token is in the file and at the second provider, and in clear text nowhere. The guide on rotation includes
// the configuration.
func TestAccExample_keyRenewsItself(t *testing.T) {
	t.Parallel()
	receiver, ana := acctest.NewReceiver(t), acctest.NewIdentity(t)
	service := acctest.Start(t, ago(0), acctest.Receiving(receiver))
	c := scenario(t, "key-renewal", service)
	c.replace("main.tf", "https://hooks.aurora.example/erp", receiver.URL)
	c.write("pair.auto.tfvars", fmt.Sprintf("age_recipient = %q\nage_identity = %q\n", ana.Recipient(), ana.PrivateKey()))
	secrets := []string{ana.PrivateKey()}
	works := func(when, token string, want bool) {
		t.Helper()
		status, _ := service.CallWithKey(token, "GET", "/api/v1/webhook-endpoints", nil)
		if (status != http.StatusUnauthorized) != want {
			t.Errorf("%s the service returns %d to the key", when, status)
		}
	}
	// renewed is the new token, after a run that may have printed it.
	renewed := func(printed string) string {
		t.Helper()
		token := ana.Decrypt(c.raw("output", "-raw", "token_age"))
		if token == "" || slices.Contains(secrets, token) {
			t.Fatalf("there is no new token:\n%s", printed)
		}
		secrets = append(secrets, token)
		works("after the renewal", token, true)
		if got := delivery(t, service, receiver); got.Header.Get("Authorization") != "Bearer "+token {
			t.Errorf("the second provider does not have the new token: %v", got)
		}
		for _, secret := range secrets {
			if strings.Contains(printed+c.read("terraform.tfstate"), secret) {
				t.Error("output or state has a secret in clear text")
			}
		}
		c.settled()
		return token
	}
	resources := []string{"billing_api_key.erp", "billing_webhook_endpoint.erp"}
	first := renewed(c.applies("create", resources))
	service.Sandbox.Clock().Advance(82 * day)
	c.settled()
	service.Sandbox.Clock().Advance(2 * day)
	second := renewed(c.applies("update", resources))
	works("six days before its expiry", first, true)
	service.Sandbox.Clock().Advance(7 * day)
	works("after its expiry", first, false)
	c.settled()
	c.replace("main.tf", `["charges:read"]`, `["charges:read", "payables:read"]`)
	renewed(c.applies("update", resources))
	works("after a change of the scopes", second, true)
}

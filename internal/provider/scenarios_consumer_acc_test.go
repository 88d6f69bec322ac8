package provider_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

const day = 24 * time.Hour

// both are the resources of the scenario.
var both = []string{"billing_api_key.consumer", "billing_webhook_endpoint.consumer"}

// credentials are what the consumer is given.
type credentials struct {
	Key    string `json:"api_key"`
	Secret string `json:"webhook_secret"`
}

// consumer is the scenario, applied, with a receiver in its place.
type consumer struct {
	*command
	service  *acctest.Service
	receiver *acctest.Receiver
}

// newConsumer starts where the clock of the service says so.
func newConsumer(t *testing.T, clock acctest.Option) consumer {
	t.Helper()
	receiver := acctest.NewReceiver(t)
	service := acctest.Start(t, clock, acctest.Receiving(receiver))
	c := consumer{command: scenario(t, "webhook-consumer", service), service: service, receiver: receiver}
	c.write("receiver.auto.tfvars", fmt.Sprintf("receiver_url = %q\n", receiver.URL))
	c.applies("create", both)
	return c
}

// ago is the option of a sandbox whose clock stands still that long before that of this machine.
func ago(age time.Duration) acctest.Option {
	return func(o *sandbox.Options) { o.Start = time.Now().Add(-age) }
}

// given are the values that the consumer is given now.
func (c consumer) given() credentials {
	c.t.Helper()
	var given credentials
	if err := json.Unmarshal([]byte(c.must("output", "-json", "consumer")), &given); err != nil {
		c.t.Fatal(err)
	}
	return given
}

// responses is the status that the service returns to a key.
func (c consumer) responses(key string) int {
	c.t.Helper()
	status, _ := c.service.CallWithKey(key, "GET", "/api/v1/webhook-endpoints/"+c.endpoint()+"/deliveries", nil)
	return status
}

func (c consumer) endpoint() string {
	c.t.Helper()
	_, response := c.service.CallCollections("GET", "/api/v1/webhook-endpoints", nil)
	items, _ := response["data"].([]any)
	if len(items) != 1 {
		c.t.Fatalf("there are %d endpoints", len(items))
	}
	return items[0].(acctest.JSON)["id"].(string)
}

// delivery lets a charge be paid, and is what the consumer gets of it first.
func (c consumer) delivery() acctest.Received {
	c.t.Helper()
	before := len(c.receiver.Got())
	if _, err := c.service.Sandbox.Emit("charge.paid", nil); err != nil {
		c.t.Fatal(err)
	}
	if err := c.service.Sandbox.WaitDeliveries(c.t.Context()); err != nil {
		c.t.Fatal(err)
	}
	got := c.receiver.Got()
	if len(got) <= before {
		c.t.Fatal("nothing was delivered")
	}
	return got[before]
}

// signedWith reports whether a secret has signed what was received (service description, Collections §5).
func signedWith(secret string, got acctest.Received) bool {
	at, signature, _ := strings.Cut(strings.TrimPrefix(got.Header.Get("X-Webhook-Signature"), "t="), ",v1=")
	mac := hmac.New(sha256.New, []byte(secret))
	fmt.Fprintf(mac, "%s.%s", at, got.Body)
	return hmac.Equal([]byte(signature), []byte(hex.EncodeToString(mac.Sum(nil))))
}

// renewed holds key and secret to be others than before, the old key to work meanwhile, and deliveries to be signed
// with the new secret only.
func (c consumer) renewed(before credentials) {
	c.t.Helper()
	now := c.given()
	if now.Key == before.Key || now.Secret == before.Secret || now.Key == "" || now.Secret == "" {
		c.t.Error("key or secret is the old one")
	}
	if old, current := c.responses(before.Key), c.responses(now.Key); old != http.StatusOK || current != http.StatusOK {
		c.t.Errorf("the service returns %d to the old key and %d to the new one", old, current)
	}
	if got := c.delivery(); !signedWith(now.Secret, got) || signedWith(before.Secret, got) {
		c.t.Errorf("the delivery is not signed with the new secret: %v", got.Header)
	}
}

// TestAccScenario_consumerByAge: nothing happens before the age, and both are rotated after it, once.
func TestAccScenario_consumerByAge(t *testing.T) {
	t.Parallel()
	t.Run("young", func(t *testing.T) {
		t.Parallel()
		c := newConsumer(t, ago(89*day))
		c.settled()
	})
	t.Run("old", func(t *testing.T) {
		t.Parallel()
		c := newConsumer(t, ago(91*day))
		before, version := c.given(), c.must("output", "version")
		if got := c.delivery(); !signedWith(before.Secret, got) {
			t.Errorf("the delivery is not signed with the secret: %v", got.Header)
		}
		// Made long ago, and today is today. Without this the service would create a new key that is just as old.
		c.service.Sandbox.Clock().Advance(91 * day)
		c.applies("update", both)
		c.settled()
		c.renewed(before)
		if now := c.must("output", "version"); now <= version {
			t.Errorf("the version does not rise: %s, then %s", version, now)
		}
	})
}

// TestAccScenario_consumerByTrigger: another text rotates both in a plan that is saved, as it does in the README; with
// end_grace no old key is left.
func TestAccScenario_consumerByTrigger(t *testing.T) {
	t.Parallel()
	c := newConsumer(t, acctest.RunningClock)
	c.settled()
	first := c.given()
	c.write("rotation.auto.tfvars", `rotation = "2026-11-incident"`)
	if out := c.applies("update", both); strings.Contains(out, first.Key) || strings.Contains(out, first.Secret) {
		t.Errorf("the old values are printed:\n%s", out)
	}
	c.settled()
	second := c.given()
	c.renewed(first)

	c.write("rotation.auto.tfvars", c.told("**After a leak**"))
	c.applies("update", both)
	third := c.given()
	for _, old := range []credentials{first, second} {
		if status := c.responses(old.Key); status != http.StatusUnauthorized {
			t.Errorf("the service returns %d to a key whose grace was ended", status)
		}
	}
	if status := c.responses(third.Key); status != http.StatusOK {
		t.Errorf("the service returns %d to the new key", status)
	}
	c.write("rotation.auto.tfvars", `rotation = "leak-17"`)
	c.applies("update", both[:1]) // end_grace is taken back, which rotates nothing
	if c.given() != third {
		t.Error("what was rotated is rotated again")
	}
	c.settled()
	c.applies("delete", both, "-destroy")
	if status, _ := c.service.CallWithKey(third.Key, "GET", "/api/v1/webhook-endpoints",
		nil); status != http.StatusUnauthorized {
		t.Errorf("after all the service returns %d to the key", status)
	}
}

// TestAccScenario_consumerIsWatched: deliveries are recognized as genuine or not, an event that was missed and an old
// key that is still used are warned of.
func TestAccScenario_consumerIsWatched(t *testing.T) {
	t.Parallel()
	c := newConsumer(t, acctest.RunningClock)
	first, got := c.given(), c.delivery()
	at := c.service.Sandbox.Clock().Now().Unix()
	signature := got.Header.Get("X-Webhook-Signature")
	genuine := func(signature, body string, at int64) string {
		entry, err := json.Marshal([]acctest.JSON{{"signature": signature, "body": body, "at": at}})
		if err != nil {
			t.Fatal(err)
		}
		out := c.must("apply", "-auto-approve", "-var=received="+string(entry))
		if warned := strings.Contains(out, "number 0, counted from 0"); warned != strings.Contains(out, "genuine = [ false") {
			t.Errorf("output and check disagree:\n%s", out)
		}
		return strings.Join(strings.Fields(c.must("output", "-json", "genuine")), "")
	}
	for _, test := range []struct {
		signature, body string
		at              int64
		want            string
	}{
		{signature, got.Body, at, "[true]"},
		{signature, got.Body + " ", at, "[false]"},
		{signature, got.Body, at + 600, "[false]"},
		{strings.ToUpper(signature[:1]) + signature[1:], got.Body, at, "[false]"},
	} {
		if have := genuine(test.signature, test.body, test.at); have != test.want {
			t.Errorf("%v is %s", test, have)
		}
	}

	c.must("apply", "-auto-approve", "-var=rotation=today")
	c.settled("-var=rotation=today")
	c.responses(first.Key)
	c.receiver.Respond(http.StatusInternalServerError, "")
	c.delivery()
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

// TestAccScenario_consumerIsChecked: what would leave the consumer without a key, or with one that may do everything,
// is rejected.
func TestAccScenario_consumerIsChecked(t *testing.T) {
	t.Parallel()
	terraform := scenario(t, "webhook-consumer", acctest.Start(t))
	for _, c := range []struct{ given, says string }{
		{"receiver_url=http://hooks.example.com", "over https:// only"},
		{"scopes=[]", "A key without scopes is allowed to do nearly everything"},
		{"grace_period_days=90", "must end before the next rotation"},
		{"consumer=The ERP", "lower-case letters"},
	} {
		terraform.refused([]string{c.says}, "plan", "-var="+c.given)
	}
}

package claims_test

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/recurring-billing/terraform-provider-billing/internal/bend"
	"github.com/recurring-billing/terraform-provider-billing/internal/claims"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// faulty is a service with a fault that the generator does not know: of its deliveries, or with a memory.
type faulty struct {
	t       *testing.T
	server  *sandbox.Server
	target  *claims.Target
	rules   []bend.Rule
	mu      sync.Mutex
	secrets []string // of endpoints, in the order in which they were shown
	sent    map[string]bool
}

// asked changes the requests of operations, returned their responses.
func (f *faulty) asked(operations string, do func(*bend.Exchange)) {
	f.add(bend.Rule{Operations: operations, Part: bend.Request, Do: do})
}

func (f *faulty) returned(operations string, do func(*bend.Exchange)) {
	f.add(bend.Rule{Operations: operations, Do: do})
}

func (f *faulty) add(rule bend.Rule) {
	do := rule.Do
	rule.Do = func(x *bend.Exchange) {
		f.mu.Lock()
		defer f.mu.Unlock()
		do(x)
	}
	f.rules = append(f.rules, rule)
	f.server.Bend(f.rules...)
}

// objects changes the objects of responses that succeeded.
func (f *faulty) objects(operations string, do func(bend.Object)) {
	f.returned(operations, func(x *bend.Exchange) {
		if x.Status < http.StatusMultipleChoices {
			bend.Data(do)(x)
		}
	})
}

// delivery is a delivery on its way.
type delivery struct {
	header   http.Header
	body     []byte
	at       int64  // the t of the signature
	secret   string // that it is signed with
	repeated bool
	lost     bool
}

// sign sets the signature, also in a wrong way.
func (d *delivery) sign(at int64, body string) string {
	mac := hmac.New(sha256.New, []byte(d.secret))
	fmt.Fprintf(mac, "%d.%s", at, body) // a hash never returns an error
	value := fmt.Sprintf("t=%d,v1=%s", at, hex.EncodeToString(mac.Sum(nil)))
	d.header.Set("X-Webhook-Signature", value)
	return value
}

// delivered changes the deliveries, which are signed again if they have lost their signature.
func (f *faulty) delivered(do func(*delivery)) {
	f.returned("webhook_endpoints.*", func(x *bend.Exchange) {
		bend.Data(func(o bend.Object) {
			if secret, is := o["secret"].(string); is {
				f.secrets = append(f.secrets, secret)
			}
		})(x)
	})
	receive := f.target.Receive
	f.target.Receive = func(ctx context.Context, handler http.Handler) (string, func(), error) {
		return receive(ctx, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, err := io.ReadAll(r.Body)
			if err != nil {
				return
			}
			d := f.way(r, body, do)
			if d.lost {
				w.WriteHeader(http.StatusBadGateway)
				return
			}
			r.Header, r.Body = d.header, io.NopCloser(bytes.NewReader(d.body))
			handler.ServeHTTP(w, r)
		}))
	}
}

func (f *faulty) way(r *http.Request, body []byte, do func(*delivery)) *delivery {
	f.mu.Lock()
	defer f.mu.Unlock()
	d := &delivery{header: r.Header.Clone(), body: slices.Clone(body)}
	signature, id := r.Header.Get("X-Webhook-Signature"), r.Header.Get("X-Webhook-Delivery-Id")
	t, _, _ := strings.Cut(strings.TrimPrefix(signature, "t="), ",")
	d.at, _ = strconv.ParseInt(t, 10, 64) // no number: the sandbox signs otherwise
	for _, d.secret = range f.secrets {
		if d.sign(d.at, string(body)) == signature {
			break
		}
	}
	d.repeated, f.sent[id] = f.sent[id], true
	d.header.Del("X-Webhook-Signature")
	if do(d); d.header.Get("X-Webhook-Signature") == "" {
		d.sign(d.at, string(d.body))
	}
	return d
}

// since is the time since a time of an object, by the sandbox's clock.
func (f *faulty) since(value any) time.Duration {
	text, _ := value.(string)
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return 0
	}
	return f.server.Clock().Now().Sub(t)
}

// about is the id of the object of a request, of a transition the one that it changes.
func about(x *bend.Exchange) string {
	if slices.Contains([]string{".get", ".update", ".delete"}, path.Ext(x.Operation)) {
		return path.Base(x.Path)
	}
	return path.Base(path.Dir(x.Path))
}

func sentTo(x *bend.Exchange) bend.Object { sent, _ := x.Sent.(bend.Object); return sent }

const (
	other  = "4b3e1d0a-5f0c-4d6e-8a51-0c2f6b7d9e10"
	aMonth = 20 * 24 * time.Hour
)

// header returns a fault that changes a header of deliveries.
func header(name string, value func(*delivery) string) func(*faulty) {
	return func(f *faulty) { f.delivered(func(d *delivery) { d.header.Set(name, value(d)) }) }
}

// again returns a fault of deliveries that were sent before.
func again(do func(*delivery)) func(*faulty) {
	return func(f *faulty) {
		f.delivered(func(d *delivery) {
			if d.repeated {
				do(d)
			}
		})
	}
}

// shown returns a fault that shows a part of the last delivery in all records.
func shown(what func(*delivery) string) func(*faulty) {
	return func(f *faulty) {
		last := ""
		f.delivered(func(d *delivery) { last = what(d) })
		f.objects("webhook_deliveries.list", func(o bend.Object) { o["trace"] = last })
	}
}

// remembered returns a fault of subscriptions that have once been changed in some way.
func remembered(operation string, once func(bend.Object) bool,
	then func(f *faulty, o, was bend.Object)) func(*faulty) {
	return func(f *faulty) {
		of := map[any]bend.Object{}
		f.asked(operation, func(x *bend.Exchange) {
			if once(sentTo(x)) {
				of[about(x)] = sentTo(x)
			}
		})
		f.objects("subscriptions.get", func(o bend.Object) {
			if was, is := of[o["id"]]; is {
				then(f, o, was)
			}
		})
	}
}

func later(sent bend.Object) bool  { return sent["timing"] == "end_of_period" }
func atEnd(sent bend.Object) bool  { return sent["cancel_at_period_end"] == true }
func notYet(sent bend.Object) bool { return sent["cancel_at_period_end"] == false }

// handmade are faults with the claim that is about each.
var handmade = []struct {
	name  string
	claim int
	plant func(*faulty)
}{
	{"the description has no paths", 791, func(f *faulty) {
		f.server.AddFault(sandbox.Fault{Operation: "finance.openapi.json",
			Body: `{"openapi":"3.0.3","info":{"title":"Finance","version":"1"},"paths":{}}`})
	}},
	{"the YAML description is JSON", 793, func(f *faulty) {
		f.server.AddFault(sandbox.Fault{Operation: "finance.openapi.yaml", Body: `{"openapi":"3.0.3","paths":{"/v1/payables":{}}}`})
	}},
	{"nothing is sent", 581, func(f *faulty) { f.delivered(func(d *delivery) { d.lost = true }) }},
	{"a delivery without its event id", 581, header("X-Webhook-Event-Id", func(*delivery) string { return "" })},
	{"the same delivery id for all", 581, header("X-Webhook-Delivery-Id", func(*delivery) string { return other })},
	{"the signature is missing", 585, header("X-Webhook-Signature", func(*delivery) string { return "none" })},
	{"the signature does not cover t", 585, header("X-Webhook-Signature", func(d *delivery) string {
		_, v1, _ := strings.Cut(d.sign(0, string(d.body)), ",")
		return fmt.Sprintf("t=%d,%s", d.at, v1)
	})},
	{"the signature is in upper case", 585, header("X-Webhook-Signature", func(d *delivery) string {
		return strings.Replace(strings.ToUpper(d.sign(d.at, string(d.body))), "T=", "t=", 1)
	})},
	{"the body is changed after it is signed", 585, func(f *faulty) {
		f.delivered(func(d *delivery) { d.sign(d.at, string(d.body)); d.body = append(d.body, '\n') })
	}},
	{"the timestamp is a number", 586, header("X-Webhook-Timestamp", func(d *delivery) string { return fmt.Sprint(d.at) })},
	{"t in milliseconds", 586, func(f *faulty) { f.delivered(func(d *delivery) { d.at *= 1000 }) }},
	{"t is a day off", 586, func(f *faulty) { f.delivered(func(d *delivery) { d.at -= 24 * 3600 }) }},
	{"the old secret stays in use", 587, func(f *faulty) {
		f.delivered(func(d *delivery) { d.secret = f.secrets[max(0, slices.Index(f.secrets, d.secret)-1)] })
	}},
	{"credentials are not sent", 589, func(f *faulty) {
		f.delivered(func(d *delivery) { d.header.Del("Authorization"); d.header.Del("X-Gateway-Key") })
	}},
	{"an update ignores the authentication", 510, func(f *faulty) {
		f.asked("webhook_endpoints.update", func(x *bend.Exchange) { delete(sentTo(x), "authentication") })
	}},
	{"an endpoint with events gets no tests", 591, func(f *faulty) {
		f.asked("webhook_endpoints.create", func(x *bend.Exchange) {
			if slices.Equal(sentTo(x)["events"].([]any), []any{"charge.paid"}) {
				sentTo(x)["url"] = "https://127.0.0.1:1/"
			}
		})
	}},
	{"inactive endpoints are active", 592, func(f *faulty) {
		f.asked("webhook_endpoints.create", func(x *bend.Exchange) { delete(sentTo(x), "active") })
	}},
	{"only 200 is a success", 601, func(f *faulty) {
		f.objects("webhook_deliveries.list", func(o bend.Object) {
			if o["httpCode"] == json.Number("201") {
				o["status"] = "failed"
			}
		})
	}},
	{"410 is recorded as 500", 602, func(f *faulty) {
		f.objects("webhook_deliveries.list", func(o bend.Object) {
			if o["httpCode"] == json.Number("410") {
				o["httpCode"] = json.Number("500")
			}
		})
	}},
	{"the code is 0 without a response", 604, func(f *faulty) {
		f.objects("webhook_deliveries.list", func(o bend.Object) {
			if o["httpCode"] == nil {
				o["httpCode"] = json.Number("0")
			}
		})
	}},
	{"a redelivery is another event", 611, again(func(d *delivery) { d.header.Set("X-Webhook-Event-Id", other) })},
	{"a redelivery is another delivery", 611, again(func(d *delivery) { d.header.Set("X-Webhook-Delivery-Id", other) })},
	{"a redelivery has another body", 611, again(func(d *delivery) { d.body = append(d.body, '\n') })},
	{"a redelivery keeps counting attempts", 612, again(func(d *delivery) { d.header.Set("X-Webhook-Attempt", "2") })},
	{"a rejected redelivery resets the attempts", 614, func(f *faulty) {
		asked := map[any]bool{}
		f.asked("webhook_deliveries.retry", func(x *bend.Exchange) { asked[about(x)] = true })
		f.objects("webhook_deliveries.list", func(o bend.Object) {
			if asked[o["id"]] && o["status"] == "failed" {
				o["attempts"] = json.Number("0")
			}
		})
	}},
	{"the signature is shown", 622, shown(func(d *delivery) string { return d.sign(d.at, string(d.body)) })},
	{"the secret is shown", 622, shown(func(d *delivery) string { return d.secret })},
	{"the credential is shown", 622, shown(func(d *delivery) string { return d.header.Get("Authorization") })},
	{"keys cause no events", 645, func(f *faulty) {
		f.delivered(func(d *delivery) { d.lost = strings.HasPrefix(d.header.Get("X-Webhook-Event"), "api_key.") })
	}},
	{"two events are all events", 645, func(f *faulty) {
		f.asked("webhook_endpoints.create", func(x *bend.Exchange) {
			if list, _ := sentTo(x)["events"].([]any); len(list) == 2 {
				sentTo(x)["events"] = []any{}
			}
		})
	}},
	{"no events means only tests", 646, func(f *faulty) {
		f.asked("webhook_endpoints.create", func(x *bend.Exchange) {
			if list, is := sentTo(x)["events"].([]any); is && len(list) == 0 {
				sentTo(x)["events"] = []any{"webhook.test"}
			}
		})
	}},
	{"an endpoint stays active", 647, func(f *faulty) {
		f.asked("webhook_endpoints.update", func(x *bend.Exchange) {
			if len(sentTo(x)) == 1 && sentTo(x)["active"] == false {
				sentTo(x)["active"] = true
			}
		})
	}},
	{"the clock stands still", 338, func(f *faulty) {
		f.target.Advance = func(context.Context, time.Duration) error { return nil }
	}},
	{"a plan stays pending after it has taken effect", 334, remembered("subscriptions.change_plan", later,
		func(f *faulty, o, was bend.Object) {
			if o["plan_id"] == was["plan_id"] && f.since(o["created_at"]) > aMonth {
				o["metadata"] = bend.Object{"pending_plan_id": was["plan_id"]}
			}
		})},
	{"a reverted plan takes effect", 335, remembered("subscriptions.change_plan", later,
		func(f *faulty, o, was bend.Object) {
			if f.since(o["created_at"]) > aMonth {
				o["plan_id"] = was["plan_id"]
			}
		})},
	{"a scheduled cancellation has no reason", 336, remembered("subscriptions.cancel", atEnd,
		func(_ *faulty, o, _ bend.Object) {
			if o["status"] == "canceled" {
				o["cancellation_reason"] = nil
			}
		})},
	{"a reverted cancellation takes effect", 337, remembered("subscriptions.update", notYet,
		func(f *faulty, o, _ bend.Object) {
			if f.since(o["created_at"]) > aMonth {
				o["status"] = "canceled"
			}
		})},
	{"a pause ends with the period", 340, func(f *faulty) {
		f.objects("subscriptions.get", func(o bend.Object) {
			if o["status"] == "paused" && f.since(o["paused_at"]) > aMonth {
				o["status"] = "active"
			}
		})
	}},
	{"a deleted customer keeps its external_id", 124, func(f *faulty) { keeps(f, "customers") }},
	{"a deleted account keeps its external_id", 182, func(f *faulty) { keeps(f, "billing_accounts") }},
	{"a deleted record is still listed", 776, func(f *faulty) {
		gone := map[any]bend.Object{}
		f.objects("finance.*", func(o bend.Object) { gone[o["id"]] = o })
		deleted := []any{}
		f.asked("finance.records.delete", func(x *bend.Exchange) { deleted = append(deleted, gone[about(x)]) })
		f.returned("finance.*.list", func(x *bend.Exchange) {
			whole, _ := x.Got.(bend.Object)
			meta, _ := whole["meta"].(bend.Object)
			list, is := whole["data"].([]any)
			for _, one := range deleted {
				one, _ := one.(bend.Object)
				if is && meta["next_cursor"] == nil && one["company_id"] == any(x.Query.Get("company_id")) {
					whole["data"] = append(list, one)
				}
			}
		})
	}},
	{"equal bodies create one record", 763, func(f *faulty) {
		f.asked("finance.records.create", func(x *bend.Exchange) {
			sum := sha256.Sum256(fmt.Append(nil, x.Path, x.Sent))
			x.Header.Set("X-Idempotency-Key", fmt.Sprintf("00000000-0000-4000-8000-%x", sum[:6]))
		})
	}},
	{"a key is forgotten at once", 756, func(f *faulty) {
		f.asked("finance.records.create", func(x *bend.Exchange) { x.Header.Set("X-Idempotency-Key", uuid.NewString()) })
	}},
	{"a record that is created between two pages is repeated", 727, func(f *faulty) {
		var before any
		f.returned("finance.*", func(x *bend.Exchange) {
			whole, _ := x.Got.(bend.Object)
			list, isList := whole["data"].([]any)
			switch {
			case x.Operation == "finance.records.create":
				before = whole["data"]
			case isList && x.Query.Has("cursor") && before != nil:
				whole["data"] = append(list, list[0])
				before = nil
			case isList:
				before = nil
			}
		})
	}},
}

// keeps plants that the external_id of a deleted object stays taken.
func keeps(f *faulty, kind string) {
	named, gone := map[any]any{}, map[any]bool{}
	f.objects(kind+".*", func(o bend.Object) {
		if inner, is := o["customer"].(bend.Object); is && kind == "customers" {
			o = inner
		}
		named[o["id"]] = o["external_id"]
	})
	f.asked(kind+".delete", func(x *bend.Exchange) { gone[named[about(x)]] = true })
	f.asked(kind+".create", func(x *bend.Exchange) {
		if external := sentTo(x)["external_id"]; external != nil && gone[external] {
			sentTo(x)["external_id"] = 7 // which is rejected
		}
	})
}

// TestClaimsFindHandmadeFaults checks that the claim about each fault finds it.
func TestClaimsFindHandmadeFaults(t *testing.T) {
	t.Parallel()
	for _, fault := range handmade {
		t.Run(fault.name, func(t *testing.T) {
			t.Parallel()
			server, target := startSandbox(t, open(t, sandbox.Options{NoExampleData: true}))
			target.Shapes = nil // only what the claim itself says
			fault.plant(&faulty{t: t, server: server, target: &target, sent: map[string]bool{}})
			result := claims.Run(t.Context(), target, []claims.Claim{numbered(fault.claim)})[0]
			if result.Err == nil || result.NotGiven() {
				t.Errorf("%s\nreturned %v, want a failure", result.Claim, result.Err)
			}
		})
	}
}

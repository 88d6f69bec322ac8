package demo

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// receiver is a consumer of webhooks: a few lines as a team writes them that has nothing of the provider. It rejects
// what is not signed with the secret that it trusts; before there is one, it accepts everything.
type receiver struct {
	address string
	server  *httptest.Server

	mu       sync.Mutex
	secret   string
	received []delivery
	passed   int // of received, by arrives
}

// delivery is a request as it arrived, and the status of the response.
type delivery struct {
	event, id, attempt, signature, body string
	status                              int
}

// startReceiver listens under the names below example.com, and writes the certificate into a file.
func startReceiver(certificate string) (*receiver, error) {
	r := &receiver{}
	r.server = httptest.NewTLSServer(r)
	_, port, _ := strings.Cut(r.server.Listener.Addr().String(), ":")
	r.address = "hooks.example.com:" + port
	block := pem.Block{Type: "CERTIFICATE", Bytes: r.server.Certificate().Raw}
	return r, os.WriteFile(certificate, pem.EncodeToMemory(&block), 0o600)
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	h := req.Header
	d := delivery{h.Get("X-Webhook-Event"), h.Get("X-Webhook-Event-Id"), h.Get("X-Webhook-Attempt"),
		h.Get("X-Webhook-Signature"), string(body), http.StatusOK}
	if r.secret != "" && !d.genuine(r.secret) {
		d.status = http.StatusUnauthorized
	}
	w.WriteHeader(d.status)
	r.received = append(r.received, d)
}

// signed returns the time and the value of the signature.
func (d delivery) signed() (at, signature string) {
	at, signature, _ = strings.Cut(strings.TrimPrefix(d.signature, "t="), ",v1=")
	return at, signature
}

// genuine verifies the signature (service description, Collections §5).
func (d delivery) genuine(secret string) bool {
	at, signature := d.signed()
	mac := hmac.New(sha256.New, []byte(secret))
	fmt.Fprintf(mac, "%s.%s", at, d.body)
	return hmac.Equal([]byte(signature), []byte(hex.EncodeToString(mac.Sum(nil))))
}

// changed is the delivery with one more space in its body.
func (d delivery) changed() delivery {
	d.body = strings.Replace(d.body, "{", "{ ", 1)
	return d
}

// arrives [-again] EVENT STATUS waits for the next delivery of an event to which the receiver responds with a status;
// -again for the second attempt of the one before it.
func arrives(ts *testscript.TestScript, _ bool, args []string) {
	r, again := of(ts).receiver, args[0] == "-again"
	event, status := args[len(args)-2], args[len(args)-1]
	for began := time.Now(); time.Since(began) < patience; time.Sleep(5 * time.Millisecond) {
		before := r.at(r.passed - 1)
		for r.at(r.passed) != nil {
			d := r.at(r.passed)
			r.passed++
			if d.event != event || strconv.Itoa(d.status) != status {
				continue
			}
			if again && (d.id != before.id || d.attempt != "2") {
				ts.Fatalf("attempt %s of %s is not the second one of %s", d.attempt, d.id, before.id)
			}
			ts.Logf("%s, attempt %s, signed %s", d.event, d.attempt, d.signature)
			return
		}
	}
	ts.Fatalf("it did not arrive")
}

// at is a delivery by its place among all, nil if there is none.
func (r *receiver) at(i int) *delivery {
	r.mu.Lock()
	defer r.mu.Unlock()
	if i < 0 || i >= len(r.received) {
		return nil
	}
	return &r.received[i]
}

// trust SECRET lets the receiver verify with a secret. The latest delivery is judged by it.
func trust(ts *testscript.TestScript, _ bool, args []string) {
	r := of(ts).receiver
	r.mu.Lock()
	defer r.mu.Unlock()
	first := r.secret == ""
	r.secret = args[0]
	if d := r.received[len(r.received)-1]; first && (!d.genuine(r.secret) || d.changed().genuine(r.secret)) {
		ts.Fatalf("the receiver does not tell a genuine event from a changed one")
	}
}

// received FILE first|last|changed... writes deliveries as the variable "received" of the example: the first one, the
// last one, or the last one changed on its way.
func received(ts *testscript.TestScript, _ bool, args []string) {
	r := of(ts).receiver
	var all []map[string]any
	for _, which := range args[1:] {
		d := *r.at(r.passed - 1)
		switch which {
		case "first":
			d = *r.at(0)
		case "changed":
			d = d.changed()
		}
		at, _ := d.signed()
		all = append(all, map[string]any{"signature": d.signature, "body": d.body, "at": json.Number(at)})
	}
	content, err := json.Marshal(map[string]any{"received": all})
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), content, 0o600))
}

package main

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// A delivery with a signature that openssl has computed.
const (
	signedSecret = "whsec_EXAMPLE_not_a_secret_0001"
	signedAt     = 1749054000
	signedBody   = `{"event":"webhook.test","timestamp":"2025-06-04T16:20:00.512Z","organizationId":"1cb000fc-4a11-4fd3-a30d-65e5eccf7d56","data":{}}`
	signedHeader = "t=1749054000,v1=5fa59c6f70f1f6cc5505f32b111c17139c5f43b5eef8c7f68b61f3c34a3b2bc3"
)

func signed(change func(*delivery)) delivery {
	d := delivery{signature: signedHeader, body: []byte(signedBody), at: time.Unix(signedAt, 0)}
	if change != nil {
		change(&d)
	}
	return d
}

func TestGenuine(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		secret string
		change func(*delivery)
		want   bool
	}{
		{"as signed", signedSecret, nil, true},
		{"five minutes later", signedSecret, func(d *delivery) { d.at = d.at.Add(tolerance) }, true},
		{"later still", signedSecret, func(d *delivery) { d.at = d.at.Add(tolerance + time.Second) }, false},
		{"from the future", signedSecret, func(d *delivery) { d.at = d.at.Add(-tolerance - time.Second) }, false},
		{"another secret", "whsec_other", nil, false},
		{"another body", signedSecret, func(d *delivery) { *d = d.changed() }, false},
		{"another time", signedSecret,
			func(d *delivery) { d.signature = strings.Replace(d.signature, "t=1749054000", "t=1749054001", 1) }, false},
		{"without a signature", signedSecret, func(d *delivery) { d.signature = "" }, false},
		{"without a time", signedSecret,
			func(d *delivery) { d.signature = strings.Replace(d.signature, "t=1749054000", "t=", 1) }, false},
	} {
		if got := signed(test.change).genuine(test.secret); got != test.want {
			t.Errorf("%s: genuine = %t", test.name, got)
		}
	}
	if string(signed(nil).changed().body) == signedBody {
		t.Error("the changed delivery is the same")
	}
}

// What the receiver returns depends on the secret it has; next passes by what
// it was not asked for, and never returns the same delivery twice.
func TestReceiver(t *testing.T) {
	t.Parallel()
	r := &receiver{now: func() time.Time { return time.Unix(signedAt, 0) }, arrived: make(chan struct{})}
	deliver := func() int {
		request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/billing", strings.NewReader(signedBody))
		request.Header.Set("X-Webhook-Event", "webhook.test")
		request.Header.Set("X-Webhook-Signature", signedHeader)
		response := httptest.NewRecorder()
		r.ServeHTTP(response, request)
		return response.Code
	}
	for _, test := range []struct {
		name, secret string
		want         int
	}{
		{"without a secret", "", http.StatusOK},
		{"with another secret", "whsec_other", http.StatusUnauthorized},
		{"with the secret", signedSecret, http.StatusOK},
	} {
		r.trust(test.secret)
		if got := deliver(); got != test.want {
			t.Errorf("%s: the response is %d", test.name, got)
		}
	}
	for _, status := range []int{http.StatusOK, http.StatusUnauthorized} {
		if d, err := r.next(t.Context(), "webhook.test", status); err != nil || d.status != status ||
			string(d.body) != signedBody {
			t.Errorf("next = %v, %v", d, err)
		}
	}
	if d, _ := r.look("charge.paid", http.StatusOK); d != nil {
		t.Errorf("an event arrived that was never sent: %v", d)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if d, err := r.next(ended, "webhook.test", http.StatusOK); err == nil {
		t.Errorf("next returns a delivery that was passed by: %v", d)
	}
}

func TestReceiverWaits(t *testing.T) {
	t.Parallel()
	r, err := startReceiver(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	responded := make(chan error, 1)
	go func() {
		_, err := r.next(t.Context(), "charge.paid", http.StatusOK)
		responded <- err
	}()
	request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, r.url, strings.NewReader("{}"))
	request.Header.Set("X-Webhook-Event", "charge.paid")
	r.ServeHTTP(httptest.NewRecorder(), request)
	if err := <-responded; err != nil {
		t.Error(err)
	}
	if err := r.stop(); err != nil {
		t.Error(err)
	}
}

package main

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	// receiverName is the receiver's host name. Only the sandbox knows where it
	// leads.
	receiverName = "hooks.aurora.example"
	// tolerance is how old or early a signature may be
	// (service description, Collections §8).
	tolerance = 5 * time.Minute
	// arrivalLimit is how long an event may take to arrive.
	arrivalLimit = 15 * time.Second
	// largestBody is what the receiver reads of a delivery.
	largestBody = 1 << 20
)

// receiver is a consumer of webhooks on loopback: a few lines as a team would
// write them that has nothing of the provider. It keeps what arrives, and
// rejects what is not signed with the secret it was given. Before it has one
// it takes everything.
type receiver struct {
	url    string
	caFile string
	server *http.Server

	mu       sync.Mutex
	now      func() time.Time
	secret   string
	received []delivery
	passed   int           // of received, by next
	arrived  chan struct{} // closed and replaced at each arrival
}

// delivery is a request as it arrived.
type delivery struct {
	event, eventID, attempt, signature string
	body                               []byte
	at                                 time.Time
	status                             int // what was returned
}

// startReceiver listens, with its own certificate that it writes into the
// folder.
func startReceiver(ctx context.Context, dir string) (*receiver, error) {
	certificate, err := selfSigned(receiverName)
	if err != nil {
		return nil, fmt.Errorf("make the receiver's certificate: %w", err)
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("start the receiver: %w", err)
	}
	_, port, err := net.SplitHostPort(listener.Addr().String())
	if err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	r := &receiver{
		url: "https://" + net.JoinHostPort(receiverName, port) + "/billing", caFile: filepath.Join(dir, "receiver.pem"),
		now: time.Now, arrived: make(chan struct{}),
	}
	authority := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate.Certificate[0]})
	if err := os.WriteFile(r.caFile, authority, 0o600); err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	r.server = &http.Server{Handler: r, ReadHeaderTimeout: arrivalLimit,
		TLSConfig: &tls.Config{Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS12}}
	// It ends with an error when it is closed; a failure before that shows as
	// an event that does not arrive.
	go func() { _ = r.server.ServeTLS(listener, "", "") }()
	return r, nil
}

// flags let the sandbox deliver to the receiver.
func (r *receiver) flags() []string {
	return []string{"--allow-loopback-receivers", "--receiver-ca", r.caFile, "--resolve", receiverName + "=127.0.0.1"}
}

// stop ends the receiver. It may be called on one that never started.
func (r *receiver) stop() error {
	if r == nil {
		return nil
	}
	return r.server.Close()
}

// ServeHTTP takes a delivery.
func (r *receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, req.Body, largestBody))
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	d := delivery{
		event: req.Header.Get("X-Webhook-Event"), eventID: req.Header.Get("X-Webhook-Event-Id"),
		attempt: req.Header.Get("X-Webhook-Attempt"), signature: req.Header.Get("X-Webhook-Signature"),
		body: body, at: r.now(), status: http.StatusOK,
	}
	if r.secret != "" && !d.genuine(r.secret) {
		d.status = http.StatusUnauthorized // without a reason
	}
	w.WriteHeader(d.status)
	r.received = append(r.received, d)
	close(r.arrived)
	r.arrived = make(chan struct{})
}

// live makes the receiver go by another clock than this machine's.
func (r *receiver) live(now func() time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.now = now
}

// trust gives the receiver the secret that it verifies with from now on.
func (r *receiver) trust(secret string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.secret = secret
}

// first is the delivery that arrived first. There must be one.
func (r *receiver) first() delivery {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.received[0]
}

// next returns the next delivery of an event with that response, after the one
// that it returned last, and waits for it when it has not come yet.
func (r *receiver) next(ctx context.Context, event string, status int) (delivery, error) {
	limit, cancel := context.WithTimeout(ctx, arrivalLimit)
	defer cancel()
	for {
		found, arrived := r.look(event, status)
		if found != nil {
			return *found, nil
		}
		select {
		case <-arrived:
		case <-limit.Done():
			return delivery{}, fmt.Errorf("no %s arrived that got the response %d: %w", event, status, limit.Err())
		}
	}
}

// look looks through the deliveries that next has not passed yet. arrived is
// closed when there is another one.
func (r *receiver) look(event string, status int) (found *delivery, arrived <-chan struct{}) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for ; r.passed < len(r.received); r.passed++ {
		if d := r.received[r.passed]; d.event == event && d.status == status {
			r.passed++
			return &d, nil
		}
	}
	return nil, r.arrived
}

// genuine verifies the signature (service description, Collections §5).
func (d delivery) genuine(secret string) bool {
	t, signature, _ := strings.Cut(strings.TrimPrefix(d.signature, "t="), ",v1=")
	mac := hmac.New(sha256.New, []byte(secret))
	fmt.Fprintf(mac, "%s.%s", t, d.body)
	sent, err := strconv.ParseInt(t, 10, 64)
	return hmac.Equal([]byte(signature), []byte(hex.EncodeToString(mac.Sum(nil)))) &&
		err == nil && d.at.Sub(time.Unix(sent, 0)).Abs() <= tolerance
}

// changed is the delivery as a sender would forward it after a change of one byte.
func (d delivery) changed() delivery {
	d.body = bytes.Replace(d.body, []byte("{"), []byte("{ "), 1)
	return d
}

// selfSigned makes a certificate for a host that is its own authority.
func selfSigned(host string) (tls.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return tls.Certificate{}, err
	}
	now := time.Now()
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), DNSNames: []string{host}, NotBefore: now.Add(-time.Hour), NotAfter: now.AddDate(1, 0, 0),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	signed, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return tls.Certificate{}, err
	}
	return tls.Certificate{Certificate: [][]byte{signed}, PrivateKey: key}, nil
}

// A webhook handler that verifies, deduplicates, works and responds, in this order.
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	tolerance = 300 * time.Second
	largest   = 4 << 20 // bytes of a body
)

func main() {
	h := &handler{secret: os.Getenv("WEBHOOK_SECRET"), seen: map[string]bool{}}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /hooks", h.receive)
	mux.HandleFunc("GET /payments", h.count)
	server := http.Server{Addr: "127.0.0.1:" + os.Getenv("PORT"), Handler: mux, ReadTimeout: 10 * time.Second}
	log.Fatal(server.ListenAndServe())
}

type handler struct {
	secret string

	mu       sync.Mutex
	seen     map[string]bool // ids of events. In production: a table with a unique index
	payments int
}

func (h *handler) receive(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, largest))
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	if !h.isSigned(r.Header.Get("X-Webhook-Signature"), body) { // before the body is parsed
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	var event struct {
		Event string          `json:"event"`
		Data  json.RawMessage `json:"data"`
	}
	if err := json.Unmarshal(body, &event); err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	// In production, the id is written in the transaction of the work: if that fails, respond 500, and the event comes
	// again.
	h.mu.Lock()
	defer h.mu.Unlock()
	id := r.Header.Get("X-Webhook-Event-Id")
	if !h.seen[id] {
		h.seen[id] = true
		if event.Event == "charge.paid" { // other events are none of our business
			h.payments++
		}
	}
	w.WriteHeader(http.StatusNoContent)
}

// isSigned reports whether a header t=<seconds>,v1=<hex> has the HMAC-SHA256 of "<t>.<body>", and is recent.
func (h *handler) isSigned(header string, body []byte) bool {
	at, signature, _ := strings.Cut(strings.TrimPrefix(header, "t="), ",v1=")
	seconds, err := strconv.ParseInt(at, 10, 64)
	if err != nil || time.Since(time.Unix(seconds, 0)).Abs() > tolerance {
		return false
	}
	mac := hmac.New(sha256.New, []byte(h.secret))
	mac.Write([]byte(at + "."))
	mac.Write(body)
	return hmac.Equal([]byte(signature), []byte(hex.EncodeToString(mac.Sum(nil))))
}

func (h *handler) count(w http.ResponseWriter, _ *http.Request) {
	h.mu.Lock()
	defer h.mu.Unlock()
	fmt.Fprintln(w, h.payments)
}

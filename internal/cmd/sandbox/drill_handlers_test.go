package main

import (
	"bytes"
	"crypto/hmac"
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

const handlerSecret = "whsec_drill"

// defects are what can be wrong with a webhook handler.
type defects struct {
	anySignature, anyAge, anyFuture, serializes, ofBody, otherSecrets bool
	noSignature, leaks, isForbidden, parsesFirst                      bool
	noMemory, byDelivery, bySignature, slowMemory, conflicts          bool
	inOrder, byTimestamp, knownOnly, redirects                        bool
	longest                                                           int64
	sleeps                                                            time.Duration
}

// handler is a webhook handler, right but for its defects.
type handler struct {
	defects
	mu    sync.Mutex
	seen  map[string]bool
	looks map[string]int
	last  string // timestamp
	works int
}

func (h *handler) effects() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.works
}

func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if user, password, _ := r.BasicAuth(); user != "hooks" || password != "password" {
		w.WriteHeader(http.StatusProxyAuthRequired)
		return
	}
	time.Sleep(h.sleeps)
	reader := io.Reader(r.Body)
	if h.longest > 0 {
		reader = http.MaxBytesReader(w, r.Body, h.longest)
	}
	body, err := io.ReadAll(reader)
	if err != nil {
		w.WriteHeader(http.StatusRequestEntityTooLarge)
		return
	}
	var event struct{ Event, Timestamp string }
	if err := json.Unmarshal(body, &event); err != nil && h.parsesFirst {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	if !h.isSigned(w, r.Header.Get(sandbox.SignatureHeader), body) {
		return
	}
	if age := time.Since(parsed(event.Timestamp)); h.byTimestamp && age > tolerance {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	if h.redirects {
		http.Redirect(w, r, "/elsewhere", http.StatusFound)
		return
	}
	w.WriteHeader(h.work(r.Header, event.Event, event.Timestamp))
}

func parsed(timestamp string) time.Time {
	at, _ := time.Parse(time.RFC3339, timestamp)
	return at
}

func (h *handler) isSigned(w http.ResponseWriter, header string, body []byte) bool {
	at, got, _ := strings.Cut(strings.TrimPrefix(header, "t="), ",v1=")
	seconds, err := strconv.ParseInt(at, 10, 64)
	age := time.Since(time.Unix(seconds, 0))
	if h.serializes {
		var compact bytes.Buffer
		_ = json.Compact(&compact, body)
		body = compact.Bytes()
	}
	wanted := digits(sandbox.Signature(handlerSecret, time.Unix(seconds, 0), body))
	switch {
	case h.anySignature, h.noSignature && header == "", h.otherSecrets && len(got) == len(wanted):
		return true
	case err == nil && (h.anyAge || age < tolerance) && (h.anyAge || h.anyFuture || age > -tolerance) &&
		(hmac.Equal([]byte(wanted), []byte(got)) || h.ofBody && !bytes.HasSuffix(body, []byte("}"))):
		return true
	case h.isForbidden:
		w.WriteHeader(http.StatusForbidden)
	default:
		w.WriteHeader(http.StatusUnauthorized)
	}
	if h.leaks {
		_, _ = io.WriteString(w, "want "+wanted)
	}
	return false
}

func (h *handler) work(header http.Header, event, timestamp string) (status int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	id := header.Get("X-Webhook-Event-Id")
	switch {
	case h.byDelivery:
		id = header.Get("X-Webhook-Delivery-Id")
	case h.bySignature:
		id = header.Get(sandbox.SignatureHeader)
	}
	if h.knownOnly && event != "charge.paid" {
		return http.StatusBadRequest
	}
	if h.inOrder && timestamp < h.last {
		return http.StatusConflict
	}
	h.last = max(h.last, timestamp)
	seen := h.seen[id]
	if h.slowMemory { // another process looks too before this one remembers
		h.looks[id]++
		for began := time.Now(); h.looks[id] < 2 && time.Since(began) < 200*time.Millisecond; {
			h.mu.Unlock()
			time.Sleep(time.Millisecond)
			h.mu.Lock()
		}
	}
	if seen && h.conflicts {
		return http.StatusConflict
	}
	if !seen || h.noMemory {
		h.seen[id] = true
		if event == "charge.paid" {
			h.works++
		}
	}
	return http.StatusNoContent
}

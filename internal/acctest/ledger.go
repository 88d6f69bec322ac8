package acctest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/evidence"
)

// ledgerVariable names the file in which live runs record the objects they create.
const ledgerVariable = "BILLING_ACC_LEDGER"

// Recording returns the same service behind a proxy that records every created object in a file, before it passes on
// the response. A sweep deletes the objects in the file: exactly those that a run has created, whatever their names.
func (s *Service) Recording(ledger string) *Service {
	s.t.Helper()
	return s.through(func(r *http.Response) error { return note(ledger, r) })
}

// note appends a created object to the ledger.
func note(ledger string, r *http.Response) error {
	collection := creates(r.Request.URL.Path)
	if r.Request.Method != http.MethodPost || r.StatusCode >= http.StatusMultipleChoices || collection == "" {
		return nil
	}
	raw, err := io.ReadAll(r.Body)
	if err = errors.Join(err, r.Body.Close()); err != nil {
		return err
	}
	r.Body = io.NopCloser(bytes.NewReader(raw))
	var body JSON
	_ = json.Unmarshal(raw, &body) // a response that is not an object has no id; the test reports it
	made := unwrapped(body)
	if customer, paired := made["customer"].(JSON); paired && collection == "/v1/customers" {
		made = customer // the response has the customer and its account
	}
	id, _ := made["id"].(string)
	if id == "" {
		return nil
	}
	file, err := os.OpenFile(ledger, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	// A single write keeps the lines of several processes apart.
	_, err = fmt.Fprintf(file, "%s/%s\n", collection, id)
	return errors.Join(err, file.Close())
}

// creates returns the path of the list that contains the objects created by a POST to a path; empty if it creates none.
func creates(path string) string {
	if key, rotates := evidence.Match("/api/v1/api-keys/{id}/rotate", path); rotates {
		path = strings.TrimSuffix(path, "/"+key["id"]+"/rotate") // a rotation creates a key with another id
	}
	for _, kind := range evidence.Kinds() {
		if _, ok := evidence.Match(kind.Path(), path); ok {
			return path
		}
	}
	return ""
}

// unwrapped returns the object of a response with or without an envelope.
func unwrapped(body JSON) JSON {
	if data, wrapped := body["data"].(JSON); wrapped {
		return data
	}
	return body
}

// Sweep deletes the objects in the ledger, the newest first, and keeps those that it could not delete in the ledger. It
// cancels subscriptions. Objects that do not exist or are closed, canceled or revoked count as deleted. say receives
// one line per deleted object.
func (s *Service) Sweep(ledger string, say func(string)) error {
	content, err := os.ReadFile(ledger)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	var failed []string
	for _, path := range slices.Backward(strings.Fields(string(content))) {
		deleted, err := s.remove(path)
		if err != nil {
			failed = append(failed, path)
			say(fmt.Sprintf("%s: %v", path, err))
		} else if deleted {
			say("deleted " + path)
		}
	}
	if len(failed) == 0 {
		return os.Remove(ledger)
	}
	slices.Reverse(failed)
	return errors.Join(os.WriteFile(ledger, []byte(strings.Join(failed, "\n")+"\n"), 0o600),
		fmt.Errorf("%d objects could not be deleted; they remain in %s", len(failed), ledger))
}

// remove deletes one object, unless it does not exist.
func (s *Service) remove(path string) (bool, error) {
	s.t.Helper()
	status, body := s.Call(http.MethodGet, path, nil)
	object := unwrapped(body)
	switch {
	case status == http.StatusNotFound, status == http.StatusGone, object["status"] == "closed",
		object["status"] == "canceled", object["revokedAt"] != nil:
		return false, nil
	case status >= http.StatusMultipleChoices:
		return false, fmt.Errorf("GET: status %d", status)
	}
	method := http.MethodDelete
	body = nil
	switch {
	case strings.HasPrefix(path, "/v1/billing-accounts/"):
		path = s.owner(path, object)
	case strings.HasPrefix(path, "/v1/subscriptions/"):
		s.Call(http.MethodPatch, path, JSON{"allow_cancel": true}) // a test may have forbidden it
		method, path, body = http.MethodPost, path+"/cancel", JSON{"reason": "acceptance test"}
	}
	if status, _ = s.Call(method, path, body); status >= http.StatusMultipleChoices && status != http.StatusNotFound {
		return false, fmt.Errorf("%s: status %d", method, status)
	}
	return true, nil
}

// owner returns the path of the customer that was created together with an account; deleting it closes the account. If
// the customer is older, it returns the path of the account.
func (s *Service) owner(path string, account JSON) string {
	s.t.Helper()
	id, _ := account["customer_id"].(string)
	if reference, nested := account["customer"].(JSON); nested {
		id, _ = reference["id"].(string)
	}
	if id == "" {
		return path
	}
	status, body := s.Call(http.MethodGet, "/v1/customers/"+id, nil)
	if status == http.StatusOK && together(unwrapped(body)["created_at"], account["created_at"]) {
		return "/v1/customers/" + id
	}
	return path
}

// together reports whether two times of the service come from one request.
func together(a, b any) bool {
	first, _ := a.(string)
	second, _ := b.(string)
	one, err := time.Parse(time.RFC3339Nano, first)
	other, otherErr := time.Parse(time.RFC3339Nano, second)
	return err == nil && otherErr == nil && one.Sub(other).Abs() < 2*time.Second
}

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

// ledgerVariable names the file in which live runs note what they create.
const ledgerVariable = "BILLING_ACC_LEDGER"

// Recording is the same service behind a proxy that notes every object that is created in a file, before the response
// is passed on. A sweep deletes what is in the file: exactly what a run has created, whatever its name.
func (s *Service) Recording(ledger string) *Service {
	s.t.Helper()
	return s.through(func(r *http.Response) error { return note(ledger, r) })
}

// note appends the object of a creation to the ledger.
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
	_ = json.Unmarshal(raw, &body) // a response that is not an object has no id; the test will see it
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
	// One write, so that the lines of several processes do not mix.
	_, err = fmt.Fprintf(file, "%s/%s\n", collection, id)
	return errors.Join(err, file.Close())
}

// creates is the path of the list that has what a POST to a path creates; empty: it creates nothing.
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

// unwrapped is the object of a response, with its envelope or without.
func unwrapped(body JSON) JSON {
	if data, wrapped := body["data"].(JSON); wrapped {
		return data
	}
	return body
}

// Sweep deletes what the ledger names, the newest first, and keeps in the ledger what it could not delete.
// Subscriptions are canceled. An object that is gone, closed, canceled or revoked is done. say gets a line for each
// object that was deleted.
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
		fmt.Errorf("%d objects could not be deleted; they stay in %s", len(failed), ledger))
}

// remove deletes one object, unless it is gone.
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

// owner is the path of the customer that was created together with an account; deleting it closes the account. For an
// account of an older customer it is that of the account.
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

// together is whether two times of the service are of one request.
func together(a, b any) bool {
	first, _ := a.(string)
	second, _ := b.(string)
	one, err := time.Parse(time.RFC3339Nano, first)
	other, otherErr := time.Parse(time.RFC3339Nano, second)
	return err == nil && otherErr == nil && one.Sub(other).Abs() < 2*time.Second
}

package contract_test

import (
	"crypto/hmac"
	"crypto/sha512"
	"encoding/base64"
	"encoding/json"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"
)

// financePrefix is where the faithful server has financial management, whose
// paths would otherwise be those of the other services.
const financePrefix = "/finance"

// The tokens of financial management: one may do everything, one may read
// accounts, and one is no more.
var (
	financeToken        = signedToken(object{"sub": "faithful", "scope": "*", "exp": 4070908800})
	financeNarrowToken  = signedToken(object{"sub": "faithful", "scope": "accounts:read", "exp": 4070908800})
	financeExpiredToken = signedToken(object{"sub": "faithful", "scope": "*", "exp": 1735689600})
)

func signedToken(claims object) string {
	raw, err := json.Marshal(claims)
	if err != nil {
		panic(err)
	}
	encode := base64.RawURLEncoding.EncodeToString
	unsigned := encode([]byte(`{"alg":"HS512","typ":"JWT"}`)) + "." + encode(raw)
	mac := hmac.New(sha512.New, []byte("faithful-key"))
	mac.Write([]byte(unsigned))
	return unsigned + "." + encode(mac.Sum(nil))
}

// finance is the state of the faithful financial management.
type finance struct {
	booked  map[string][]*entry // by collection, in the order in which they were made
	replies map[string]reply    // to creations, by collection and key
	cursors map[string]place
	made    int

	counting    bool // cursors count records, which insertions and deletions upset
	newestFirst bool
	lenient     bool // a record without a field matches every filter on it
}

// entry is a record with its place among all.
type entry struct {
	place  int
	fields object
}

func newFinance() finance {
	return finance{booked: map[string][]*entry{}, replies: map[string]reply{}, cursors: map[string]place{}}
}

// entries is how many records there are.
func (f *finance) entries() int {
	n := 0
	for _, records := range f.booked {
		n += len(records)
	}
	return n
}

// book answers what is below financePrefix.
func (f *faithful) book(r *http.Request, path string) reply {
	token, bearer := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !bearer || token != financeToken && token != financeNarrowToken {
		return reply{status: http.StatusUnauthorized, err: "invalid_token"}
	}
	if document, is := strings.CutPrefix(path, "/api/v1/openapi."); is {
		return openAPI(document)
	}
	collection, id, _ := strings.Cut(strings.TrimPrefix(path, "/v1/"), "/")
	if token == financeNarrowToken && (collection != "accounts" || r.Method != http.MethodGet) {
		return reply{status: http.StatusForbidden, err: "insufficient_scope"}
	}
	sent, ok := receiveObject(r)
	if !ok || sent == nil {
		return badRequest
	}
	switch {
	case id != "":
		return f.one(r.Method, collection, id, sent)
	case r.Method == http.MethodPost:
		return f.bookOnce(collection, r.Header.Values("X-Idempotency-Key"), sent)
	}
	return f.page(collection, r.URL.Query())
}

var badRequest = reply{status: http.StatusBadRequest, err: "bad_request"}

// bookOnce makes a record, or answers as it did when the key came before.
func (f *faithful) bookOnce(collection string, keys []string, sent object) reply {
	if len(keys) == 0 {
		return f.bookNew(collection, sent)
	}
	if !uuidForm.MatchString(keys[0]) {
		return badRequest
	}
	key := collection + " " + keys[0]
	if original, known := f.replies[key]; known {
		return original
	}
	answer := f.bookNew(collection, sent)
	if answer.status == http.StatusCreated {
		f.replies[key] = answer
	}
	return answer
}

func (f *faithful) bookNew(collection string, sent object) reply {
	if wrong := wrongEntries(sent); len(wrong) > 0 {
		return invalid(wrong)
	}
	f.made++
	fields := object{"id": newUUID()}
	maps.Copy(fields, sent)
	f.booked[collection] = append(f.booked[collection], &entry{f.made, fields})
	return reply{status: http.StatusCreated, body: object{"data": maps.Clone(fields)}}
}

// find is the entry and its position in the collection, nil when there is none.
func (f *finance) find(collection, id string) (*entry, int) {
	i := slices.IndexFunc(f.booked[collection], func(e *entry) bool { return e.fields["id"] == id })
	if i < 0 {
		return nil, i
	}
	return f.booked[collection][i], i
}

func (f *faithful) one(method, collection, id string, sent object) reply {
	found, i := f.find(collection, id)
	if found == nil {
		return notFound
	}
	switch method {
	case http.MethodDelete:
		f.booked[collection] = slices.Delete(f.booked[collection], i, i+1)
		return reply{status: http.StatusNoContent}
	case http.MethodPatch:
		if wrong := wrongEntries(sent); len(wrong) > 0 {
			return invalid(wrong)
		}
		maps.Copy(found.fields, sent)
		maps.DeleteFunc(found.fields, func(_ string, value any) bool { return value == nil })
	}
	return ok(maps.Clone(found.fields))
}

// rightEntry says of a field with a documented type whether a text is of that type.
var rightEntry = map[string]func(string) bool{
	"amount":      regexp.MustCompile(`^[0-9]+\.[0-9]{2}$`).MatchString,
	"company_id":  uuidForm.MatchString,
	"type":        func(text string) bool { return text == "debit" || text == "credit" },
	"occurred_at": func(text string) bool { return !momentOf(text).IsZero() },
}

func wrongEntries(sent object) object {
	wrong := object{}
	for field, right := range rightEntry {
		value, is := sent[field]
		if text, isText := value.(string); is && value != nil && (!isText || !right(text)) {
			wrong[field] = "is not of its type"
		}
	}
	return wrong
}

// momentOf is what a date or date-time stands for, zero when it is neither.
func momentOf(text string) time.Time {
	for _, form := range []string{time.DateOnly, time.RFC3339} {
		if moment, err := time.Parse(form, text); err == nil {
			return moment
		}
	}
	return time.Time{}
}

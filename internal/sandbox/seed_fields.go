package sandbox

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/store"
)

// seedCode marks a reference by external_id: ids are not known before the
// sandbox runs.
const seedCode = "external_id="

// seedReference is a field of an element that may name another object by its
// external_id.
type seedReference struct {
	path    []string // keys from the element down
	find    func(s *Server, tx *store.Tx, code string) (id string, ok bool)
	missing string
}

var customerReference = seedReference{
	path: []string{"customer", "id"},
	find: func(s *Server, tx *store.Tx, code string) (string, bool) {
		return s.billing.CustomerCoded(tx, s.bootstrap.Organization, code)
	},
	missing: "no customer has this external_id",
}

var accountReference = seedReference{
	path: []string{"billing_account_id"},
	find: func(s *Server, tx *store.Tx, code string) (string, bool) {
		return s.billing.AccountCoded(tx, s.bootstrap.Organization, code)
	},
	// That account is what a reader of the documentation expects to find.
	missing: "no billing account has this external_id; the account that comes with a customer has none: " +
		"list it under billing_accounts, and give the customer \"create_billing_account\": false",
}

func (r *seedReference) field() string { return strings.Join(r.path, ".") }

// resolve replaces a reference by the id of the object, and returns what is
// wrong with it. Whatever else the field holds is for the operation to judge.
func (r *seedReference) resolve(s *Server, tx *store.Tx, element map[string]any) (problem string) {
	if r == nil {
		return ""
	}
	last := len(r.path) - 1
	for _, key := range r.path[:last] {
		inner, ok := element[key].(map[string]any)
		if !ok {
			return ""
		}
		element = inner
	}
	value, _ := element[r.path[last]].(string)
	code, refers := strings.CutPrefix(value, seedCode)
	if !refers {
		return ""
	}
	id, ok := r.find(s, tx, code)
	if !ok {
		return r.missing
	}
	element[r.path[last]] = id
	return ""
}

// seedCredential is a field of an element that says which credential the
// object gets, so that tests can know it. The service has no such field: it
// generates every credential, and so does an element without it.
type seedCredential struct {
	field   string
	pattern *regexp.Regexp
	must    string
	taken   func(s *Server, tx *store.Tx, value string) bool // nil: two may be alike
	put     func(s *Server, tx *store.Tx, id, value string)
}

var knownSecret = seedCredential{
	field:   "secret",
	pattern: regexp.MustCompile(`^whsec_[!-~]{16,}$`),
	must:    "must be whsec_ and at least 16 characters without spaces",
	put: func(s *Server, tx *store.Tx, id, secret string) {
		s.collections.SetSecret(tx, id, secret)
	},
}

// The part before the last underscore is the public prefix, as in a token that
// is made up.
var knownToken = seedCredential{
	field:   "token",
	pattern: regexp.MustCompile(`^ck_sandbox_[A-Za-z0-9]+_[A-Za-z0-9]{16,}$`),
	must:    "must be ck_sandbox_NAME_SECRET, of letters and digits, SECRET at least 16 of them",
	taken: func(s *Server, tx *store.Tx, token string) bool {
		return s.collections.HasPrefix(tx, prefixOf(token))
	},
	put: func(s *Server, tx *store.Tx, id, token string) {
		s.collections.SetToken(tx, id, prefixOf(token), token)
	},
}

func prefixOf(token string) string { return token[:strings.LastIndex(token, "_")] }

// take removes the credential from an element, because the operation does not know
// the field, and returns it, or what is wrong with it.
func (k *seedCredential) take(s *Server, tx *store.Tx, element map[string]any) (value, problem string) {
	if k == nil {
		return "", ""
	}
	given, ok := element[k.field]
	if !ok {
		return "", ""
	}
	delete(element, k.field)
	value, _ = given.(string)
	switch {
	case !k.pattern.MatchString(value):
		return "", k.must
	case k.taken != nil && k.taken(s, tx, value):
		return "", "another one has it, or its public part"
	}
	return value, ""
}

// keep makes the credential that of the object with the id.
func (k *seedCredential) keep(s *Server, tx *store.Tx, id, value string) error {
	if value == "" {
		return nil
	}
	if id == "" {
		return fmt.Errorf("the response names no object for the %s", k.field)
	}
	k.put(s, tx, id, value)
	return nil
}

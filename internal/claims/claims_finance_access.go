package claims

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/json"
	"hash"
	"net/http"
	"strings"
)

func financeAccessClaims() []Claim {
	const source = "Financial management §5 Authentication, §7 Errors; wire contract: finance.records.list"
	return []Claim{
		financeClaim(711, source, "A call without a token returns 401, for every operation.", checkFinanceNoToken),
		financeClaim(712, source, "A string that is not a token returns 401, and so does another scheme.",
			checkFinanceUnknownToken),
		financeClaim(713, source, "An expired token returns 401.", checkFinanceExpired),
		financeClaim(714, source, "A token returns 401 when it is not signed with HS512 and the service's own key.",
			checkFinanceForged),
		financeClaim(715, source, "A token with claims that were changed after it was signed returns 401.",
			checkFinanceAltered),
		financeClaim(716, "Financial management §5 Authentication, §7 Errors; wire contract: finance.records.create",
			"A creation without a valid token creates nothing.", checkFinanceNothingMade),
	}
}

func financeScopeClaims() []Claim {
	const source = "Financial management §5 Authentication, §7 Errors; wire contract: finance."
	return []Claim{
		financeClaim(717, source+"accounts.list, finance.payables.list, finance.records.create",
			"A token that may read accounts does so, and returns 403 for every other collection and for writing.",
			checkFinanceNarrow),
		financeClaim(718, source+"records.create", "A creation that the scopes do not allow creates nothing.",
			checkFinanceNarrowMakesNothing),
	}
}

// financeCalls need a token, one of each operation.
var financeCalls = []call{
	{method: http.MethodGet, path: ledgerAccountsPath},
	{method: http.MethodGet, path: payablesPath},
	{method: http.MethodGet, path: receivablesPath},
	{method: http.MethodGet, path: "/v1/contract-nobody"},
	{method: http.MethodPost, path: payablesPath, body: object{"name": "nobody"}},
	{method: http.MethodGet, path: payablesPath + "/" + nobody},
	{method: http.MethodPatch, path: payablesPath + "/" + nobody, body: object{"name": "nobody"}},
	{method: http.MethodDelete, path: payablesPath + "/" + nobody},
	{method: http.MethodGet, path: openAPIJSONPath},
	{method: http.MethodGet, path: openAPIYAMLPath},
}

func checkFinanceNoToken(p *probe) {
	for _, c := range financeCalls {
		c.anonymous = true
		wantUnauthorized(p.send(c))
	}
}

func checkFinanceUnknownToken(p *probe) {
	for _, token := range []string{unique(), unique() + "." + unique() + "." + unique(), "e30.e30."} {
		wantUnauthorized(p.send(call{method: http.MethodGet, path: payablesPath, token: token}))
	}
	for _, value := range []string{"Bearer", "Basic " + p.target.Token, p.target.Token} {
		wantUnauthorized(p.send(call{
			method: http.MethodGet, path: payablesPath, anonymous: true,
			header: http.Header{"Authorization": {value}},
		}))
	}
}

func checkFinanceExpired(p *probe) {
	token := p.target.FinanceExpiredToken
	if token == "" {
		p.failf("%w: an expired token of financial management", ErrNotGiven)
		return
	}
	for _, path := range []string{payablesPath, openAPIJSONPath} {
		wantUnauthorized(p.send(call{method: http.MethodGet, path: path, token: token}))
	}
}

// jwt is a token taken apart: base64url of header and claims, and the signature.
type jwt struct{ header, claims, signature string }

// jwt is the target's token, which the description says is one.
func (p *probe) jwt() (jwt, bool) {
	parts := strings.Split(p.target.Token, ".")
	if len(parts) != 3 {
		p.failf("%w: a token of financial management that is a JWT", ErrNotGiven)
		return jwt{}, false
	}
	return jwt{parts[0], parts[1], parts[2]}, true
}

// signed is the token with another algorithm, signed with that key. Without a
// hash there is no signature.
func (t jwt) signed(algorithm string, with func() hash.Hash, key string) string {
	unsigned := encoded(object{"alg": algorithm, "typ": "JWT"}) + "." + t.claims
	if with == nil {
		return unsigned + "."
	}
	mac := hmac.New(with, []byte(key))
	mac.Write([]byte(unsigned))
	return unsigned + "." + base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

func encoded(part object) string {
	raw, err := json.Marshal(part)
	if err != nil {
		panic(err) // the parts are texts and numbers
	}
	return base64.RawURLEncoding.EncodeToString(raw)
}

func checkFinanceForged(p *probe) {
	token, ok := p.jwt()
	if !ok {
		return
	}
	for _, forged := range []string{
		token.signed("none", nil, ""),
		token.signed("NONE", nil, ""),
		encoded(object{"alg": "none"}) + "." + token.claims + "." + token.signature,
		token.signed("HS512", sha512.New, ""),
		token.signed("HS512", sha512.New, "secret"),
		token.signed("HS256", sha256.New, ""),
		encoded(object{"alg": "RS512"}) + "." + token.claims + "." + token.signature,
		token.header + "." + token.claims + ".",
		token.header + "." + token.claims,
		token.header + "." + token.claims + "." + token.signature[:len(token.signature)/2],
	} {
		wantUnauthorized(p.send(call{method: http.MethodGet, path: payablesPath, token: forged}))
	}
}

func checkFinanceAltered(p *probe) {
	token, ok := p.jwt()
	if !ok {
		return
	}
	raw, err := base64.RawURLEncoding.DecodeString(token.claims)
	claims := object{}
	if err != nil || json.Unmarshal(raw, &claims) != nil {
		p.failf("the claims of the target's own token cannot be read")
		return
	}
	for name, value := range map[string]any{"exp": 32503680000, "scope": "* " + unique(), "sub": nobody} {
		changed := merged(claims, object{name: value})
		wantUnauthorized(p.send(call{method: http.MethodGet, path: payablesPath, token: token.header + "." +
			encoded(changed) + "." + token.signature}))
	}
}

func checkFinanceNothingMade(p *probe) {
	s := shelves()[1]
	c := creation(s.path, newUUID(), object{"name": unique(), "company_id": s.company})
	c.token = unique()
	wantUnauthorized(p.send(c))
	c.anonymous = true
	wantUnauthorized(p.send(c))
	p.wantIDs("after creations without a token, "+s.path, s.walk(p, 100, nil))
}

// narrow is the optional token that may read accounts only.
func (p *probe) narrow() (string, bool) {
	if p.target.FinanceNarrowToken == "" {
		p.failf("%w: a token that may read accounts only", ErrNotGiven)
		return "", false
	}
	return p.target.FinanceNarrowToken, true
}

func checkFinanceNarrow(p *probe) {
	token, ok := p.narrow()
	if !ok {
		return
	}
	account, created := p.entry(ledgerAccountsPath, nil)
	p.send(call{method: http.MethodGet, path: ledgerAccountsPath, token: token}).wantStatus(http.StatusOK).list("data")
	p.send(call{method: http.MethodGet, path: account, token: token}).wantStatus(http.StatusOK).want("data.name",
		created.at("data.name"))
	payable, _ := p.entry(payablesPath, nil)
	for _, c := range []call{
		{method: http.MethodGet, path: payablesPath},
		{method: http.MethodGet, path: receivablesPath},
		{method: http.MethodGet, path: ownCollection()},
		{method: http.MethodGet, path: payable},
		{method: http.MethodPost, path: ledgerAccountsPath, body: object{"name": unique()}},
		{method: http.MethodPost, path: payablesPath, body: object{"name": unique()}},
		{method: http.MethodPatch, path: account, body: object{"name": unique()}},
		{method: http.MethodDelete, path: account},
	} {
		c.token = token
		p.send(c).wantStatus(http.StatusForbidden).wantError("")
	}
	p.get(account).wantStatus(http.StatusOK).want("data.name", created.at("data.name"))
}

func checkFinanceNarrowMakesNothing(p *probe) {
	token, ok := p.narrow()
	if !ok {
		return
	}
	for _, s := range shelves() {
		c := creation(s.path, newUUID(), object{"name": unique(), "company_id": s.company})
		c.token = token
		p.send(c).wantStatus(http.StatusForbidden).wantError("")
		p.wantIDs("after a creation that was forbidden, "+s.path, s.walk(p, 100, nil))
	}
}

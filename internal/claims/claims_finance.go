package claims

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/json"
	"hash"
	"maps"
	"mime"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/recurring-billing/terraform-provider-billing/internal/evidence"
)

func financeClaims() []Claim {
	const wire, errors = "Financial management §1 What the service does", "Financial management §7 Errors"
	return []Claim{
		financeClaim(701, wire, "Every response carries its own Request-Id.", func(p *probe) {
			path, created := p.entry(payablesPath, nil)
			wantRequestIDs([]*response{
				created,
				p.get(path),
				p.get(path),
				p.get(ledgerAccountsPath),
				p.get(recordPath(payablesPath, nobody)),
				p.patch(path, object{"amount": 7}),
				p.get(openAPIJSONPath),
				p.send(call{method: http.MethodGet, path: payablesPath, anonymous: true}),
				p.delete(path),
			})
		}),
		financeClaim(702, wire, "Every response with a body is JSON and declares it in Content-Type.", func(p *probe) {
			path, created := p.entry(payablesPath, nil)
			for _, a := range []*response{
				created,
				p.get(path),
				p.get(payablesPath),
				p.get(recordPath(payablesPath, nobody)),
				p.get(openAPIJSONPath),
				p.send(call{method: http.MethodGet, path: payablesPath, anonymous: true}),
			} {
				a.wantJSON()
			}
		}),
		financeClaim(703, wire, "The connection uses TLS 1.2 or 1.3 with one of the documented ciphers.", func(p *probe) {
			wantTLS(p.get(ledgerAccountsPath))
		}).readsOnly(),
		financeClaim(704, errors+"; wire contract: finance.records.get (error body as in recurring billing)",
			"An unknown id returns 404 in the error shape, in every collection.", func(p *probe) {
				for _, collection := range []string{ledgerAccountsPath, payablesPath, receivablesPath, ownCollection()} {
					path := recordPath(collection, nobody)
					for _, a := range []*response{p.get(path), p.patch(path, object{"name": unique()}), p.delete(path)} {
						a.wantStatus(http.StatusNotFound).wantError("")
					}
				}
			}),
		financeClaim(705, errors+"; wire contract: finance.records.create",
			"A body that is broken JSON returns 400 in the error shape.", func(p *probe) {
				path, created := p.entry(payablesPath, nil)
				for _, raw := range []string{`{"name":`, `not json`} {
					for _, c := range []call{{method: http.MethodPost, path: payablesPath}, {method: http.MethodPatch, path: path}} {
						c.raw = raw
						p.send(c).wantStatus(http.StatusBadRequest).wantError("")
					}
				}
				p.get(path).wantStatus(http.StatusOK).want("data.name", created.at("data.name"))
			}),
		financeClaim(706, errors+"; wire contract: finance.records.create",
			"A body that is not an object is rejected and creates nothing.", func(p *probe) {
				collection := ownCollection()
				for _, raw := range []string{`["not an object"]`, `"text"`, `null`, `7`} {
					wantRefusal(p.send(call{method: http.MethodPost, path: collection, raw: raw}))
				}
				p.wantIDs("after creations that were rejected, "+collection, p.walk(collection, 100, nil))
			}),
	}
}

func financeValidatorClaims() []Claim {
	const wire = "Financial management §1 What the service does"
	return []Claim{
		financeClaim(707, wire+"; wire contract: finance.records.get",
			"A record is returned with ETag or Last-Modified, and with 304 and an empty body when they are sent back.",
			func(p *probe) {
				path, _ := p.entry(payablesPath, nil)
				p.wantNotModified(path)
			}),
		financeClaim(708, wire+"; wire contract: finance.records.list",
			"A list is returned with ETag or Last-Modified, and with 304 and an empty body when they are sent back.",
			func(p *probe) {
				s := ledgers()[0]
				s.fill(p, 1)
				p.wantNotModified(s.path, "company_id", s.company)
			}),
		financeClaim(709, wire+"; wire contract: finance.records.get, finance.records.list",
			"The same condition returns 200 and the current content after a record has changed.", func(p *probe) {
				s := ledgers()[0]
				path, _ := s.put(p, nil)
				single := conditions(p.get(path).wantStatus(http.StatusOK))
				listed := conditions(s.get(p).wantStatus(http.StatusOK))
				name := unique()
				p.patch(path, object{"name": name}).wantStatus(http.StatusOK)
				for _, header := range []http.Header{single, listed} {
					if _, tagged := header["If-None-Match"]; !tagged {
						// Last-Modified has whole seconds: a change within one cannot show.
						p.failf("%w: an ETag", ErrNotGiven)
						return
					}
				}
				p.send(call{method: http.MethodGet, path: path, header: single}).wantStatus(http.StatusOK).want("data.name", name)
				query := pairs([]string{"company_id", s.company})
				p.send(call{method: http.MethodGet, path: s.path, query: query, header: listed}).wantStatus(http.StatusOK).
					want("data.0.name", name)
			}),
	}
}

func financeAccessClaims() []Claim {
	const source = "Financial management §5 Authentication, §7 Errors; wire contract: finance.records.list"
	return []Claim{
		financeClaim(711, source, "A call without a token returns 401, for every operation.", func(p *probe) {
			for _, c := range financeCalls {
				c.anonymous = true
				wantUnauthorized(p.send(c))
			}
		}),
		financeClaim(712, source, "A string that is not a token returns 401, and so does another scheme.", func(p *probe) {
			for _, token := range []string{unique(), unique() + "." + unique() + "." + unique(), "e30.e30."} {
				wantUnauthorized(p.send(call{method: http.MethodGet, path: payablesPath, token: token}))
			}
			for _, value := range []string{"Bearer", "Basic " + p.target.Token, p.target.Token} {
				wantUnauthorized(p.send(call{
					method: http.MethodGet, path: payablesPath, anonymous: true,
					header: http.Header{"Authorization": {value}},
				}))
			}
		}).readsOnly(),
		financeClaim(713, source, "An expired token returns 401.", func(p *probe) {
			token := p.target.FinanceExpiredToken
			if token == "" {
				p.failf("%w: an expired token of financial management", ErrNotGiven)
				return
			}
			for _, path := range []string{payablesPath, openAPIJSONPath} {
				wantUnauthorized(p.send(call{method: http.MethodGet, path: path, token: token}))
			}
		}).readsOnly(),
		financeClaim(714, source, "A token returns 401 when it is not signed with HS512 and the service's own key.",
			func(p *probe) {
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
			}).readsOnly(),
		financeClaim(715, source, "A token with claims that were changed after it was signed returns 401.", func(p *probe) {
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
		}).readsOnly(),
		financeClaim(716, "Financial management §5 Authentication, §7 Errors; wire contract: finance.records.create",
			"A creation without a valid token creates nothing.", func(p *probe) {
				s := shelves()[1]
				c := creation(s.path, newUUID(), object{"name": unique(), "company_id": s.company})
				c.token = unique()
				wantUnauthorized(p.send(c))
				c.anonymous = true
				wantUnauthorized(p.send(c))
				p.wantIDs("after creations without a token, "+s.path, s.walk(p, 100, nil))
			}),
	}
}

func financeScopeClaims() []Claim {
	const source = "Financial management §5 Authentication, §7 Errors; wire contract: finance."
	return []Claim{
		financeClaim(717, source+"accounts.list, finance.payables.list, finance.records.create",
			"A token that may read accounts does so, and returns 403 for every other collection and for writing.",
			func(p *probe) {
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
			}),
		financeClaim(718, source+"records.create", "A creation that the scopes do not allow creates nothing.",
			func(p *probe) {
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
			}),
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

// narrow is the optional token that may read accounts only.
func (p *probe) narrow() (string, bool) {
	if p.target.FinanceNarrowToken == "" {
		p.failf("%w: a token that may read accounts only", ErrNotGiven)
		return "", false
	}
	return p.target.FinanceNarrowToken, true
}

func pageClaims() []Claim {
	const listing, limits = "Financial management §4 Endpoints; wire contract: finance.",
		"Financial management §4 Endpoints, §8 Limits; wire contract: finance.records.list"
	return []Claim{
		financeClaim(721, listing+"accounts.list, finance.payables.list, finance.receivables.list, finance.records.list",
			"A list is {data, meta: {next_cursor}}, and next_cursor is null on the last page.", func(p *probe) {
				for _, s := range shelves() {
					made := s.fill(p, 2)
					first := s.get(p, "limit", "1").wantStatus(http.StatusOK)
					if n := len(first.list("data")); n != 1 || first.text("meta.next_cursor") == "" {
						first.failf("%d of 2 items on a page of 1, and the cursor %s", n, show(first.at("meta.next_cursor")))
					}
					last := s.get(p, "limit", "1", "cursor", first.text("meta.next_cursor")).wantStatus(http.StatusOK).
						want("meta.next_cursor", nil)
					p.wantIDs("the pages of "+s.path, append(first.idsOf(), last.idsOf()...), made...)
				}
			}),
		financeClaim(722, listing+"records.list", "An empty list returns 200 with empty data and next_cursor null.",
			func(p *probe) {
				for _, s := range shelves() {
					s.get(p).wantStatus(http.StatusOK).want("data", []any{}).want("meta.next_cursor", nil)
				}
				p.get(ownCollection()).wantStatus(http.StatusOK).want("data", []any{}).want("meta.next_cursor", nil)
			}).readsOnly(),
		financeClaim(723, limits, "Without a limit a page contains 25 items.", func(p *probe) {
			s, size := ledgers()[2], min(25, p.maxPerPage())
			s.fill(p, size+1)
			a := p.get(s.path).wantStatus(http.StatusOK)
			if n := len(a.list("data")); n != size || a.text("meta.next_cursor") == "" {
				a.failf("%d of %d items and the cursor %s, want a page of %d", n, size+1, show(a.at("meta.next_cursor")), size)
			}
		}),
		financeClaim(724, limits, "A limit of 1 returns one item, a limit of 100 returns up to 100.", func(p *probe) {
			s := ledgers()[2]
			s.fill(p, p.maxPerPage()+1)
			for limit, wanted := range map[int]int{1: 1, 100: p.maxPerPage()} {
				a := p.get(s.path, "limit", strconv.Itoa(limit)).wantStatus(http.StatusOK)
				if n := len(a.list("data")); n != wanted {
					a.failf("%d items with limit %d, want %d", n, limit, wanted)
				}
			}
		}),
		financeClaim(725, limits+" (a limit out of range, assumed: rejected or clamped)",
			"A limit outside 1 to 100, or one that is not an integer, returns 400 and names limit, or is clamped; no page "+
				"ever contains more than 100 items.", func(p *probe) {
				s := ledgers()[2]
				s.fill(p, p.maxPerPage()+1)
				for _, limit := range []string{"0", "-1", "101", "1000", "1.5", "many"} {
					a := p.get(s.path, "limit", limit).wantStatus(http.StatusOK, http.StatusBadRequest)
					if a.status == http.StatusBadRequest {
						if a.wantError(""); !bytes.Contains(a.raw, []byte("limit")) {
							a.failf("the error for limit %s does not name it: %s", limit, clip(a.raw))
						}
						continue
					}
					if n := len(a.list("data")); n < 1 || n > p.maxPerPage() {
						a.failf("%d items with limit %s, want 1 to %d", n, limit, p.maxPerPage())
					}
				}
			}),
	}
}

func cursorClaims() []Claim {
	const source = "Financial management §4 Endpoints; wire contract: finance.records.list"
	return []Claim{
		financeClaim(726, source,
			"Sending back every cursor unchanged returns each record exactly once, in pages of any size.", func(p *probe) {
				for _, s := range shelves() {
					made := s.fill(p, 7)
					for _, limit := range []int{1, 2, 3, 7, 100} {
						p.wantIDs("GET "+s.path+" in pages of "+strconv.Itoa(limit), s.walk(p, limit, nil), made...)
					}
				}
			}),
		financeClaim(727, source,
			"When records are created between two pages, every record that existed before appears exactly once.",
			func(p *probe) {
				s := ledgers()[2]
				made := s.fill(p, 5)
				var late []string
				got := p.walk(s.path, 2, func([]string) {
					if len(late) < 4 { // a list that grows with every page has no end
						late = append(late, s.fill(p, 2)...)
					}
				})
				// Whether a late record is in the list depends on its place.
				got = slices.DeleteFunc(got, func(id string) bool { return slices.Contains(late, id) })
				p.wantIDs("GET "+s.path+" while it grows", got, made...)
			}),
		financeClaim(728, source, "When records are deleted between two pages, every other record appears exactly once.",
			func(p *probe) {
				// Deletes what the first page held, as a position may be
				// kept by its first record or by its last, and one that is still to come.
				s := ledgers()[2]
				made := s.fill(p, 8)
				left := made
				got := p.walk(s.path, 2, func(read []string) {
					if len(left) < len(made) {
						return
					}
					next := ahead(made, read)
					for _, id := range append(slices.Clone(read), next) {
						p.delete(recordPath(s.path, id)).wantStatus(http.StatusNoContent, http.StatusOK)
					}
					left = slices.DeleteFunc(slices.Clone(made), func(id string) bool { return id == next })
				})
				p.wantIDs("GET "+s.path+" while it shrinks", got, left...)
			}),
		financeClaim(729, source+" (a cursor is never built, assumed: rejected)",
			"A cursor that was changed, cut or invented returns 400 in the error shape.", func(p *probe) {
				s := ledgers()[2]
				s.fill(p, 3)
				cursor := p.cursorOf(s.path)
				for _, at := range []int{0, len(cursor) / 3, len(cursor) / 2} {
					p.wantCursorRefused(s.path, altered(cursor, at))
				}
				for _, tampered := range []string{cursor[:len(cursor)/2], cursor + cursor, unique(), "2"} {
					p.wantCursorRefused(s.path, tampered)
				}
				p.get(s.path, "limit", "2", "cursor", cursor).wantStatus(http.StatusOK)
			}),
		financeClaim(730, "Wire contract: finance.records.list (filters and a cursor)",
			"A cursor with filters other than its own returns 400 in the error shape.", func(p *probe) {
				s := ledgers()[2]
				s.fill(p, 3)
				filtered := p.cursorOf(s.path, "company_id", s.company)
				p.wantCursorRefused(s.path, filtered)
				p.wantCursorRefused(s.path, filtered, "company_id", newUUID())
				p.wantCursorRefused(s.path, filtered, "company_id", s.company, "occurred_at[gte]", "2026-01-01")
				p.wantCursorRefused(s.path, p.cursorOf(s.path), "company_id", s.company)
				p.get(s.path, "company_id", s.company, "limit", "2", "cursor", filtered).wantStatus(http.StatusOK)
			}),
		financeClaim(731, "Wire contract: finance.records.list (a cursor of another list, assumed: rejected)",
			"A cursor of another collection returns 400 in the error shape.", func(p *probe) {
				one, other := ledgers()[2], ledgers()[2]
				one.fill(p, 3)
				other.fill(p, 3)
				p.wantCursorRefused(other.path, p.cursorOf(one.path))
				s := ledgers()[0]
				s.fill(p, 3)
				p.wantCursorRefused(receivablesPath, p.cursorOf(s.path, "company_id", s.company), "company_id", s.company)
			}),
	}
}

// ahead is a record that was made and not read yet, empty when there is none.
func ahead(made, read []string) string {
	i := slices.IndexFunc(made, func(id string) bool { return !slices.Contains(read, id) })
	if i < 0 {
		return ""
	}
	return made[i]
}

// cursorOf is the cursor behind the first page of two of a list that holds more.
func (p *probe) cursorOf(path string, query ...string) string {
	return p.get(path, slices.Concat(query, []string{"limit", "2"})...).wantStatus(http.StatusOK).text("meta.next_cursor")
}

// wantCursorRefused fails unless a list is 400 with that cursor.
func (p *probe) wantCursorRefused(path, cursor string, query ...string) {
	p.get(path, slices.Concat(query, []string{"limit", "2", "cursor", cursor})...).wantStatus(http.StatusBadRequest).
		wantError("")
}

// altered is the text with another letter or digit in one place.
func altered(text string, at int) string {
	if at >= len(text) {
		return text + "A"
	}
	other := "A"
	if strings.EqualFold(text[at:at+1], other) { // hexadecimal digits mean the same in both cases
		other = "B"
	}
	return text[:at] + other + text[at+1:]
}

func filterClaims() []Claim {
	const source = "Financial management §4 Endpoints; wire contract: finance."
	return []Claim{
		financeClaim(741, source+"payables.list, finance.receivables.list, finance.records.list",
			"company_id returns the records of that company and no others.", func(p *probe) {
				for _, s := range shelves() {
					other := shelf{s.path, newUUID()}
					mine, theirs := s.fill(p, 3), other.fill(p, 2)
					p.wantIDs("GET "+s.path+" of one company", s.walk(p, 2, nil), mine...)
					p.wantIDs("GET "+s.path+" of another company", other.walk(p, 2, nil), theirs...)
				}
			}),
		financeClaim(742, source+"payables.list, finance.receivables.list, finance.records.list",
			"occurred_at[gte], [gt], [lte] and [lt] compare timestamps: gte and lte include the bound, gt and lt exclude it, "+
				"in any offset.", func(p *probe) {
				moments := [3]string{"2026-03-10T11:59:59.999Z", "2026-03-10T12:00:00.000Z", "2026-03-10T12:00:00.001Z"}
				checkBounds(p, moments, moments[1], "2026-03-10T09:00:00.000-03:00")
			}),
		financeClaim(743, source+"payables.list, finance.receivables.list, finance.records.list",
			"occurred_at[gte], [gt], [lte] and [lt] compare dates in the same way.", func(p *probe) {
				checkBounds(p, [3]string{"2026-03-09", "2026-03-10", "2026-03-11"}, "2026-03-10")
			}),
		financeClaim(744, source+"records.list", "Filters combine: a record has to match all of them.", func(p *probe) {
			s := ledgers()[2]
			var ids []string
			for _, date := range []string{"2026-01-31", "2026-02-01", "2026-02-28", "2026-03-01"} {
				_, a := s.put(p, object{"occurred_at": date})
				ids = append(ids, a.text("data.id"))
			}
			_, _ = shelf{s.path, newUUID()}.put(p, object{"occurred_at": "2026-02-14"})
			got := s.walk(p, 1, nil, "occurred_at[gte]", "2026-02-01", "occurred_at[lt]", "2026-03-01")
			p.wantIDs("GET "+s.path+" of a company and a month", got, ids[1:3]...)
		}),
		financeClaim(745, source+"records.list",
			"Filters are applied before the list is cut into pages: a record that does not match takes no place on a page.",
			func(p *probe) {
				s := ledgers()[2]
				other := shelf{s.path, newUUID()}
				var mine []string
				for range 2 {
					other.fill(p, 3)
					mine = append(mine, s.fill(p, 1)...)
				}
				other.fill(p, 1)
				size := min(2, p.maxPerPage())
				a := s.get(p, "limit", "2").wantStatus(http.StatusOK)
				if n := len(a.list("data")); n != size {
					a.failf("%d items on a page of %d", n, size)
				}
				p.wantIDs("the first page of GET "+s.path, a.idsOf(), mine[:min(size, len(mine))]...)
			}),
		financeClaim(746, source+"records.list", "A record without the field that a filter names does not match.",
			func(p *probe) {
				collection, company := ownCollection(), newUUID()
				_, _ = p.entry(collection, nil)
				_, with := p.entry(collection, object{"company_id": company, "occurred_at": "2026-03-10"})
				for _, query := range [][]string{{"company_id", company}, {"occurred_at[gte]", "2026-01-01"},
					{"occurred_at[lt]", "2027-01-01"}} {
					got := p.walk(collection, 2, nil, query...)
					p.wantIDs("GET "+collection+" with "+slices.Concat(query)[0], got, with.text("data.id"))
				}
			}),
	}
}

// checkBounds creates a record at each of three timestamps, the second of which is the
// bound, and asks for either side of it in every form of the bound.
func checkBounds(p *probe, moments [3]string, bounds ...string) {
	for _, s := range ledgers() {
		var ids []string
		for _, moment := range moments {
			_, a := s.put(p, object{"occurred_at": moment})
			ids = append(ids, a.text("data.id"))
		}
		for _, bound := range bounds {
			for operator, wanted := range map[string][]string{"gte": ids[1:], "gt": ids[2:], "lte": ids[:2], "lt": ids[:1]} {
				filter := "occurred_at[" + operator + "]"
				p.wantIDs("GET "+s.path+" with "+filter+"="+bound, s.walk(p, 2, nil, filter, bound), wanted...)
			}
		}
	}
}

func recordCreateClaims() []Claim {
	const source = "Financial management §2 Resources and their fields; wire contract: finance.records."
	return []Claim{
		financeClaim(751, source+"create",
			"A creation returns 201 {data: record}, which contains what was sent and an id that is a UUID of version 4.",
			func(p *probe) {
				for _, s := range shelves() {
					sent := object{"name": "Água & Café " + unique()}
					_, a := s.put(p, sent)
					a.wantFields("data", merged(sent, object{"company_id": s.company})).wantMatch("data.id", uuidForm)
				}
				sent := object{
					"name": unique(), "company_id": newUUID(), "occurred_at": "2026-03-01", "amount": "4200.00", "type": "debit",
					"lines":  []object{{"account": "1.01", "amount": "10.10"}, {"account": "2.07", "approved": false}},
					"origin": object{"system": "erp", "batch": object{"number": 12, "tags": []string{"mensal", "revisão"}}},
				}
				_, a := p.entry(ownCollection(), sent)
				for field, value := range sent { // nested objects too are as they were sent
					a.want("data."+field, value)
				}
			}),
		financeClaim(752, source+"get, finance.records.list", "A record is read and listed as its creation returned it.",
			func(p *probe) {
				for _, s := range shelves() {
					path, created := s.put(p, nil)
					p.get(path).wantStatus(http.StatusOK).want("data", created.at("data"))
					p.walkOne(s, created)
				}
			}),
		financeClaim(753, source+"create",
			"An amount stays the text that was sent and large integers stay exact, in every response.", func(p *probe) {
				for _, s := range ledgers() {
					sent := object{
						"amount": "99999999999999.90", "entries": number("9007199254740993"), "debt": number("-9223372036854775807"),
						"parts": []object{{"amount": "0.10", "serial": number("9007199254740995")}},
					}
					path, a := s.put(p, sent)
					responses := []*response{a, p.get(path).wantStatus(http.StatusOK),
						p.patch(path, object{"name": unique()}).wantStatus(http.StatusOK), p.get(path)}
					for _, a := range responses {
						for field, value := range sent {
							a.want("data."+field, value)
						}
					}
					listed := s.get(p).wantStatus(http.StatusOK)
					for field, value := range sent {
						listed.want("data.0."+field, value)
					}
				}
			}),
	}
}

func idempotencyClaims() []Claim {
	const source = "Financial management §1 What the service does (idempotency); wire contract: finance.records.create"
	const again = "Wire contract: finance.records.create (same idempotency key again)"
	return []Claim{
		financeClaim(756, source,
			"The same creation with the same key returns the first response again and creates no second record.",
			func(p *probe) {
				for _, s := range shelves() {
					key, body := newUUID(), object{"name": unique(), "company_id": s.company}
					first := p.create(s.path, key, body).wantStatus(http.StatusCreated)
					for range 2 {
						p.create(s.path, key, body).wantSame(first)
					}
					p.walkOne(s, first)
				}
			}),
		financeClaim(757, again, "The same key returns the first response again, with any body.", func(p *probe) {
			collection, key := ownCollection(), newUUID()
			first := p.create(collection, key, object{"name": unique(), "amount": "10.00"}).wantStatus(http.StatusCreated)
			for _, body := range []object{{"name": unique(), "amount": "20.00"}, {}, {"amount": 20}} {
				p.create(collection, key, body).wantSame(first)
			}
			p.wantOne(collection, first)
		}),
		financeClaim(758, again,
			"The same key returns the first response again after the record was updated, and the update is kept.",
			func(p *probe) {
				collection, key, body := ownCollection(), newUUID(), object{"name": unique(), "amount": "10.00"}
				first := p.create(collection, key, body).wantStatus(http.StatusCreated)
				path := recordPath(collection, first.text("data.id"))
				p.patch(path, object{"amount": "20.00"}).wantStatus(http.StatusOK)
				p.create(collection, key, body).wantSame(first)
				p.get(path).wantStatus(http.StatusOK).want("data.amount", "20.00")
				p.wantOne(collection, first)
			}),
		financeClaim(759, again,
			"The same key returns the first response again after the record was deleted, and the record stays deleted.",
			func(p *probe) {
				collection, key, body := ownCollection(), newUUID(), object{"name": unique(), "amount": "10.00"}
				first := p.create(collection, key, body).wantStatus(http.StatusCreated)
				path := recordPath(collection, first.text("data.id"))
				p.delete(path).wantStatus(http.StatusNoContent)
				p.create(collection, key, body).wantSame(first)
				p.get(path).wantStatus(http.StatusNotFound)
				p.wantIDs("GET "+collection+" after its record was deleted", p.walk(collection, 100, nil))
			}),
		financeClaim(760, source, "Creations with one key at the same time create one record, and all return it.",
			func(p *probe) {
				collection := ownCollection()
				responses := p.together(8, creation(collection, newUUID(), object{"name": unique()}))
				for _, a := range responses {
					a.wantStatus(http.StatusCreated).wantSame(responses[0])
				}
				p.wantOne(collection, responses[0])
			}),
		financeClaim(761, source+" (a malformed key, assumed: rejected)",
			"A key that is not a UUID of version 4 returns 400 in the error shape and creates nothing.", func(p *probe) {
				collection := ownCollection()
				for _, key := range []string{
					"rent-march",
					"6f1c0a526f2a4b7e9f560d4f0b9a7c11",
					"6f1c0a52-6f2a-1b7e-9f56-0d4f0b9a7c11", // of version 1
					"6f1c0a52-6f2a-4b7e-cf56-0d4f0b9a7c11", // of another variant
					"6f1c0a52-6f2a-4b7e-9f56-0d4f0b9a7c1",
					"zf1c0a52-6f2a-4b7e-9f56-0d4f0b9a7c11",
				} {
					p.create(collection, key, object{"name": unique()}).wantStatus(http.StatusBadRequest).wantError("")
				}
				p.wantIDs("after creations with malformed keys, "+collection, p.walk(collection, 100, nil))
			}),
		financeClaim(762, source, "Creations without a key create one record each.", func(p *probe) {
			collection, body := ownCollection(), object{"name": unique()}
			var ids []string
			for range 2 {
				ids = append(ids, p.post(collection, body).wantStatus(http.StatusCreated).text("data.id"))
			}
			p.wantTwo(collection, ids)
		}),
		financeClaim(763, source,
			"Creations with different keys create one record each, also when their bodies are the same.", func(p *probe) {
				collection, body := ownCollection(), object{"name": unique()}
				var ids []string
				for range 2 {
					ids = append(ids, p.create(collection, newUUID(), body).wantStatus(http.StatusCreated).text("data.id"))
				}
				p.wantTwo(collection, ids)
			}),
	}
}

// walkOne fails unless the shelf holds the one record, listed as it was returned.
func (p *probe) walkOne(s shelf, as *response) {
	a := s.get(p).wantStatus(http.StatusOK)
	if n := len(a.list("data")); n != 1 {
		a.failf("%d records, want 1", n)
	}
	a.want("data.0", as.at("data"))
}

// wantOne fails unless a collection of the claim's own holds that record alone.
func (p *probe) wantOne(collection string, created *response) {
	p.wantIDs("GET "+collection, p.walk(collection, 100, nil), created.text("data.id"))
}

// wantTwo fails unless two creations made two records.
func (p *probe) wantTwo(collection string, ids []string) {
	if ids[0] == ids[1] {
		p.failf("POST %s: the second creation gets the record of the first", collection)
	}
	p.wantIDs("GET "+collection, p.walk(collection, 100, nil), ids...)
}

func recordUpdateClaims() []Claim {
	const source = "Wire contract: finance.records.update"
	return []Claim{
		financeClaim(771, source+" (merges at the top level)",
			"An update changes the keys that are sent, adds new ones and does not change the others.", func(p *probe) {
				for _, s := range ledgers() {
					path, created := s.put(p, object{"amount": "10.00", "note": "as it was"})
					p.patch(path, object{"amount": "20.00", "status": "paid"}).wantStatus(http.StatusOK)
					a := p.get(path).wantStatus(http.StatusOK).want("data.amount", "20.00").want("data.status", "paid")
					for _, kept := range []string{"id", "name", "company_id", "note"} {
						a.want("data."+kept, created.at("data."+kept))
					}
				}
			}),
		financeClaim(772, source+" (a removed key is sent as null)", "A key that is sent as null is removed.",
			func(p *probe) {
				path, _ := p.entry(ownCollection(), object{"note": "goes", "kept": "stays"})
				for _, a := range []*response{p.patch(path, object{"note": nil}).wantStatus(http.StatusOK),
					p.get(path).wantStatus(http.StatusOK)} {
					a.wantMissing("data.note").want("data.kept", "stays")
				}
				// What is not there can be removed as well.
				p.patch(path, object{"note": nil}).wantStatus(http.StatusOK).want("data.kept", "stays")
			}),
		financeClaim(773, source+" (merges at the top level)", "A nested object or list is replaced as a whole.",
			func(p *probe) {
				path, _ := p.entry(ownCollection(), object{
					"origin": object{"system": "erp", "batch": object{"number": 12}},
					"lines":  []object{{"amount": "1.00"}, {"amount": "2.00"}},
				})
				change := object{"origin": object{"user": "ana"}, "lines": []object{{"amount": "3.00"}}}
				p.patch(path, change).wantStatus(http.StatusOK)
				a := p.get(path).wantStatus(http.StatusOK)
				for field, value := range change {
					a.want("data."+field, value)
				}
			}),
		financeClaim(774, source, "An update returns 200 {data: record}, the whole record as a read returns it.",
			func(p *probe) {
				path, created := p.entry(ownCollection(), object{"note": "as it was"})
				name := unique()
				a := p.patch(path, object{"name": name}).wantStatus(http.StatusOK)
				a.want("data.id", created.at("data.id")).want("data.name", name).want("data.note", "as it was")
				p.get(path).wantStatus(http.StatusOK).want("data", a.at("data"))
			}),
	}
}

func recordDeleteClaims() []Claim {
	const source = "Wire contract: finance.records.delete"
	return []Claim{
		financeClaim(776, source,
			"A deletion returns 204 without a body; afterwards the record returns 404 and does not appear in any list.",
			func(p *probe) {
				for _, s := range shelves() {
					path, _ := s.put(p, nil)
					kept := s.fill(p, 1)
					if a := p.delete(path).wantStatus(http.StatusNoContent); len(a.raw) > 0 {
						a.failf("the body of a 204 is not empty: %s", clip(a.raw))
					}
					p.get(path).wantStatus(http.StatusNotFound).wantError("")
					p.patch(path, object{"name": unique()}).wantStatus(http.StatusNotFound).wantError("")
					p.wantIDs("GET "+s.path+" after a deletion", s.walk(p, 100, nil), kept...)
				}
			}),
		financeClaim(777, source, "A second deletion returns 404.", func(p *probe) {
			path, _ := p.entry(ownCollection(), nil)
			p.delete(path).wantStatus(http.StatusNoContent)
			p.delete(path).wantStatus(http.StatusNotFound).wantError("")
		}),
		financeClaim(778, "Wire contract: finance.records.get", "A record is not found under its id in another collection.",
			func(p *probe) {
				path, created := p.entry(payablesPath, nil)
				for _, collection := range []string{receivablesPath, ledgerAccountsPath, ownCollection()} {
					elsewhere := recordPath(collection, created.text("data.id"))
					for _, a := range []*response{p.get(elsewhere), p.patch(elsewhere, object{"name": unique()}),
						p.delete(elsewhere)} {
						a.wantStatus(http.StatusNotFound).wantError("")
					}
				}
				p.get(path).wantStatus(http.StatusOK).want("data.name", created.at("data.name"))
			}),
	}
}

func recordRefusalClaims() []Claim {
	const types, create = "Financial management §2 Resources and their fields, §7 Errors; ",
		"wire contract: finance.records.create"
	return []Claim{
		financeClaim(781, types+create,
			"An amount that is not a decimal string with 2 places, or that is negative, returns 422 with the field named.",
			func(p *probe) {
				p.wantRefusedValues("amount", []any{"0.10", "4200.00"}, 10.5, 10, "10.5", "10", "10.500", "10,50", "-10.50",
					"+10.50",
					"ten", "1e2.00", " 10.50", "", ".50", true)
			}),
		financeClaim(782, types+create, "A company_id that is not a UUID returns 422 with the field named.",
			func(p *probe) {
				p.wantRefusedValues("company_id", []any{newUUID()}, "ipe", 7, "6f1c0a526f2a4b7e9f560d4f0b9a7c1", "")
			}),
		financeClaim(783, types+create,
			"An occurred_at that is neither a date nor a date-time with a zone returns 422 with the field named.",
			func(p *probe) {
				right := []any{"2026-03-01", "2024-02-29", "2026-03-01T12:30:00.250Z"}
				p.wantRefusedValues("occurred_at", right, "03/01/2026", "2026-02-30", "2026-13-01", "2026-03-01T12:30:00",
					"yesterday", 1772323200, "")
			}),
		financeClaim(784, types+create, "A type that is neither debit nor credit returns 422 with the field named.",
			func(p *probe) {
				p.wantRefusedValues("type", []any{"debit", "credit"}, "income", "Debit", 1, "")
			}),
		financeClaim(785, types+create, "A creation that is rejected creates nothing.", func(p *probe) {
			for _, s := range ledgers()[:2] {
				for field, value := range map[string]any{"amount": 10.5, "occurred_at": "yesterday", "type": "income"} {
					p.create(s.path, newUUID(), object{"name": unique(), "company_id": s.company, field: value}).wantBlamed(field)
				}
				p.wantIDs("after creations that were rejected, "+s.path, s.walk(p, 100, nil))
			}
		}),
		financeClaim(786, types+"wire contract: finance.records.update",
			"An update follows the same rules, and an update that is rejected changes nothing.", func(p *probe) {
				for _, collection := range []string{payablesPath, receivablesPath} {
					path, created := p.entry(collection, object{"amount": "10.00"})
					for field, value := range map[string]any{"amount": "10.5", "company_id": "ipe", "occurred_at": "yesterday",
						"type": "income"} {
						p.patch(path, object{"name": unique(), field: value}).wantBlamed(field)
					}
					p.get(path).wantStatus(http.StatusOK).want("data.name", created.at("data.name")).want("data.amount", "10.00")
				}
			}),
	}
}

// wantRefusedValues fails unless payables and receivables blame the field for each
// of the values and take it with each of those that are right.
func (p *probe) wantRefusedValues(field string, right []any, wrong ...any) {
	for _, collection := range []string{payablesPath, receivablesPath} {
		for _, value := range wrong {
			p.create(collection, newUUID(), object{"name": unique(), field: value}).wantBlamed(field)
		}
		for _, value := range right {
			_, a := p.entry(collection, object{field: value})
			a.want("data."+field, value)
		}
	}
}

func openAPIClaims() []Claim {
	const source = "Financial management §4 Endpoints, §9 Versioning; wire contract: finance.openapi."
	return []Claim{
		financeClaim(791, source+"json",
			"The machine-readable description in JSON is an OpenAPI document with info and paths.", func(p *probe) {
				a := p.openAPI().wantMatch("openapi", openAPIForm)
				a.text("info.title")
				a.text("info.version")
				a.paths()
			}).readsOnly(),
		financeClaim(792, source+"json", "The description has every operation of the wire contract with its path and method.",
			func(p *probe) {
				a := p.openAPI()
				paths := a.paths()
				for _, operation := range evidence.Operations() {
					if strings.HasPrefix(operation.Name, "finance.") && !describes(paths, operation) {
						a.failf("%s %s is not described", operation.Method, operation.Path)
					}
				}
			}).readsOnly(),
		financeClaim(793, source+"yaml",
			"The description in YAML exists, declares it in Content-Type and has the same paths.", func(p *probe) {
				a := p.send(call{method: http.MethodGet, path: openAPIYAMLPath,
					header: http.Header{"Accept": {"application/yaml"}}}).
					wantStatus(http.StatusOK)
				kind, _, err := mime.ParseMediaType(a.header.Get("Content-Type"))
				if err != nil || !strings.Contains(kind, "yaml") {
					a.failf("Content-Type is %q, want that of YAML", a.header.Get("Content-Type"))
				}
				for _, path := range slices.Sorted(maps.Keys(p.openAPI().paths())) {
					if !bytes.Contains(a.raw, []byte(path)) {
						a.failf("the description in YAML does not have the path %s", path)
					}
				}
				if !regexp.MustCompile(`(?m)^["']?openapi["']?:`).Match(a.raw) {
					a.failf("the document does not say that it is OpenAPI: %s", clip(a.raw))
				}
			}).readsOnly(),
	}
}

var openAPIForm = regexp.MustCompile(`^3\.[0-9]+\.[0-9]+`)

func (p *probe) openAPI() *response { return p.get(openAPIJSONPath).wantStatus(http.StatusOK) }

// paths are the described ones, each with its methods.
func (a *response) paths() map[string]any {
	paths, _ := a.at("paths").(map[string]any)
	if len(paths) == 0 {
		a.failf("paths is %s, want an object with the paths", show(a.at("paths")))
	}
	return paths
}

// describes reports whether one of the paths is the operation's and has its method.
// A placeholder may have any name.
func describes(paths map[string]any, operation evidence.Operation) bool {
	for path, item := range paths {
		methods, _ := item.(map[string]any)
		_, has := methods[strings.ToLower(operation.Method)]
		if has && slices.EqualFunc(strings.Split(path, "/"), strings.Split(operation.Path, "/"), sameSegment) {
			return true
		}
	}
	return false
}

func sameSegment(got, wanted string) bool {
	return got == wanted || strings.HasPrefix(wanted, "{") && strings.HasPrefix(got, "{")
}

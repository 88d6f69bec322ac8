package claims

import (
	"bytes"
	"maps"
	"mime"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"
)

func financeClaims() []Claim {
	const wire, errors = "Financial management §1 What the service does", "Financial management §7 Errors"
	return []Claim{
		otherwise("The provider's errors lack the Request-Id for the service's support."),
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
		}).restsOn(704, 751, 772, 791),
		otherwise("A record that was deleted elsewhere causes an error in the plan, and is not recreated."),
		financeClaim(704, errors+"; wire contract: finance.records.get (error body as in recurring billing)",
			"An unknown id returns 404 in the error shape, in every collection.", func(p *probe) {
				for _, collection := range []string{ledgerAccountsPath, payablesPath, receivablesPath, ownCollection()} {
					path := recordPath(collection, nobody)
					for _, a := range []*response{p.get(path), p.patch(path, object{"name": unique()}), p.delete(path)} {
						a.wantStatus(http.StatusNotFound).wantError("")
					}
				}
			}),
	}
}

func financeAccessClaims() []Claim {
	const source = "Financial management §5 Authentication, §7 Errors; wire contract: finance.records.list"
	return []Claim{
		otherwise("The error about an invalid token does not name finance_token as the cause."),
		financeClaim(712, source, "An invalid token and another scheme return 401.", func(p *probe) {
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
		}).restsOn(712, 791).readsOnly(),
	}
}

func financeScopeClaims() []Claim {
	const source = "Financial management §5 Authentication, §7 Errors; wire contract: finance."
	return []Claim{
		otherwise("A token with few scopes may have more or fewer permissions than expected. Use separate tokens."),
		financeClaim(717, source+"accounts.list, finance.payables.list, finance.records.create",
			"A token with the scope for reading accounts reads them, and gets 403 for every other collection and for writing.",
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
			}).restsOn(704, 712, 722, 751, 752, 771, 772),
	}
}

// narrow returns the optional token that may only read accounts.
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
		otherwise("Data sources of financial management read only a part of a list, or fail. Narrow the filters."),
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
			}).restsOn(751, 759),
		financeClaim(722, listing+"records.list", "An empty list returns 200 with empty data and next_cursor null.",
			func(p *probe) {
				for _, s := range shelves() {
					s.get(p).wantStatus(http.StatusOK).want("data", []any{}).want("meta.next_cursor", nil)
				}
				p.get(ownCollection()).wantStatus(http.StatusOK).want("data", []any{}).want("meta.next_cursor", nil)
			}).readsOnly(),
		financeClaim(724, limits, "A limit of 1 returns one item, a limit of 100 returns up to 100.", func(p *probe) {
			s := ledgers()[2]
			s.fill(p, p.maxPerPage()+1)
			for limit, wanted := range map[int]int{1: 1, 100: p.maxPerPage()} {
				a := p.get(s.path, "limit", strconv.Itoa(limit)).wantStatus(http.StatusOK)
				if n := len(a.list("data")); n != wanted {
					a.failf("%d items with limit %d, want %d", n, limit, wanted)
				}
			}
		}).restsOn(722, 751),
	}
}

func cursorClaims() []Claim {
	const source = "Financial management §4 Endpoints; wire contract: finance.records.list"
	return []Claim{
		financeClaim(726, source,
			"Following the cursors returns each record exactly once, in pages of any size.", func(p *probe) {
				for _, s := range shelves() {
					made := s.fill(p, 7)
					for _, limit := range []int{1, 2, 3, 7, 100} {
						p.wantIDs("GET "+s.path+" in pages of "+strconv.Itoa(limit), s.walk(p, limit, nil), made...)
					}
				}
			}).restsOn(721, 722, 724, 741, 751),
		financeClaim(727, source,
			"When records are created between two pages, every record that existed before appears exactly once.",
			func(p *probe) {
				s := ledgers()[2]
				made := s.fill(p, 5)
				var late []string
				got := p.walk(s.path, 2, func([]string) {
					if len(late) < 4 { // otherwise the list would grow with every page
						late = append(late, s.fill(p, 2)...)
					}
				})
				// A record created in between may or may not be in the list.
				got = slices.DeleteFunc(got, func(id string) bool { return slices.Contains(late, id) })
				p.wantIDs("GET "+s.path+" while it grows", got, made...)
			}).restsOn(721, 722, 741, 751),
		financeClaim(728, source, "When records are deleted between two pages, every other record appears exactly once.",
			func(p *probe) {
				// Delete records of the first page, as a position may depend on its first or last record, and one of a later page.
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
			}).restsOn(721, 722, 726, 727, 751),
	}
}

// ahead returns a record that was created and not read yet, or "".
func ahead(made, read []string) string {
	i := slices.IndexFunc(made, func(id string) bool { return !slices.Contains(read, id) })
	if i < 0 {
		return ""
	}
	return made[i]
}

func filterClaims() []Claim {
	const source = "Financial management §4 Endpoints; wire contract: finance."
	return []Claim{
		otherwise("A filter also returns other records. The provider compares ids and times itself; filter "+
			"the rest yourself.").restsOn(722, 751),
		financeClaim(741, source+"payables.list, finance.receivables.list, finance.records.list",
			"company_id returns the records of that company and no others.", func(p *probe) {
				for _, s := range shelves() {
					other := shelf{s.path, uuid.NewString()}
					mine, theirs := s.fill(p, 3), other.fill(p, 2)
					p.wantIDs("GET "+s.path+" of one company", s.walk(p, 2, nil), mine...)
					p.wantIDs("GET "+s.path+" of another company", other.walk(p, 2, nil), theirs...)
				}
			}).restsOn(721),
		financeClaim(742, source+"payables.list, finance.receivables.list, finance.records.list",
			"occurred_at[gte], [gt], [lte] and [lt] compare timestamps: gte and lte include the bound, gt and lt exclude it, "+
				"in any offset.", func(p *probe) {
				moments := [3]string{"2026-03-10T11:59:59.999Z", "2026-03-10T12:00:00.000Z", "2026-03-10T12:00:00.001Z"}
				checkBounds(p, moments, moments[1], "2026-03-10T09:00:00.000-03:00")
			}).restsOn(741),
		financeClaim(743, source+"payables.list, finance.receivables.list, finance.records.list",
			"occurred_at[gte], [gt], [lte] and [lt] compare dates in the same way.", func(p *probe) {
				checkBounds(p, [3]string{"2026-03-09", "2026-03-10", "2026-03-11"}, "2026-03-10")
			}).restsOn(741),
	}
}

// checkBounds creates a record at each of three timestamps, and compares with the second one in every format of the
// bound.
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
		otherwise("body differs in every plan. Set the value that the service returns, or set " +
			"ignore_remote_changes = true."),
		financeClaim(751, source+"create",
			"A creation returns 201 {data: record}, which contains what was sent and an id that is a UUID of version 4.",
			func(p *probe) {
				for _, s := range shelves() {
					sent := object{"name": "conta " + unique()}
					_, a := s.put(p, sent)
					a.wantFields("data", merged(sent, object{"company_id": s.company})).wantMatch("data.id", uuidForm)
				}
				sent := object{
					"name": unique(), "company_id": uuid.NewString(), "occurred_at": "2026-03-01", "amount": "4200.00",
					"type":   "debit",
					"lines":  []object{{"account": "1.01", "amount": "10.10"}, {"account": "2.07", "approved": false}},
					"origin": object{"system": "erp", "batch": object{"number": 12, "tags": []string{"mensal", "revisar"}}},
				}
				_, a := p.entry(ownCollection(), sent)
				for field, value := range sent { // nested objects are also returned as sent
					a.want("data."+field, value)
				}
			}),
		financeClaim(752, source+"get, finance.records.list", "Reads and lists return a record as its creation did.",
			func(p *probe) {
				for _, s := range shelves() {
					path, created := s.put(p, nil)
					p.get(path).wantStatus(http.StatusOK).want("data", created.at("data"))
					p.walkOne(s, created)
				}
			}).restsOn(722, 741, 751),
		financeClaim(753, source+"create",
			"Amounts are returned as the text that was sent, and large integers exactly, in every response.", func(p *probe) {
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
			}).restsOn(722, 741, 751, 771, 772, 774),
	}
}

func idempotencyClaims() []Claim {
	const source = "Financial management §1 What the service does (idempotency); wire contract: finance.records.create"
	const again = "Wire contract: finance.records.create (same idempotency key again)"
	return []Claim{
		otherwise("An apply after a lost response creates a second record, or fails. Look for the record "+
			"first.").restsOn(722, 751),
		financeClaim(756, source,
			"The same creation with the same key returns the first response again and creates no second record.",
			func(p *probe) {
				for _, s := range shelves() {
					key, body := uuid.NewString(), object{"name": unique(), "company_id": s.company}
					first := p.create(s.path, key, body).wantStatus(http.StatusCreated)
					for range 2 {
						p.create(s.path, key, body).wantSame(first)
					}
					p.walkOne(s, first)
				}
			}).restsOn(741, 752),
		financeClaim(757, again, "The same key returns the first response again, with any body.", func(p *probe) {
			collection, key := ownCollection(), uuid.NewString()
			first := p.create(collection, key, object{"name": unique(), "amount": "10.00"}).wantStatus(http.StatusCreated)
			for _, body := range []object{{"name": unique(), "amount": "20.00"}, {}, {"amount": 20}} {
				p.create(collection, key, body).wantSame(first)
			}
			p.wantOne(collection, first)
		}).restsOn(724, 741),
		financeClaim(758, again,
			"The same key returns the first response again after the record was updated, and the update is kept.",
			func(p *probe) {
				collection, key, body := ownCollection(), uuid.NewString(), object{"name": unique(), "amount": "10.00"}
				first := p.create(collection, key, body).wantStatus(http.StatusCreated)
				path := recordPath(collection, first.text("data.id"))
				p.patch(path, object{"amount": "20.00"}).wantStatus(http.StatusOK)
				p.create(collection, key, body).wantSame(first)
				p.get(path).wantStatus(http.StatusOK).want("data.amount", "20.00")
				p.wantOne(collection, first)
			}).restsOn(724, 741, 772),
		financeClaim(759, again,
			"The same key returns the first response again after the record was deleted, and the record stays deleted.",
			func(p *probe) {
				collection, key, body := ownCollection(), uuid.NewString(), object{"name": unique(), "amount": "10.00"}
				first := p.create(collection, key, body).wantStatus(http.StatusCreated)
				path := recordPath(collection, first.text("data.id"))
				p.delete(path).wantStatus(http.StatusNoContent)
				p.create(collection, key, body).wantSame(first)
				p.get(path).wantStatus(http.StatusNotFound)
				p.wantIDs("GET "+collection+" after its record was deleted", p.walk(collection, 100, nil))
			}).restsOn(704),
		financeClaim(760, source, "Creations with one key at the same time create one record, and all return it.",
			func(p *probe) {
				collection := ownCollection()
				responses := p.together(8, creation(collection, uuid.NewString(), object{"name": unique()}))
				for _, a := range responses {
					a.wantStatus(http.StatusCreated).wantSame(responses[0])
				}
				p.wantOne(collection, responses[0])
			}).restsOn(724, 741),
		otherwise("Records with equal bodies become one record. Make their bodies differ."),
		financeClaim(763, source,
			"Creations with different keys create one record each, even with equal bodies.", func(p *probe) {
				collection, body := ownCollection(), object{"name": unique()}
				var ids []string
				for range 2 {
					ids = append(ids, p.create(collection, uuid.NewString(), body).wantStatus(http.StatusCreated).text("data.id"))
				}
				p.wantTwo(collection, ids)
			}).restsOn(722, 724, 741, 751),
	}
}

// walkOne fails unless the shelf contains only the one record, listed as it was returned.
func (p *probe) walkOne(s shelf, as *response) {
	a := s.get(p).wantStatus(http.StatusOK)
	if n := len(a.list("data")); n != 1 {
		a.failf("%d records, want 1", n)
	}
	a.want("data.0", as.at("data"))
}

// wantOne fails unless a collection of the claim contains only that record.
func (p *probe) wantOne(collection string, created *response) {
	p.wantIDs("GET "+collection, p.walk(collection, 100, nil), created.text("data.id"))
}

// wantTwo fails unless two creations created two records.
func (p *probe) wantTwo(collection string, ids []string) {
	if ids[0] == ids[1] {
		p.failf("POST %s: the second creation returned the record of the first", collection)
	}
	p.wantIDs("GET "+collection, p.walk(collection, 100, nil), ids...)
}

func recordUpdateClaims() []Claim {
	const source = "Wire contract: finance.records.update"
	return []Claim{
		otherwise("A change of body does not take effect and remains in every plan, or changes other keys.").restsOn(751),
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
			}).restsOn(752),
		financeClaim(772, source+" (a removed key is sent as null)", "A key that is sent as null is removed.",
			func(p *probe) {
				path, _ := p.entry(ownCollection(), object{"note": "goes", "kept": "stays"})
				for _, a := range []*response{p.patch(path, object{"note": nil}).wantStatus(http.StatusOK),
					p.get(path).wantStatus(http.StatusOK)} {
					a.wantMissing("data.note").want("data.kept", "stays")
				}
				// A missing key can also be removed.
				p.patch(path, object{"note": nil}).wantStatus(http.StatusOK).want("data.kept", "stays")
			}).restsOn(774),
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
		financeClaim(774, source, "An update returns 200 {data: record}, with the same record as a read.",
			func(p *probe) {
				path, created := p.entry(ownCollection(), object{"note": "as it was"})
				name := unique()
				a := p.patch(path, object{"name": name}).wantStatus(http.StatusOK)
				a.want("data.id", created.at("data.id")).want("data.name", name).want("data.note", "as it was")
				p.get(path).wantStatus(http.StatusOK).want("data", a.at("data"))
			}).restsOn(752),
	}
}

func recordDeleteClaims() []Claim {
	const source = "Wire contract: finance.records.delete"
	return []Claim{
		otherwise("A destroy fails or has no effect. deletion_policy = \"abandon\" removes it from state " +
			"only.").restsOn(751),
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
			}).restsOn(722, 724, 741),
		financeClaim(777, source, "A second deletion returns 404.", func(p *probe) {
			path, _ := p.entry(ownCollection(), nil)
			p.delete(path).wantStatus(http.StatusNoContent)
			p.delete(path).wantStatus(http.StatusNotFound).wantError("")
		}),
	}
}

func recordRefusalClaims() []Claim {
	const types, create = "Financial management §2 Resources and their fields, §7 Errors; ",
		"wire contract: finance.records.create"
	return []Claim{
		otherwise("An apply that fails may have created a record. Look for it before you apply again."),
		financeClaim(785, types+create, "A rejected creation of a record has no effect.", func(p *probe) {
			for _, s := range ledgers()[:2] {
				for field, value := range map[string]any{"amount": 10.5, "occurred_at": "yesterday", "type": "income"} {
					p.create(s.path, uuid.NewString(), object{"name": unique(), "company_id": s.company, field: value}).
						wantBlamed(field)
				}
				p.wantIDs("after creations that were rejected, "+s.path, s.walk(p, 100, nil))
			}
		}).restsOn(722, 741),
	}
}

func openAPIClaims() []Claim {
	const source = "Financial management §4 Endpoints, §9 Versioning; wire contract: finance.openapi."
	return []Claim{
		otherwise("The data source billing_finance_openapi fails. Do not use it."),
		financeClaim(791, source+"json",
			"The JSON description is an OpenAPI document with info and paths.", func(p *probe) {
				a := p.openAPI().wantMatch("openapi", openAPIForm)
				a.text("info.title")
				a.text("info.version")
				a.paths()
			}).readsOnly(),
		financeClaim(793, source+"yaml",
			"The YAML description has the content type of YAML and the same paths.", func(p *probe) {
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
					a.failf("the document does not declare an OpenAPI version: %s", clip(a.raw))
				}
			}).readsOnly(),
	}
}

var openAPIForm = regexp.MustCompile(`^3\.[0-9]+\.[0-9]+`)

func (p *probe) openAPI() *response { return p.get(openAPIJSONPath).wantStatus(http.StatusOK) }

// paths returns the described paths, each with its methods.
func (a *response) paths() map[string]any {
	paths, _ := a.at("paths").(map[string]any)
	if len(paths) == 0 {
		a.failf("paths is %s, want an object with the paths", show(a.at("paths")))
	}
	return paths
}

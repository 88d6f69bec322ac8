package claims

import (
	"cmp"
	"crypto/tls"
	"encoding/json"
	"maps"
	"mime"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"time"
)

var (
	uuidForm = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)
	timeForm = regexp.MustCompile(`^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$`)
)

// nobody is a well-formed id that no object has.
const nobody = "00000000-0000-4000-8000-000000000000"

func conventionClaims() []Claim {
	return []Claim{
		claim(1, "Recurring billing §1 Wire rules", "Every response carries its own Request-Id.", func(p *probe) {
			responses := []*response{
				p.get(mePath),
				p.get(mePath),
				p.get(customersPath),
				p.get(customerPath(nobody)),
				p.post(customersPath, object{}),
				p.send(call{method: http.MethodGet, path: mePath, anonymous: true}),
				p.get("/v1/no-such-thing"),
			}
			wantRequestIDs(responses)
		}),
		claim(2, "Recurring billing §1 Wire rules", "Every response with a body is JSON and declares it in Content-Type.",
			func(p *probe) {
				responses := []*response{
					p.get(mePath),
					p.get(customersPath),
					p.get(customerPath(nobody)),
					p.post(customersPath, object{}),
					p.send(call{method: http.MethodGet, path: mePath, anonymous: true}),
				}
				for _, a := range responses {
					a.wantJSON()
				}
			}),
		claim(3, "Recurring billing §1 Wire rules", "The connection uses TLS 1.2 or 1.3 with one of the documented ciphers.",
			func(p *probe) {
				wantTLS(p.get(mePath))
			}).readsOnly(),
		claim(4, "Recurring billing §1 Wire rules", "A body that is not sent as JSON is rejected.", func(p *probe) {
			name := unique()
			a := p.send(call{
				method: http.MethodPost, path: customersPath, raw: "name=" + name,
				header: http.Header{"Content-Type": {"application/x-www-form-urlencoded"}},
			})
			wantRefusal(a)
			p.get(customersPath, "search", name).want("meta.total", 0)
		}),
		claim(5, "Recurring billing §7 Errors; wire contract: customers.get",
			"An unknown id returns 404 in the error shape.", func(p *probe) {
				p.get(customerPath(nobody)).wantStatus(http.StatusNotFound).wantError("")
				p.patch(customerPath(nobody), object{"name": unique()}).wantStatus(http.StatusNotFound).wantError("")
				p.delete(customerPath(nobody)).wantStatus(http.StatusNotFound).wantError("")
				p.get(accountPath(nobody)).wantStatus(http.StatusNotFound).wantError("")
			}),
		claim(6, "Recurring billing §7 Errors", "An id that is not a UUID is rejected in the error shape.", func(p *probe) {
			wantRefusal(p.get(customerPath("not-an-id")))
		}).readsOnly(),
		claim(7, "Recurring billing §7 Errors", "A path that does not exist returns 404 in the error shape.",
			func(p *probe) {
				p.get("/v1/no-such-thing").wantStatus(http.StatusNotFound).wantError("")
			}).readsOnly(),
		claim(8, "Recurring billing §7 Errors",
			"A method that a path does not have returns 404 or 405 in the error shape.", func(p *probe) {
				a := p.send(call{method: http.MethodPut, path: mePath, body: object{}})
				a.wantStatus(http.StatusNotFound, http.StatusMethodNotAllowed).wantError("")
			}),
		claim(9, "Recurring billing §7 Errors", "A body that is broken JSON returns 400 in the error shape.",
			func(p *probe) {
				for _, raw := range []string{`{"name":`, `not json`} {
					p.send(call{method: http.MethodPost, path: customersPath, raw: raw}).
						wantStatus(http.StatusBadRequest).wantError("")
				}
			}),
		claim(10, "Recurring billing §1 Wire rules; wire contract: customers.get",
			"A customer is returned with ETag or Last-Modified, and with 304 and an empty body when they are sent back.",
			func(p *probe) {
				path, _ := p.customer(nil)
				p.wantNotModified(path)
			}),
		claim(11, "Recurring billing §1 Wire rules; wire contract: customers.get",
			"The same condition returns 200 and the new object after the object has changed.", func(p *probe) {
				path, _ := p.customer(nil)
				header := conditions(p.get(path).wantStatus(http.StatusOK))
				name := unique()
				p.patch(path, object{"name": name}).wantStatus(http.StatusOK)
				if _, tagged := header["If-None-Match"]; !tagged {
					// Last-Modified has whole seconds: a change within one cannot show.
					p.failf("%w: an ETag", ErrNotGiven)
					return
				}
				p.send(call{method: http.MethodGet, path: path, header: header}).wantStatus(http.StatusOK).want("data.name", name)
			}),
		claim(12, "Recurring billing §4 Organization of the token; wire contract: me.get",
			"/v1/me is a bare object with every documented member.", func(p *probe) {
				a := p.get(mePath).wantStatus(http.StatusOK)
				if a.at("data") != (any)(missing{}) {
					a.failf("the organization is wrapped in data")
				}
				for _, member := range []string{"id", "name", "email", "document_type", "document_number", "environment"} {
					a.text(member)
				}
				a.wantMatch("created_at", timeForm)
			}).readsOnly(),
	}
}

// wantRequestIDs fails unless every response carries its own Request-Id.
func wantRequestIDs(responses []*response) {
	var seen []string
	for _, a := range responses {
		id := a.header.Get("Request-Id")
		if id == "" {
			a.failf("no Request-Id")
		}
		if slices.Contains(seen, id) {
			a.failf("the Request-Id stood on an earlier response too")
		}
		seen = append(seen, id)
	}
}

// wantJSON fails unless the body is one JSON value and called so.
func (a *response) wantJSON() {
	kind, _, err := mime.ParseMediaType(a.header.Get("Content-Type"))
	if err != nil || kind != "application/json" {
		a.failf("Content-Type is %q, want application/json", a.header.Get("Content-Type"))
	}
	if a.body == (any)(missing{}) {
		a.failf("the body is not one JSON value: %s", clip(a.raw))
	}
}

// documentedCiphers are those of Recurring billing §1 and Financial management §1.
var documentedCiphers = []uint16{
	tls.TLS_AES_128_GCM_SHA256,
	tls.TLS_AES_256_GCM_SHA384,
	tls.TLS_CHACHA20_POLY1305_SHA256,
	tls.TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
	tls.TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256,
	tls.TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
	tls.TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
	0xc028, // ECDHE-RSA-AES256-SHA384, which crypto/tls has no name for
}

func wantTLS(a *response) {
	switch {
	case a.tls == nil:
		a.failf("the connection is not encrypted")
	case a.tls.Version < tls.VersionTLS12:
		a.failf("%s, want TLS 1.2 or 1.3", tls.VersionName(a.tls.Version))
	case !slices.Contains(documentedCiphers, a.tls.CipherSuite):
		a.failf("cipher %s is not a documented one", tls.CipherSuiteName(a.tls.CipherSuite))
	}
}

// wantRefusal accepts any 4xx in the error shape, for what the description
// gives no status to.
func wantRefusal(a *response) {
	if a.status < 400 || a.status > 499 {
		a.failf("want a 4xx")
	}
	a.wantError("")
}

// conditions are the headers that make the next read of the same object
// conditional. A response that carries no validator is a failure.
func conditions(a *response) http.Header {
	header := http.Header{}
	if tag := a.header.Get("ETag"); tag != "" {
		header.Set("If-None-Match", tag)
	}
	if moment := a.header.Get("Last-Modified"); moment != "" {
		if _, err := http.ParseTime(moment); err != nil {
			a.failf("Last-Modified: %w", err)
		}
		header.Set("If-Modified-Since", moment)
	}
	if len(header) == 0 {
		a.failf("neither ETag nor Last-Modified")
	}
	return header
}

// wantNotModified reads once, and then with all and with each of the validators.
func (p *probe) wantNotModified(path string, query ...string) {
	both := conditions(p.get(path, query...).wantStatus(http.StatusOK))
	wanted := []http.Header{both}
	for name, values := range both {
		wanted = append(wanted, http.Header{name: values})
	}
	for _, header := range wanted {
		a := p.send(call{method: http.MethodGet, path: path, query: pairs(query), header: header}).
			wantStatus(http.StatusNotModified)
		if len(a.raw) > 0 {
			a.failf("the body of a 304 is not empty: %s", clip(a.raw))
		}
	}
}

func accessClaims() []Claim {
	return []Claim{
		claim(21, "Recurring billing §5 Authentication",
			"A missing token returns 401 in one of the two documented shapes.", func(p *probe) {
				wantUnauthorized(p.send(call{method: http.MethodGet, path: mePath, anonymous: true}))
				wantUnauthorized(p.send(call{method: http.MethodGet, path: customersPath, anonymous: true}))
			}).readsOnly(),
		claim(22, "Recurring billing §5 Authentication", "A malformed Authorization header returns 401.", func(p *probe) {
			for _, value := range []string{"Bearer", "Basic dXNlcjpwYXNz", p.target.Token} {
				wantUnauthorized(p.send(call{
					method: http.MethodGet, path: mePath, anonymous: true,
					header: http.Header{"Authorization": {value}},
				}))
			}
		}).readsOnly(),
		claim(23, "Recurring billing §5 Authentication", "An unknown token returns 401.", func(p *probe) {
			wantUnauthorized(p.send(call{method: http.MethodGet, path: mePath, token: unique()}))
		}).readsOnly(),
		claim(24, "Recurring billing §5 Authentication", "A revoked token returns 401.", func(p *probe) {
			checkDeadToken(p, "a revoked token", p.target.RevokedToken)
		}).readsOnly(),
		claim(25, "Recurring billing §5 Authentication", "An expired token returns 401.", func(p *probe) {
			checkDeadToken(p, "an expired token", p.target.ExpiredToken)
		}).readsOnly(),
		claim(26, "Recurring billing §5 Authentication, §7 Errors",
			"A scope that is too narrow returns 403 insufficient_scope and {required, granted}.", func(p *probe) {
				if p.target.NarrowToken == "" {
					p.failf("%w: a token that may not create customers", ErrNotGiven)
					return
				}
				a := p.send(call{method: http.MethodPost, path: customersPath, body: object{"name": unique()},
					token: p.target.NarrowToken})
				a.wantStatus(http.StatusForbidden).wantError("insufficient_scope")
				a.wantPresent("error.details", "required", "granted")
			}),
	}
}

// wantUnauthorized accepts both documented shapes of a 401.
func wantUnauthorized(a *response) {
	a.wantStatus(http.StatusUnauthorized)
	if _, flat := a.at("error").(string); flat {
		a.want("error_code", "unauthorized")
		return
	}
	a.wantError("")
}

func checkDeadToken(p *probe, kind, token string) {
	if token == "" {
		p.failf("%w: %s", ErrNotGiven, kind)
		return
	}
	wantUnauthorized(p.send(call{method: http.MethodGet, path: mePath, token: token}))
}

func listClaims() []Claim {
	return []Claim{
		claim(31, "Recurring billing §2 Envelopes; wire contract: customers.list",
			"A list is {data, meta} and meta holds total, page, per_page and total_pages as integers.", func(p *probe) {
				a := p.get(customersPath).wantStatus(http.StatusOK)
				a.list("data")
				for _, member := range []string{"meta.total", "meta.page", "meta.per_page", "meta.total_pages"} {
					a.integer(member)
				}
			}).readsOnly(),
		claim(32, "Recurring billing §4 Collections", "Without parameters the page is 1 and contains at most 20 items.",
			func(p *probe) {
				size := min(20, p.maxPerPage())
				a := p.get(customersPath).wantStatus(http.StatusOK).want("meta.page", 1).want("meta.per_page", size)
				if n := len(a.list("data")); n > size {
					a.failf("%d items on a page of %d", n, size)
				}
			}).readsOnly(),
		claim(33, "Recurring billing §4 Collections rule 1", "page 0 becomes 1.", func(p *probe) {
			p.get(customersPath, "page", "0").wantStatus(http.StatusOK).want("meta.page", 1)
			p.get(customersPath, "page", "-3").wantStatus(http.StatusOK).want("meta.page", 1)
		}).readsOnly(),
		claim(34, "Recurring billing §4 Collections rule 1", "per_page above 100 becomes 100, and 0 becomes 1.",
			func(p *probe) {
				p.get(customersPath, "per_page", "1000").wantStatus(http.StatusOK).want("meta.per_page", p.maxPerPage())
				p.get(customersPath, "per_page", "101").wantStatus(http.StatusOK).want("meta.per_page", p.maxPerPage())
				p.get(customersPath, "per_page", "0").wantStatus(http.StatusOK).want("meta.per_page", 1)
			}).readsOnly(),
		claim(35, "Recurring billing §4 Collections rules 2 and 4",
			"total counts every match, total_pages is ceil(total / per_page), and the last page contains the rest.",
			func(p *probe) {
				word, names := p.three()
				size := min(2, p.maxPerPage())
				pages := (len(names) + size - 1) / size
				seen := 0
				for page := 1; page <= pages; page++ {
					a := p.get(customersPath, "search", word, "page", strconv.Itoa(page), "per_page", strconv.Itoa(size),
						"sort_by", "name")
					a.wantStatus(http.StatusOK).want("meta.total", len(names)).want("meta.total_pages", pages)
					a.want("meta.page", page).want("meta.per_page", size)
					wanted := min(size, len(names)-seen)
					if n := len(a.list("data")); n != wanted {
						a.failf("%d items on page %d, want %d", n, page, wanted)
					}
					seen += wanted
				}
			}),
		claim(36, "Recurring billing §4 Collections rule 3", "A page past the end returns 200 with empty data.",
			func(p *probe) {
				word, names := p.three()
				a := p.get(customersPath, "search", word, "page", "9", "per_page", "1").wantStatus(http.StatusOK)
				a.want("data", []any{}).want("meta.total", len(names)).want("meta.total_pages", len(names))
			}),
		claim(37, "Recurring billing §4 Collections",
			"sort_by with sort_order asc or desc puts the items in that order, whichever field it names.", func(p *probe) {
				word, names := p.three()
				size := min(3, p.maxPerPage())
				backwards := slices.Clone(names)
				slices.Reverse(backwards)
				for _, field := range []string{"name", "external_id"} {
					for order, wanted := range map[string][]string{"asc": names, "desc": backwards} {
						p.get(customersPath, "search", word, "sort_by", field, "sort_order", order, "per_page", strconv.Itoa(size)).
							wantStatus(http.StatusOK).wantNames(wanted[:size]...)
					}
				}
			}),
		claim(38, "Recurring billing §4 Collections", "sort_order is desc when it is not sent.", func(p *probe) {
			word, names := p.three()
			p.get(customersPath, "search", word, "sort_by", "name", "per_page", "1").wantStatus(http.StatusOK).
				wantNames(names[2])
		}),
		claim(39, "Recurring billing §4 Collections rule 5",
			"With sort_by, walking the pages returns every item exactly once.", func(p *probe) {
				word, names := p.three()
				for page, name := range names {
					p.get(customersPath, "search", word, "sort_by", "name", "sort_order", "asc", "per_page", "1", "page",
						strconv.Itoa(page+1)).
						wantStatus(http.StatusOK).wantNames(name)
				}
			}),
		claim(40, "Recurring billing §4 Collections",
			"search finds a customer by a word of its name, and no customer by a word that no customer contains.",
			func(p *probe) {
				word := unique()
				p.customer(object{"name": "Casa " + word + " Ltda"})
				p.get(customersPath, "search", word).wantStatus(http.StatusOK).want("meta.total",
					1).wantNames("Casa " + word + " Ltda")
				p.get(customersPath, "search", unique()).wantStatus(http.StatusOK).want("meta.total", 0).want("data", []any{})
			}),
		claim(41, "Wire contract: customers.list", "The filter external_id matches the whole value only.", func(p *probe) {
			word := unique()
			p.customer(object{"name": word, "external_id": word})
			p.customer(object{"name": word + "1", "external_id": word + "1"})
			p.get(customersPath, "external_id", word).wantStatus(http.StatusOK).want("meta.total", 1).wantNames(word)
			p.get(customersPath, "external_id", word+"0").wantStatus(http.StatusOK).want("meta.total", 0)
		}),
		claim(42, "Wire contract: customers.list", "The filter document_number finds the customer that was sent with it.",
			func(p *probe) {
				number := maskedCPF(cpf())
				word := unique()
				p.customer(object{"name": word, "document_number": number})
				p.customer(nil)
				p.get(customersPath, "document_number", number).wantStatus(http.StatusOK).want("meta.total", 1).wantNames(word)
			}),
		claim(43, "Wire contract: customers.list",
			"The filter updated_at_gte includes that exact time, in any offset, and excludes older items.", func(p *probe) {
				word := unique()
				_, a := p.customer(object{"name": word})
				updated := a.time("data.customer.updated_at")
				const form = "2006-01-02T15:04:05.000Z07:00"
				saoPaulo := time.FixedZone("-03", -3*60*60)
				for _, moment := range []time.Time{updated, updated.In(saoPaulo)} {
					p.get(customersPath, "search", word, "updated_at_gte", moment.Format(form)).wantStatus(http.StatusOK).
						wantNames(word)
				}
				// Far enough ahead that no clock of a server is there yet.
				later := updated.Add(24 * time.Hour)
				for _, moment := range []time.Time{later, later.In(saoPaulo)} {
					p.get(customersPath, "search", word, "updated_at_gte", moment.Format(form)).wantStatus(http.StatusOK).wantNames()
				}
			}),
		claim(44, "Recurring billing §4 Collections", "Filters combine: an item has to match all of them.", func(p *probe) {
			word, names := p.three()
			p.get(customersPath, "search", word, "external_id", word+"-beta").wantStatus(http.StatusOK).wantNames(names[1])
			p.get(customersPath, "search", unique(), "external_id", word+"-beta").wantStatus(http.StatusOK).wantNames()
		}),
		claim(45, "Recurring billing §2 Customer; wire contract: customers.list",
			"A listed customer contains what a single read of it returns.", func(p *probe) {
				word := unique()
				path, _ := p.customer(allFields(word))
				single := p.get(path).wantStatus(http.StatusOK)
				listed := p.get(customersPath, "external_id", word).wantStatus(http.StatusOK)
				for _, member := range customerMembers {
					if !sameJSON(listed.at("data.0."+member), single.at("data."+member)) {
						listed.failf("%s is %s, a single read returns %s", member, show(listed.at("data.0."+member)),
							show(single.at("data."+member)))
					}
				}
			}),
		claim(46, "Recurring billing §4 Collections", "sort_by id puts the items in the order of their ids, as text.",
			func(p *probe) {
				word := unique()
				var ids []string
				for range 3 {
					_, a := p.customer(object{"name": word})
					ids = append(ids, a.text("data.customer.id"))
				}
				slices.Sort(ids)
				for _, order := range []string{"asc", "desc"} {
					a := p.get(customersPath, "search", word, "sort_by", "id", "sort_order", order, "per_page",
						"1").wantStatus(http.StatusOK)
					a.want("data.0.id", ids[0])
					slices.Reverse(ids)
				}
			}),
	}
}

// maxPerPage is the bound that the target clamps per_page to.
func (p *probe) maxPerPage() int { return cmp.Or(p.target.MaxPerPage, 100) }

// three makes three customers that share a word in their names, in the order of
// their names and external ids, and returns the word and the names.
func (p *probe) three() (word string, names []string) {
	word = unique()
	for _, last := range []string{"alfa", "beta", "gama"} {
		name := word + " " + last
		p.customer(object{"name": name, "external_id": word + "-" + last})
		names = append(names, name)
	}
	return word, names
}

// wantNames fails unless the page's items have those names in that order.
func (a *response) wantNames(names ...string) *response {
	got := []any{}
	for i := range a.list("data") {
		got = append(got, a.at("data."+strconv.Itoa(i)+".name"))
	}
	wanted := asJSON(append([]string{}, names...))
	if !sameJSON(any(got), wanted) {
		a.failf("the names are %s, want %s", show(got), show(wanted))
	}
	return a
}

func createClaims() []Claim {
	const source = "Recurring billing §4 Customer create; wire contract: customers.create"
	return []Claim{
		claim(51, source, "A customer can be created with only a name; every documented member is returned.",
			func(p *probe) {
				name := unique()
				a := p.post(customersPath, object{"name": name, "create_billing_account": false}).wantStatus(http.StatusCreated)
				a.wantPresent("data.customer", customerMembers...).want("data.customer.name", name)
				for _, member := range []string{"external_id", "nickname", "legal_name", "document_number", "kind",
					"birthday", "notes"} {
					a.want("data.customer."+member, nil)
				}
				for _, member := range []string{"addresses", "phones", "emails", "websites", "tags", "custom_metadata"} {
					a.wantEmpty("data.customer." + member)
				}
			}),
		claim(52, source, "Every field that was sent is returned as it was sent and reads back the same.", func(p *probe) {
			fields := allFields(unique())
			path, a := p.customer(fields)
			a.wantFields("data.customer", fields)
			p.get(path).wantStatus(http.StatusOK).wantFields("data", fields)
		}),
		claim(53, source, "An account is created with the customer unless the request says otherwise.", func(p *probe) {
			a := p.post(customersPath, object{"name": unique()}).wantStatus(http.StatusCreated)
			a.wantMatch("data.customer.id", uuidForm).wantMatch("data.billing_account.id", uuidForm)
			a.want("data.billing_account.status", "active")
			b := p.post(customersPath, object{"name": unique(), "create_billing_account": true}).wantStatus(http.StatusCreated)
			b.wantMatch("data.billing_account.id", uuidForm)
		}),
		claim(54, source, "create_billing_account false creates no account: billing_account is null.", func(p *probe) {
			_, a := p.customer(object{"create_billing_account": false})
			a.want("data.billing_account", nil)
			p.get(accountsPath, "customer_id", a.text("data.customer.id")).wantStatus(http.StatusOK).want("meta.total", 0)
		}),
		claim(55, source, "The account's billing_email is the customer's email, its payment term is 10 days, and its "+
			"collection is automatic.", func(p *probe) {
			email := unique() + "@correio.example"
			_, a := p.customer(object{"create_billing_account": true, "email": email})
			a.want("data.billing_account.billing_email", email)
			a.want("data.billing_account.payment_terms_days", 10)
			a.want("data.billing_account.auto_collection", true)
			_, b := p.customer(object{"create_billing_account": true})
			b.want("data.billing_account.billing_email", nil)
		}),
		claim(56, source, "billing_email, payment_terms_days and auto_collection reach the account.", func(p *probe) {
			fields := object{"billing_email": unique() + "@correio.example", "payment_terms_days": 21, "auto_collection": false}
			_, a := p.customer(merged(fields, object{"create_billing_account": true, "email": unique() + "@correio.example"}))
			a.wantFields("data.billing_account", fields)
			_, b := p.customer(object{"create_billing_account": true, "payment_terms_days": 0})
			b.want("data.billing_account.payment_terms_days", 0)
		}),
		claim(57, source+" (email and phone become the first of emails and phones)",
			"email and phone become the first item of emails and phones.", func(p *probe) {
				email, other := unique()+"@correio.example", unique()+"@correio.example"
				_, a := p.customer(object{
					"email": email, "emails": []object{{"kind": "financial", "value": other}},
					"phone": "+55 11 3091-0001", "phones": []object{{"value": "+55 11 3091-0002"}},
				})
				a.wantFields("data.customer", object{
					"emails": []object{{"value": email}, {"kind": "financial", "value": other}},
					"phones": []object{{"value": "+55 11 3091-0001"}, {"value": "+55 11 3091-0002"}},
				})
			}),
		claim(58, source+" (email and phone become the first of emails and phones)",
			"An email or phone that is already in the list is not added a second time.", func(p *probe) {
				email, other := unique()+"@correio.example", unique()+"@correio.example"
				lists := object{
					"emails": []object{{"value": other}, {"kind": "work", "value": email}},
					"phones": []object{{"kind": "mobile", "value": "+55 11 3091-0001"}},
				}
				_, a := p.customer(merged(lists, object{"email": email, "phone": "+55 11 3091-0001"}))
				a.wantFields("data.customer", lists)
			}),
		claim(59, "Recurring billing §2 Customer",
			"document_type is inferred from the length of the number, with and without a mask, digits or letters.",
			func(p *probe) {
				number, letters := cpf(), letterCNPJ()
				for document, kind := range map[string]string{
					number: "cpf", maskedCPF(number): "cpf", cnpj: "cnpj", maskedCNPJ: "cnpj",
					letters: "cnpj", maskedCNPJOf(letters): "cnpj",
				} {
					path, a := p.customer(object{"document_number": document})
					a.want("data.customer.document_type", kind)
					p.delete(path).wantStatus(http.StatusOK, http.StatusNoContent)
				}
			}),
		claim(60, "Recurring billing §2 Customer; wire contract: customers.create (document_number is kept as sent)",
			"document_number is returned as it was sent, mask and all.", func(p *probe) {
				number := maskedCPF(cpf())
				path, a := p.customer(object{"document_number": number})
				a.want("data.customer.document_number", number)
				p.get(path).want("data.document_number", number)
			}),
		claim(61, "Recurring billing §1 Data types; wire contract: customers.create",
			"Ids are UUIDs of version 4; id and public_id differ between customers.", func(p *probe) {
				_, a := p.customer(nil)
				_, b := p.customer(nil)
				for _, member := range []string{"data.customer.id", "data.customer.public_id"} {
					a.wantMatch(member, uuidForm)
					b.wantMatch(member, uuidForm)
					if a.text(member) == b.text(member) {
						b.failf("%s was given to another customer before", member)
					}
				}
			}),
		claim(62, "Wire contract: customers.create (datetimes are UTC with milliseconds and Z)",
			"created_at and updated_at are UTC with milliseconds and Z, and not before one another.", func(p *probe) {
				path, a := p.customer(nil)
				a.wantMatch("data.customer.created_at", timeForm).wantMatch("data.customer.updated_at", timeForm)
				created := a.time("data.customer.created_at")
				b := p.patch(path, object{"notes": "depois"}).wantStatus(http.StatusOK)
				if b.time("data.updated_at").Before(a.time("data.customer.updated_at")) {
					b.failf("updated_at went back to %s", b.text("data.updated_at"))
				}
				if !b.time("data.created_at").Equal(created) {
					b.failf("created_at became %s", b.text("data.created_at"))
				}
			}),
		claim(63, "Recurring billing §4 Customer create (kind)", "Both kinds are accepted: natural and juridical.",
			func(p *probe) {
				for _, kind := range []string{"natural", "juridical"} {
					_, a := p.customer(object{"kind": kind})
					a.want("data.customer.kind", kind)
				}
			}),
	}
}

// cnpj is the number of a legal entity with valid check digits.
const cnpj, maskedCNPJ = "12345678000195", "12.345.678/0001-95"

func updateClaims() []Claim {
	const source = "Recurring billing §4 Customer update; wire contract: customers.update"
	return []Claim{
		claim(71, source, "Each field can be changed alone, and nothing else changes with it.", func(p *probe) {
			word := unique()
			path, created := p.customer(allFields(word))
			before := created.at("data.customer")
			fields := otherFields(word)
			for _, field := range slices.Sorted(maps.Keys(fields)) {
				a := p.patch(path, object{field: fields[field]}).wantStatus(http.StatusOK)
				a.wantItems("data."+field, fields[field])
				a.wantUnchanged(before, field)
				before = a.at("data")
			}
		}),
		claim(72, source, "All fields can be changed in one update, and a read returns what the update returned.",
			func(p *probe) {
				word := unique()
				path, _ := p.customer(allFields(word))
				fields := otherFields(word)
				a := p.patch(path, fields).wantStatus(http.StatusOK).wantFields("data", fields)
				b := p.get(path).wantStatus(http.StatusOK)
				if !sameJSON(b.at("data"), a.at("data")) {
					b.failf("data is %s, the update returned %s", show(b.at("data")), show(a.at("data")))
				}
			}),
		claim(73, source, "An update without fields changes nothing.", func(p *probe) {
			path, created := p.customer(allFields(unique()))
			p.patch(path, object{}).wantStatus(http.StatusOK).wantUnchanged(created.at("data.customer"))
		}),
		claim(74, source+" (null clears)", "null clears every single value that may be returned as null.", func(p *probe) {
			path, created := p.customer(allFields(unique()))
			before := created.at("data.customer")
			for _, field := range []string{"external_id", "nickname", "legal_name", "document_number", "kind",
				"birthday", "notes"} {
				a := p.patch(path, object{field: nil}).wantStatus(http.StatusOK).want("data."+field, nil)
				a.wantUnchanged(before, field)
				before = a.at("data")
			}
		}),
		claim(75, source+" (null clears)", "null clears a list.", func(p *probe) {
			checkListCleared(p, nil)
		}),
		claim(76, source+" ([] clears)", "[] clears a list.", func(p *probe) {
			checkListCleared(p, []any{})
		}),
		claim(77, source+" (email and phone become the first of emails and phones)",
			"email and phone are inserted before the existing items, once.", func(p *probe) {
				first, second := unique()+"@correio.example", unique()+"@correio.example"
				path, _ := p.customer(object{"email": first, "phone": "+55 11 3091-0001"})
				change := object{"email": second, "phone": "+55 11 3091-0002"}
				wanted := object{
					"emails": []object{{"value": second}, {"value": first}},
					"phones": []object{{"value": "+55 11 3091-0002"}, {"value": "+55 11 3091-0001"}},
				}
				p.patch(path, change).wantStatus(http.StatusOK).wantFields("data", wanted)
				p.patch(path, change).wantStatus(http.StatusOK).wantFields("data", wanted)
				p.patch(path, object{"email": first}).wantStatus(http.StatusOK).wantFields("data", wanted)
			}),
		claim(78, "Recurring billing §2 Customer; wire contract: customers.update",
			"document_type changes with a new document_number.", func(p *probe) {
				path, _ := p.customer(object{"document_number": maskedCPF(cpf())})
				a := p.patch(path, object{"document_number": maskedCNPJ}).wantStatus(http.StatusOK)
				a.want("data.document_type", "cnpj").want("data.document_number", maskedCNPJ)
			}),
	}
}

// listMembers are the members of a customer that hold arrays.
var listMembers = []string{"addresses", "phones", "emails", "websites", "tags"}

// otherFields are values that differ from allFields everywhere.
func otherFields(word string) object {
	return object{
		"external_id":     word + "-b",
		"name":            "Ateliê " + word,
		"nickname":        "Ateliê",
		"legal_name":      "Ateliê " + word + " S.A.",
		"document_number": cpf(),
		"kind":            "natural",
		"birthday":        "1984-03-09",
		"notes":           "Entregas até as 9h.",
		"addresses": []object{{"kind": "billing", "street": "Rua das Acácias", "number": "500", "complement": nil,
			"neighborhood": "Centro", "city": "Recife", "state": "PE", "postal_code": "50010-000", "country": "BR"}},
		"phones":          []object{{"value": "+55 81 3224-9000"}},
		"emails":          []object{{"kind": "work", "value": "b-" + word + "@correio.example"}},
		"websites":        []object{{"value": "https://b-" + word + ".example"}},
		"tags":            []string{"varejo"},
		"custom_metadata": object{"crm": object{"owner": "Jonas Meireles"}},
	}
}

// wantUnchanged fails when the customer returned as data differs from the one
// before in another member than those, in what follows from them, or in
// updated_at.
func (a *response) wantUnchanged(before any, changed ...string) {
	if slices.Contains(changed, "document_number") {
		changed = append(changed, "document_type")
	}
	a.wantKept(customerMembers, before, changed...)
}

func checkListCleared(p *probe, empty any) {
	path, created := p.customer(allFields(unique()))
	before := created.at("data.customer")
	for _, field := range listMembers {
		a := p.patch(path, object{field: empty}).wantStatus(http.StatusOK).wantEmpty("data." + field)
		a.wantUnchanged(before, field)
		before = a.at("data")
		p.get(path).wantEmpty("data." + field)
	}
}

func metadataClaims() []Claim {
	const create = "Recurring billing §4 Customer create; wire contract: customers.create"
	const update = "Recurring billing §4 custom_metadata_mode; wire contract: customers.update"
	return []Claim{
		claim(81, create, "custom_metadata is stored as it was sent: types, nesting, empty parts, null and unusual keys.",
			func(p *probe) {
				metadata := object{
					"text": "1", "number": 1, "yes": true, "yes as text": "true", "nothing": nil, "empty text": "",
					"empty object": object{}, "empty list": []any{},
					"nested":       object{"deep": object{"deeper": []any{object{"a": nil}, []any{1, "2", false}}}},
					"dotted.key/ç": "São João 🛠", "Case": 1, "case": 2,
				}
				path, a := p.customer(object{"custom_metadata": metadata})
				a.want("data.customer.custom_metadata", metadata)
				p.get(path).wantStatus(http.StatusOK).want("data.custom_metadata", metadata)
			}),
		claim(82, create, "Numbers in custom_metadata are stored exactly, also beyond 2^53.", func(p *probe) {
			metadata := object{
				"beyond a double":   json.Number("9007199254740993"),
				"most negative":     json.Number("-9223372036854775808"),
				"largest":           json.Number("9223372036854775807"),
				"fraction":          json.Number("1234567.8901"),
				"nested and listed": object{"list": []any{json.Number("9007199254740995")}},
			}
			path, a := p.customer(object{"custom_metadata": metadata})
			a.want("data.customer.custom_metadata", metadata)
			p.get(path).want("data.custom_metadata", metadata)
			p.patch(path, object{"custom_metadata": object{"more": 1}, "custom_metadata_mode": "merge"}).
				want("data.custom_metadata", merged(metadata, object{"more": 1}))
		}),
		claim(83, update, "merge adds keys and merges nested objects, at any depth.", func(p *probe) {
			checkMode(p, "merge",
				object{"a": 1, "crm": object{"owner": "Aline", "team": object{"name": "sul", "size": 3}}},
				object{"b": 2, "crm": object{"team": object{"size": 4, "lead": "Rui"}}},
				object{"a": 1, "b": 2, "crm": object{"owner": "Aline", "team": object{"name": "sul", "size": 4, "lead": "Rui"}}})
		}),
		claim(84, update, "merge replaces scalars and whole arrays.", func(p *probe) {
			checkMode(p, "merge",
				object{"scalar": 1, "list": []any{1, 2, 3}, "objects": []any{object{"a": 1}}, "kept": "yes"},
				object{"scalar": "one", "list": []any{4}, "objects": []any{object{"b": 2}}},
				object{"scalar": "one", "list": []any{4}, "objects": []any{object{"b": 2}}, "kept": "yes"})
		}),
		claim(85, update, "merge keeps a key that is sent as null, with the value null.", func(p *probe) {
			checkMode(p, "merge",
				object{"scalar": 1, "object": object{"a": 1, "b": 2}, "whole": object{"c": 3}},
				object{"scalar": nil, "object": object{"a": nil}, "whole": nil, "new": nil},
				object{"scalar": nil, "object": object{"a": nil, "b": 2}, "whole": nil, "new": nil})
		}),
		claim(86, update, "merge replaces an object by a scalar and a scalar by an object.", func(p *probe) {
			checkMode(p, "merge",
				object{"object": object{"a": 1}, "scalar": 1, "list": []any{1}},
				object{"object": 2, "scalar": object{"b": 2}, "list": object{"c": 3}},
				object{"object": 2, "scalar": object{"b": 2}, "list": object{"c": 3}})
		}),
		claim(87, update, "merge with an empty object changes nothing.", func(p *probe) {
			stored := object{"a": object{"b": 1}}
			checkMode(p, "merge", stored, object{}, stored)
			checkMode(p, "merge", stored, object{"a": object{}}, stored)
		}),
		claim(88, update, "replace replaces the whole object and keeps null values.", func(p *probe) {
			stored := object{"a": 1, "crm": object{"owner": "Aline", "team": "sul"}}
			sent := object{"crm": object{"owner": "Jonas"}, "nothing": nil}
			checkMode(p, "replace", stored, sent, sent)
		}),
		claim(89, update, "replace is the mode when none is sent.", func(p *probe) {
			sent := object{"crm": object{"owner": "Jonas"}, "nothing": nil}
			checkMode(p, "", object{"a": 1, "crm": object{"team": "sul"}}, sent, sent)
		}),
		claim(90, update, "An empty object with replace clears custom_metadata.", func(p *probe) {
			path, _ := p.customer(object{"custom_metadata": object{"a": 1}})
			p.patch(path, object{"custom_metadata": object{}, "custom_metadata_mode": "replace"}).
				wantStatus(http.StatusOK).wantEmpty("data.custom_metadata")
			p.get(path).wantEmpty("data.custom_metadata")
		}),
		claim(91, update, "An update without custom_metadata does not change it.", func(p *probe) {
			stored := object{"a": object{"b": nil}}
			path, _ := p.customer(object{"custom_metadata": stored})
			p.patch(path, object{"notes": "depois"}).wantStatus(http.StatusOK).want("data.custom_metadata", stored)
		}),
	}
}

// checkMode creates a customer with the one metadata, updates it with the other in
// that mode ("" sends none), and wants the result in the response and in a read.
func checkMode(p *probe, mode string, stored, sent, wanted object) {
	path, _ := p.customer(object{"custom_metadata": stored})
	body := object{"custom_metadata": sent}
	if mode != "" {
		body["custom_metadata_mode"] = mode
	}
	p.patch(path, body).wantStatus(http.StatusOK).want("data.custom_metadata", wanted)
	p.get(path).wantStatus(http.StatusOK).want("data.custom_metadata", wanted)
}

func refusalClaims() []Claim {
	const invalid = "Recurring billing §4 Customer create, §7 Errors; wire contract: customers.create (validation failure)"
	const change = "Recurring billing §4 Customer update, §7 Errors; wire contract: customers.update (validation failure)"
	const taken = " (same external_id twice)"
	return []Claim{
		claim(101, invalid, "A customer without a name is rejected.", func(p *probe) {
			p.post(customersPath, object{"nickname": unique()}).wantInvalid("name")
			p.post(customersPath, object{"name": nil}).wantInvalid("name")
		}),
		claim(102, invalid, "A field that does not exist is rejected with its name.", func(p *probe) {
			p.post(customersPath, object{"name": unique(), "favourite_colour": "azul"}).wantInvalid("favourite_colour")
			path, _ := p.customer(nil)
			p.patch(path, object{"favourite_colour": "azul"}).wantInvalid("favourite_colour")
		}),
		claim(103, invalid, "A value of the wrong type is rejected with the name of its field.", func(p *probe) {
			checkEachInvalid(p, object{
				"name": 7, "external_id": 7, "notes": object{}, "document_number": 12345678901, "birthday": true,
				"tags": "atacado", "emails": "a@correio.example", "addresses": object{}, "custom_metadata": "text",
				"create_billing_account": "no", "auto_collection": "yes", "payment_terms_days": "10",
			})
		}),
		claim(104, invalid,
			"A kind, a birthday or a term outside of the documented values is rejected with the name of its field.",
			func(p *probe) {
				checkEachInvalid(p, object{"kind": "company", "birthday": "31/12/1999", "payment_terms_days": -1})
				checkEachInvalid(p, object{"birthday": "2023-02-30", "payment_terms_days": 1.5})
			}),
		claim(105, invalid, "custom_metadata_mode is rejected on create.", func(p *probe) {
			checkEachInvalid(p, object{"custom_metadata_mode": "merge"})
			checkEachInvalid(p, object{"custom_metadata_mode": "replace"})
		}),
		claim(106, invalid, "A rejected create creates nothing.", func(p *probe) {
			word := unique()
			p.post(customersPath, object{"name": word, "external_id": word, "kind": "company"}).wantInvalid("kind")
			p.get(customersPath, "external_id", word).wantStatus(http.StatusOK).want("meta.total", 0)
		}),
		claim(107, change, "Each field that is for creation only is rejected in an update.", func(p *probe) {
			path, _ := p.customer(nil)
			fields := object{"create_billing_account": true, "billing_email": unique() + "@correio.example",
				"payment_terms_days": 15, "auto_collection": true}
			for _, field := range slices.Sorted(maps.Keys(fields)) {
				p.patch(path, object{field: fields[field]}).wantInvalid(field)
			}
		}),
		claim(108, change, "name cannot be null, and a mode that does not exist is rejected.", func(p *probe) {
			path, _ := p.customer(nil)
			p.patch(path, object{"name": nil}).wantInvalid("name")
			p.patch(path, object{"custom_metadata": object{}, "custom_metadata_mode": "append"}).
				wantInvalid("custom_metadata_mode")
		}),
		claim(109, change, "A rejected update changes nothing, not even the fields that were valid.", func(p *probe) {
			path, created := p.customer(allFields(unique()))
			p.patch(path, object{"notes": "depois", "kind": "company"}).wantInvalid("kind")
			p.get(path).wantStatus(http.StatusOK).wantUnchanged(created.at("data.customer"))
		}),
		claim(110, "Wire contract: customers.create"+taken,
			"An external_id that another customer has is rejected with the id of that customer.", func(p *probe) {
				word := unique()
				_, first := p.customer(object{"external_id": word})
				p.post(customersPath, object{"name": unique(), "external_id": word}).wantTaken(first.text("data.customer.id"))
			}),
		claim(111, "Wire contract: customers.update"+taken, "The same holds for an update.", func(p *probe) {
			word := unique()
			_, first := p.customer(object{"external_id": word})
			path, _ := p.customer(nil)
			p.patch(path, object{"external_id": word}).wantTaken(first.text("data.customer.id"))
			p.get(path).want("data.external_id", nil)
		}),
		claim(112, "Wire contract: customers.update"+taken, "A customer's own external_id does not count as taken.",
			func(p *probe) {
				word := unique()
				path, _ := p.customer(object{"external_id": word})
				p.patch(path, object{"external_id": word}).wantStatus(http.StatusOK).want("data.external_id", word)
			}),
	}
}

// wantInvalid fails unless the response is 422 validation_error that blames the field.
func (a *response) wantInvalid(field string) {
	a.wantStatus(http.StatusUnprocessableEntity).wantError("validation_error")
	fields, _ := a.at("error.details.fields").(map[string]any)
	if reason, ok := fields[field].(string); !ok || reason == "" {
		a.failf("error.details.fields is %s, want a reason for %s", show(a.at("error.details.fields")), field)
	}
}

// checkEachInvalid sends each field alone next to a valid name.
func checkEachInvalid(p *probe, fields object) {
	for _, field := range slices.Sorted(maps.Keys(fields)) {
		p.post(customersPath, merged(object{"name": unique()}, object{field: fields[field]})).wantInvalid(field)
	}
}

// wantTaken fails unless the response is 422 external_id_taken naming that customer.
func (a *response) wantTaken(id string) {
	a.wantStatus(http.StatusUnprocessableEntity).wantError("external_id_taken")
	a.want("error.details.field", "external_id").want("error.details.id", id)
}

func deleteClaims() []Claim {
	return []Claim{
		claim(121, "Recurring billing §2 Envelopes; wire contract: customers.delete",
			"Deleting a customer returns 200 and {data: {deleted: true}}.", func(p *probe) {
				path, _ := p.customer(nil)
				p.delete(path).wantStatus(http.StatusOK).want("", object{"data": object{"deleted": true}})
			}),
		claim(122, "Recurring billing §7 Errors; wire contract: customers.delete",
			"A deleted customer returns 404 to a read, an update and a second delete.", func(p *probe) {
				path, _ := p.customer(nil)
				p.delete(path)
				p.get(path).wantStatus(http.StatusNotFound).wantError("")
				p.patch(path, object{"notes": "depois"}).wantStatus(http.StatusNotFound).wantError("")
				p.delete(path).wantStatus(http.StatusNotFound).wantError("")
			}),
		claim(123, "Wire contract: customers.list, customers.delete", "A deleted customer does not appear in any list.",
			func(p *probe) {
				word := unique()
				path, _ := p.customer(object{"name": word, "external_id": word})
				p.get(customersPath, "search", word).want("meta.total", 1)
				p.delete(path)
				p.get(customersPath, "search", word).want("meta.total", 0).want("data", []any{})
				p.get(customersPath, "external_id", word).want("meta.total", 0).want("data", []any{})
			}),
		claim(124, "Wire contract: customers.create (external_id of a deleted object)",
			"The external_id of a deleted customer can be used again.", func(p *probe) {
				word := unique()
				path, _ := p.customer(object{"external_id": word})
				p.delete(path)
				again, _ := p.customer(object{"external_id": word})
				if p.err == nil && again == path {
					p.failf("the new customer has the path of the deleted one, %s", path)
				}
			}),
		claim(125, "Wire contract: customers.delete, billing_accounts.get",
			"The billing accounts of a deleted customer can still be read, with status closed.", func(p *probe) {
				path, a := p.customer(object{"create_billing_account": true})
				account := accountPath(a.text("data.billing_account.id"))
				p.get(account).wantStatus(http.StatusOK).want("data.status", "active")
				p.delete(path)
				p.get(account).wantStatus(http.StatusOK).want("data.status", "closed")
			}),
	}
}

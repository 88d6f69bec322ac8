package claims

import (
	"cmp"
	"encoding/json"
	"maps"
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
		otherwise("The provider's errors lack the Request-Id for the service's support."),
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
		otherwise("An object that was deleted elsewhere causes an error in the plan, and is not recreated."),
		claim(5, "Recurring billing §7 Errors; wire contract: customers.get",
			"An unknown id returns 404 in the error shape.", func(p *probe) {
				p.get(customerPath(nobody)).wantStatus(http.StatusNotFound).wantError("")
				p.patch(customerPath(nobody), object{"name": unique()}).wantStatus(http.StatusNotFound).wantError("")
				p.delete(customerPath(nobody)).wantStatus(http.StatusNotFound).wantError("")
				p.get(accountPath(nobody)).wantStatus(http.StatusNotFound).wantError("")
			}),
		otherwise("The guards environment and allowed_organization_ids, and the data source billing_organization, fail."),
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

// wantRequestIDs fails unless every response has its own Request-Id.
func wantRequestIDs(responses []*response) {
	var seen []string
	for _, a := range responses {
		id := a.header.Get("Request-Id")
		if id == "" {
			a.failf("the Request-Id is missing")
		}
		if slices.Contains(seen, id) {
			a.failf("an earlier response had the same Request-Id")
		}
		seen = append(seen, id)
	}
}

func accessClaims() []Claim {
	return []Claim{
		otherwise("The error about an invalid token does not name the token as the cause."),
		claim(23, "Recurring billing §5 Authentication", "An unknown token returns 401.", func(p *probe) {
			wantUnauthorized(p.send(call{method: http.MethodGet, path: mePath, token: unique()}))
		}).restsOn(12).readsOnly(),
		claim(24, "Recurring billing §5 Authentication", "A revoked token returns 401.", func(p *probe) {
			checkDeadToken(p, "a revoked token", p.target.RevokedToken)
		}).restsOn(23).readsOnly(),
		claim(25, "Recurring billing §5 Authentication", "An expired token returns 401.", func(p *probe) {
			checkDeadToken(p, "an expired token", p.target.ExpiredToken)
		}).restsOn(23).readsOnly(),
		otherwise("The error about a missing permission does not name the scope that the token needs."),
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
			}).restsOn(5),
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
		otherwise("Refreshes and data sources read only a part of a list, or fail. Set bulk_refresh = false, " +
			"which reads each object."),
		claim(31, "Recurring billing §2 Envelopes; wire contract: customers.list",
			"A list is {data, meta} and meta holds total, page, per_page and total_pages as integers.", func(p *probe) {
				a := p.get(customersPath).wantStatus(http.StatusOK)
				a.list("data")
				for _, member := range []string{"meta.total", "meta.page", "meta.per_page", "meta.total_pages"} {
					a.integer(member)
				}
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
			}).restsOn(31, 40, 51),
		claim(36, "Recurring billing §4 Collections rule 3", "A page past the end returns 200 with empty data.",
			func(p *probe) {
				word, names := p.three()
				a := p.get(customersPath, "search", word, "page", "9", "per_page", "1").wantStatus(http.StatusOK)
				a.want("data", []any{}).want("meta.total", len(names)).want("meta.total_pages", len(names))
			}).restsOn(31, 40, 51),
		claim(37, "Recurring billing §4 Collections",
			"sort_by with sort_order asc or desc sorts the items by any field.", func(p *probe) {
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
			}).restsOn(31, 40, 51),
		claim(39, "Recurring billing §4 Collections rule 5",
			"With sort_by, walking the pages returns every item exactly once.", func(p *probe) {
				word, names := p.three()
				for page, name := range names {
					p.get(customersPath, "search", word, "sort_by", "name", "sort_order", "asc", "per_page", "1", "page",
						strconv.Itoa(page+1)).
						wantStatus(http.StatusOK).wantNames(name)
				}
			}).restsOn(31, 37, 51),
		otherwise("The argument search of plural data sources finds other objects. Filter the result in the " +
			"configuration."),
		claim(40, "Recurring billing §4 Collections",
			"search finds a customer by a word of its name, and no customer by an unused word.",
			func(p *probe) {
				word := unique()
				p.customer(object{"name": "casa " + word + " ltda"})
				p.get(customersPath, "search", word).wantStatus(http.StatusOK).want("meta.total",
					1).wantNames("casa " + word + " ltda")
				p.get(customersPath, "search", unique()).wantStatus(http.StatusOK).want("meta.total", 0).want("data", []any{})
			}).restsOn(31, 51),
		otherwise("Lookups by this filter read the whole list, and the provider compares every object itself: "+
			"prefer ids.").restsOn(31, 51),
		claim(41, "Wire contract: customers.list", "The filter external_id matches the whole value only.", func(p *probe) {
			word := unique()
			p.customer(object{"name": word, "external_id": word})
			p.customer(object{"name": word + "1", "external_id": word + "1"})
			p.get(customersPath, "external_id", word).wantStatus(http.StatusOK).want("meta.total", 1).wantNames(word)
			p.get(customersPath, "external_id", word+"0").wantStatus(http.StatusOK).want("meta.total", 0)
		}).restsOn(36),
		claim(42, "Wire contract: customers.list", "The filter document_number finds a customer by the number that was sent.",
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
				// Far enough in the future that no server's clock is there yet.
				later := updated.Add(24 * time.Hour)
				for _, moment := range []time.Time{later, later.In(saoPaulo)} {
					p.get(customersPath, "search", word, "updated_at_gte", moment.Format(form)).wantStatus(http.StatusOK).wantNames()
				}
			}).restsOn(36),
		otherwise("A refresh of many objects misses some, or shows wrong differences. Set bulk_refresh = "+
			"false.").restsOn(31, 51),
		claim(45, "Recurring billing §2 Customer; wire contract: customers.list",
			"A listed customer has the same content as a single read.", func(p *probe) {
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
			}).restsOn(41),
		claim(46, "Recurring billing §4 Collections", "sort_by id sorts the items by their ids, as text.",
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
			}).restsOn(37),
	}
}

// maxPerPage is the target's limit for per_page.
func (p *probe) maxPerPage() int { return cmp.Or(p.target.MaxPerPage, 100) }

// three creates three customers that share a word in their names, in the order of their names and external ids, and
// returns the word and the names.
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
	if !a.same("data.name", got, wanted) {
		a.failf("the names are %s, want %s", show(got), show(wanted))
	}
	return a
}

func createClaims() []Claim {
	const source = "Recurring billing §4 Customer create; wire contract: customers.create"
	return []Claim{
		otherwise("A creation fails, or attributes that the service sets are null."),
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
		otherwise("The argument differs in every plan. Set the value that the service returns, or use ignore_changes."),
		claim(52, source, "Every field that was sent is returned as it was sent and reads back the same.", func(p *probe) {
			fields := allFields(unique())
			path, a := p.customer(fields)
			a.wantFields("data.customer", fields)
			p.get(path).wantStatus(http.StatusOK).wantFields("data", fields)
		}).restsOn(51),
		otherwise("The customer has no account, or a different one. Set create_billing_account = false and use " +
			"billing_account.").restsOn(51),
		claim(53, source, "By default, an account is created with the customer.", func(p *probe) {
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
		}).restsOn(31, 36),
		claim(56, source, "billing_email, payment_terms_days and auto_collection are set on the account.", func(p *probe) {
			fields := object{"billing_email": unique() + "@correio.example", "payment_terms_days": 21, "auto_collection": false}
			_, a := p.customer(merged(fields, object{"create_billing_account": true, "email": unique() + "@correio.example"}))
			a.wantFields("data.billing_account", fields)
			_, b := p.customer(object{"create_billing_account": true, "payment_terms_days": 0})
			b.want("data.billing_account.payment_terms_days", 0)
		}),
		otherwise("A customer's email or phone differs in every plan. Use emails and phones.").restsOn(51),
		claim(57, source+" (email and phone become the first of emails and phones)",
			"email and phone become the first item of emails and phones.", func(p *probe) {
				email, other := unique()+"@correio.example", unique()+"@correio.example"
				_, a := p.customer(object{
					"email": email, "emails": []object{{"kind": "financial", "value": other}},
					"phone": "551130910001", "phones": []object{{"value": "551130910002"}},
				})
				a.wantFields("data.customer", object{
					"emails": []object{{"value": email}, {"kind": "financial", "value": other}},
					"phones": []object{{"value": "551130910001"}, {"value": "551130910002"}},
				})
			}),
		claim(58, source+" (email and phone become the first of emails and phones)",
			"An email or phone that is already in the list is not added a second time.", func(p *probe) {
				email, other := unique()+"@correio.example", unique()+"@correio.example"
				lists := object{
					"emails": []object{{"value": other}, {"kind": "work", "value": email}},
					"phones": []object{{"kind": "mobile", "value": "551130910001"}},
				}
				_, a := p.customer(merged(lists, object{"email": email, "phone": "551130910001"}))
				a.wantFields("data.customer", lists)
			}).restsOn(57),
		otherwise("Ids are rejected where the provider requires a UUID: in imports and in arguments."),
		claim(61, "Recurring billing §1 Data types; wire contract: customers.create",
			"Ids are UUIDs of version 4; id and public_id differ between customers.", func(p *probe) {
				_, a := p.customer(nil)
				_, b := p.customer(nil)
				for _, member := range []string{"data.customer.id", "data.customer.public_id"} {
					a.wantMatch(member, uuidForm)
					b.wantMatch(member, uuidForm)
					if a.text(member) == b.text(member) {
						b.failf("another customer has the same %s", member)
					}
				}
			}).restsOn(31, 51),
		otherwise("After a lost response an apply fails, because the creation time of an object is unclear. Import it."),
		claim(62, "Wire contract: customers.create (datetimes are UTC with milliseconds and Z)",
			"created_at and updated_at are UTC with milliseconds and Z, in chronological order.", func(p *probe) {
				path, a := p.customer(nil)
				a.wantMatch("data.customer.created_at", timeForm).wantMatch("data.customer.updated_at", timeForm)
				created := a.time("data.customer.created_at")
				if a.time("data.customer.updated_at").Before(created) {
					a.failf("updated_at is before created_at")
				}
				b := p.patch(path, object{"notes": "depois"}).wantStatus(http.StatusOK)
				if b.time("data.updated_at").Before(a.time("data.customer.updated_at")) {
					b.failf("updated_at went back to %s", b.text("data.updated_at"))
				}
				if !b.time("data.created_at").Equal(created) {
					b.failf("created_at became %s", b.text("data.created_at"))
				}
			}).restsOn(31, 51, 71),
	}
}

func updateClaims() []Claim {
	const source = "Recurring billing §4 Customer update; wire contract: customers.update"
	return []Claim{
		otherwise("A change of one argument changes others, which the next plan reports as drift."),
		claim(71, source, "Each field can be changed alone, without changing another.", func(p *probe) {
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
		}).restsOn(51, 52),
		otherwise("An argument that was removed remains in every plan. Set another value instead of removing "+
			"it.").restsOn(51, 71),
		claim(74, source+" (null clears)", "null clears every nullable value.", func(p *probe) {
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
	}
}

// listMembers lists the members of a customer that are arrays.
var listMembers = []string{"addresses", "phones", "emails", "websites", "tags"}

// otherFields returns values that all differ from those of allFields.
func otherFields(word string) object {
	return object{
		"external_id":     word + "-b",
		"name":            "atelier " + word,
		"nickname":        "atelier",
		"legal_name":      "atelier " + word + " s.a.",
		"document_number": cpf(),
		"kind":            "natural",
		"birthday":        "1984-03-09",
		"notes":           "entregas antes das 9h",
		"addresses": []object{{"kind": "billing", "street": "rua das flores", "number": "500", "complement": nil,
			"neighborhood": "centro", "city": "recife", "state": "PE", "postal_code": "50010000", "country": "BR"}},
		"phones":          []object{{"kind": "work", "value": "558132249000"}},
		"emails":          []object{{"kind": "work", "value": "b-" + word + "@correio.example"}},
		"websites":        []object{{"kind": "blog", "value": "https://b-" + word + ".example/"}},
		"tags":            []string{"varejo"},
		"custom_metadata": object{"crm": object{"owner": "jonas"}},
	}
}

// wantUnchanged fails if the customer in data differs from the one before, except in the changed members, those derived
// from them, and updated_at.
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
		otherwise("custom_metadata differs in every plan. Write such values as strings, and omit null " +
			"and empty ones.").restsOn(51),
		claim(81, create, "custom_metadata is stored as it was sent: types, nesting, empty parts, null and unusual keys.",
			func(p *probe) {
				metadata := object{
					"text": "1", "number": 1, "yes": true, "yes as text": "true", "nothing": nil, "empty text": "",
					"empty object": object{}, "empty list": []any{},
					"nested":       object{"deep": object{"deeper": []any{object{"a": nil}, []any{1, "2", false}}}},
					"dotted.key/ç": "sul 🛠", "Case": 1, "case": 2,
				}
				path, a := p.customer(object{"custom_metadata": metadata})
				a.want("data.customer.custom_metadata", metadata)
				p.get(path).wantStatus(http.StatusOK).want("data.custom_metadata", metadata)
			}),
		claim(82, create, "Numbers in custom_metadata are stored exactly, even beyond 2^53.", func(p *probe) {
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
		}).restsOn(71, 83),
		otherwise("Keys of custom_metadata are lost, or differ in every plan. Without other writers, "+
			"set custom_metadata_mode = \"replace\".").restsOn(51, 71),
		claim(83, update, "merge adds keys and merges nested objects, at any depth.", func(p *probe) {
			checkMode(p, "merge",
				object{"a": 1, "crm": object{"owner": "aline", "team": object{"name": "sul", "size": 3}}},
				object{"b": 2, "crm": object{"team": object{"size": 4, "lead": "rui"}}},
				object{"a": 1, "b": 2, "crm": object{"owner": "aline", "team": object{"name": "sul", "size": 4, "lead": "rui"}}})
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
		otherwise("Keys that were removed from custom_metadata remain. Set them to another value instead.").restsOn(51, 71),
		claim(88, update, "replace replaces the whole object and keeps null values.", func(p *probe) {
			stored := object{"a": 1, "crm": object{"owner": "aline", "team": "sul"}}
			sent := object{"crm": object{"owner": "jonas"}, "nothing": nil}
			checkMode(p, "replace", stored, sent, sent)
		}),
		claim(90, update, "An empty object with replace clears custom_metadata.", func(p *probe) {
			path, _ := p.customer(object{"custom_metadata": object{"a": 1}})
			p.patch(path, object{"custom_metadata": object{}, "custom_metadata_mode": "replace"}).
				wantStatus(http.StatusOK).wantEmpty("data.custom_metadata")
			p.get(path).wantEmpty("data.custom_metadata")
		}),
	}
}

// checkMode creates a customer with the stored metadata, updates it with the sent metadata in that mode ("" omits it),
// and compares the response and a read with the wanted result.
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
		otherwise("The error about an invalid value does not name the argument."),
		claim(101, invalid, "A customer without a name is rejected.", func(p *probe) {
			p.post(customersPath, object{"nickname": unique()}).wantInvalid("name")
			p.post(customersPath, object{"name": nil}).wantInvalid("name")
		}).restsOn(5),
		otherwise("An apply that fails may have changed the object. Check it before you apply again.").restsOn(51, 101),
		claim(106, invalid, "A rejected creation of a customer has no effect.", func(p *probe) {
			word := unique()
			p.post(customersPath, object{"name": word, "external_id": word, "kind": "company"}).wantInvalid("kind")
			p.get(customersPath, "external_id", word).wantStatus(http.StatusOK).want("meta.total", 0)
		}).restsOn(31, 36, 41),
		claim(109, change, "A rejected update changes nothing, not even the fields that were valid.", func(p *probe) {
			path, created := p.customer(allFields(unique()))
			p.patch(path, object{"notes": "depois", "kind": "company"}).wantInvalid("kind")
			p.get(path).wantStatus(http.StatusOK).wantUnchanged(created.at("data.customer"))
		}).restsOn(71),
		otherwise("An apply with a taken external_id does not say which object to import, or " +
			"creates a second one.").restsOn(51),
		claim(110, "Wire contract: customers.create"+taken,
			"A taken external_id is rejected with the id of the other customer.", func(p *probe) {
				word := unique()
				_, first := p.customer(object{"external_id": word})
				p.post(customersPath, object{"name": unique(), "external_id": word}).wantTaken(first.text("data.customer.id"))
			}).restsOn(5),
		claim(111, "Wire contract: customers.update"+taken, "This also applies to updates.", func(p *probe) {
			word := unique()
			_, first := p.customer(object{"external_id": word})
			path, _ := p.customer(nil)
			p.patch(path, object{"external_id": word}).wantTaken(first.text("data.customer.id"))
			p.get(path).want("data.external_id", nil)
		}).restsOn(71, 110),
		otherwise("An update with a lost response fails, although it was processed. Plan again."),
		claim(112, "Wire contract: customers.update"+taken, "A customer's own external_id does not count as taken.",
			func(p *probe) {
				word := unique()
				path, _ := p.customer(object{"external_id": word})
				p.patch(path, object{"external_id": word}).wantStatus(http.StatusOK).want("data.external_id", word)
			}).restsOn(51, 71),
	}
}

// wantInvalid fails unless the response is 422 validation_error with a reason for the field.
func (a *response) wantInvalid(field string) {
	a.wantStatus(http.StatusUnprocessableEntity).wantError("validation_error")
	fields, _ := a.at("error.details.fields").(map[string]any)
	if reason, ok := fields[field].(string); !ok || reason == "" {
		a.failf("error.details.fields is %s, want a reason for %s", show(a.at("error.details.fields")), field)
	}
}

// wantTaken fails unless the response is 422 external_id_taken with that customer's id.
func (a *response) wantTaken(id string) {
	a.wantStatus(http.StatusUnprocessableEntity).wantError("external_id_taken")
	a.want("error.details.field", "external_id").want("error.details.id", id)
}

func deleteClaims() []Claim {
	return []Claim{
		otherwise("A destroy fails or has no effect. deletion_policy = \"abandon\" removes it from state " +
			"only.").restsOn(51),
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
			}).restsOn(5),
		claim(123, "Wire contract: customers.list, customers.delete", "A deleted customer does not appear in any list.",
			func(p *probe) {
				word := unique()
				path, _ := p.customer(object{"name": word, "external_id": word})
				p.get(customersPath, "search", word).want("meta.total", 1)
				p.delete(path)
				p.get(customersPath, "search", word).want("meta.total", 0).want("data", []any{})
				p.get(customersPath, "external_id", word).want("meta.total", 0).want("data", []any{})
			}).restsOn(31, 36, 41),
		otherwise("Replacing an object without changing its external_id fails. Change the external_id, too."),
		claim(124, "Wire contract: customers.create (external_id of a deleted object)",
			"The external_id of a deleted customer can be used again.", func(p *probe) {
				word := unique()
				path, _ := p.customer(object{"external_id": word})
				p.delete(path)
				again, _ := p.customer(object{"external_id": word})
				if p.err == nil && again == path {
					p.failf("the new customer has the path of the deleted one, %s", path)
				}
			}).restsOn(51),
		otherwise("A billing account of a deleted customer causes an error in the plan. Remove it from the state."),
		claim(125, "Wire contract: customers.delete, billing_accounts.get",
			"The billing accounts of a deleted customer can still be read, with status closed.", func(p *probe) {
				path, a := p.customer(object{"create_billing_account": true})
				account := accountPath(a.text("data.billing_account.id"))
				p.get(account).wantStatus(http.StatusOK).want("data.status", "active")
				p.delete(path)
				p.get(account).wantStatus(http.StatusOK).want("data.status", "closed")
			}).restsOn(51),
	}
}

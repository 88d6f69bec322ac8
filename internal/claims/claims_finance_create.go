package claims

import "net/http"

func recordCreateClaims() []Claim {
	const source = "Financial management §2 Resources and their fields; wire contract: finance.records."
	return []Claim{
		financeClaim(751, source+"create",
			"A creation returns 201 {data: record}, which contains what was sent and an id that is a UUID of version 4.",
			checkRecordCreate),
		financeClaim(752, source+"get, finance.records.list", "A record is read and listed as its creation returned it.",
			checkRecordReads),
		financeClaim(753, source+"create",
			"An amount stays the text that was sent and large integers stay exact, in every response.", checkRecordExact),
	}
}

func idempotencyClaims() []Claim {
	const source = "Financial management §1 What the service does (idempotency); wire contract: finance.records.create"
	const again = "Wire contract: finance.records.create (same idempotency key again)"
	return []Claim{
		financeClaim(756, source,
			"The same creation with the same key returns the first response again and creates no second record.", checkReplay),
		financeClaim(757, again, "The same key returns the first response again, with any body.", checkReplayOtherBody),
		financeClaim(758, again,
			"The same key returns the first response again after the record was updated, and the update is kept.",
			checkReplayUpdated),
		financeClaim(759, again,
			"The same key returns the first response again after the record was deleted, and the record stays deleted.",
			checkReplayDeleted),
		financeClaim(760, source, "Creations with one key at the same time create one record, and all return it.",
			checkReplayAtOnce),
		financeClaim(761, source+" (a malformed key, assumed: rejected)",
			"A key that is not a UUID of version 4 returns 400 in the error shape and creates nothing.", checkMalformedKey),
		financeClaim(762, source, "Creations without a key create one record each.", checkWithoutKey),
		financeClaim(763, source,
			"Creations with different keys create one record each, also when their bodies are the same.", checkOtherKey),
	}
}

func checkRecordCreate(p *probe) {
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
}

func checkRecordReads(p *probe) {
	for _, s := range shelves() {
		path, created := s.put(p, nil)
		p.get(path).wantStatus(http.StatusOK).want("data", created.at("data"))
		p.walkOne(s, created)
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

func checkRecordExact(p *probe) {
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
}

// wantOne fails unless a collection of the claim's own holds that record alone.
func (p *probe) wantOne(collection string, created *response) {
	p.wantIDs("GET "+collection, p.walk(collection, 100, nil), created.text("data.id"))
}

func checkReplay(p *probe) {
	for _, s := range shelves() {
		key, body := newUUID(), object{"name": unique(), "company_id": s.company}
		first := p.create(s.path, key, body).wantStatus(http.StatusCreated)
		for range 2 {
			p.create(s.path, key, body).wantSame(first)
		}
		p.walkOne(s, first)
	}
}

func checkReplayOtherBody(p *probe) {
	collection, key := ownCollection(), newUUID()
	first := p.create(collection, key, object{"name": unique(), "amount": "10.00"}).wantStatus(http.StatusCreated)
	for _, body := range []object{{"name": unique(), "amount": "20.00"}, {}, {"amount": 20}} {
		p.create(collection, key, body).wantSame(first)
	}
	p.wantOne(collection, first)
}

func checkReplayUpdated(p *probe) {
	collection, key, body := ownCollection(), newUUID(), object{"name": unique(), "amount": "10.00"}
	first := p.create(collection, key, body).wantStatus(http.StatusCreated)
	path := recordPath(collection, first.text("data.id"))
	p.patch(path, object{"amount": "20.00"}).wantStatus(http.StatusOK)
	p.create(collection, key, body).wantSame(first)
	p.get(path).wantStatus(http.StatusOK).want("data.amount", "20.00")
	p.wantOne(collection, first)
}

func checkReplayDeleted(p *probe) {
	collection, key, body := ownCollection(), newUUID(), object{"name": unique(), "amount": "10.00"}
	first := p.create(collection, key, body).wantStatus(http.StatusCreated)
	path := recordPath(collection, first.text("data.id"))
	p.delete(path).wantStatus(http.StatusNoContent)
	p.create(collection, key, body).wantSame(first)
	p.get(path).wantStatus(http.StatusNotFound)
	p.wantIDs("GET "+collection+" after its record was deleted", p.walk(collection, 100, nil))
}

func checkReplayAtOnce(p *probe) {
	collection := ownCollection()
	responses := p.together(8, creation(collection, newUUID(), object{"name": unique()}))
	for _, a := range responses {
		a.wantStatus(http.StatusCreated).wantSame(responses[0])
	}
	p.wantOne(collection, responses[0])
}

func checkMalformedKey(p *probe) {
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
}

func checkWithoutKey(p *probe) {
	collection, body := ownCollection(), object{"name": unique()}
	var ids []string
	for range 2 {
		ids = append(ids, p.post(collection, body).wantStatus(http.StatusCreated).text("data.id"))
	}
	p.wantTwo(collection, ids)
}

func checkOtherKey(p *probe) {
	collection, body := ownCollection(), object{"name": unique()}
	var ids []string
	for range 2 {
		ids = append(ids, p.create(collection, newUUID(), body).wantStatus(http.StatusCreated).text("data.id"))
	}
	p.wantTwo(collection, ids)
}

// wantTwo fails unless two creations made two records.
func (p *probe) wantTwo(collection string, ids []string) {
	if ids[0] == ids[1] {
		p.failf("POST %s: the second creation gets the record of the first", collection)
	}
	p.wantIDs("GET "+collection, p.walk(collection, 100, nil), ids...)
}

package claims

import "net/http"

func recordUpdateClaims() []Claim {
	const source = "Wire contract: finance.records.update"
	return []Claim{
		financeClaim(771, source+" (merges at the top level)",
			"An update changes the keys that are sent, adds new ones and does not change the others.", checkRecordUpdate),
		financeClaim(772, source+" (a removed key is sent as null)", "A key that is sent as null is removed.",
			checkRecordRemoves),
		financeClaim(773, source+" (merges at the top level)", "A nested object or list is replaced as a whole.",
			checkRecordNested),
		financeClaim(774, source, "An update returns 200 {data: record}, the whole record as a read returns it.",
			checkRecordUpdateResponse),
	}
}

func recordDeleteClaims() []Claim {
	const source = "Wire contract: finance.records.delete"
	return []Claim{
		financeClaim(776, source,
			"A deletion returns 204 without a body; afterwards the record returns 404 and does not appear in any list.",
			checkRecordDelete),
		financeClaim(777, source, "A second deletion returns 404.", checkRecordDeletedAgain),
		financeClaim(778, "Wire contract: finance.records.get", "A record is not found under its id in another collection.",
			checkRecordElsewhere),
	}
}

func checkRecordUpdate(p *probe) {
	for _, s := range ledgers() {
		path, created := s.put(p, object{"amount": "10.00", "note": "as it was"})
		p.patch(path, object{"amount": "20.00", "status": "paid"}).wantStatus(http.StatusOK)
		a := p.get(path).wantStatus(http.StatusOK).want("data.amount", "20.00").want("data.status", "paid")
		for _, kept := range []string{"id", "name", "company_id", "note"} {
			a.want("data."+kept, created.at("data."+kept))
		}
	}
}

func checkRecordRemoves(p *probe) {
	path, _ := p.entry(ownCollection(), object{"note": "goes", "kept": "stays"})
	for _, a := range []*response{p.patch(path, object{"note": nil}).wantStatus(http.StatusOK),
		p.get(path).wantStatus(http.StatusOK)} {
		a.wantMissing("data.note").want("data.kept", "stays")
	}
	// What is not there can be removed as well.
	p.patch(path, object{"note": nil}).wantStatus(http.StatusOK).want("data.kept", "stays")
}

func checkRecordNested(p *probe) {
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
}

func checkRecordUpdateResponse(p *probe) {
	path, created := p.entry(ownCollection(), object{"note": "as it was"})
	name := unique()
	a := p.patch(path, object{"name": name}).wantStatus(http.StatusOK)
	a.want("data.id", created.at("data.id")).want("data.name", name).want("data.note", "as it was")
	p.get(path).wantStatus(http.StatusOK).want("data", a.at("data"))
}

func checkRecordDelete(p *probe) {
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
}

func checkRecordDeletedAgain(p *probe) {
	path, _ := p.entry(ownCollection(), nil)
	p.delete(path).wantStatus(http.StatusNoContent)
	p.delete(path).wantStatus(http.StatusNotFound).wantError("")
}

func checkRecordElsewhere(p *probe) {
	path, created := p.entry(payablesPath, nil)
	for _, collection := range []string{receivablesPath, ledgerAccountsPath, ownCollection()} {
		elsewhere := recordPath(collection, created.text("data.id"))
		for _, a := range []*response{p.get(elsewhere), p.patch(elsewhere, object{"name": unique()}), p.delete(elsewhere)} {
			a.wantStatus(http.StatusNotFound).wantError("")
		}
	}
	p.get(path).wantStatus(http.StatusOK).want("data.name", created.at("data.name"))
}

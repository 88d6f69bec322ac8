package claims

import (
	"net/http"
)

func financeClaims() []Claim {
	const wire, errors = "Financial management §1 What the service does", "Financial management §7 Errors"
	return []Claim{
		financeClaim(701, wire, "Every response carries its own Request-Id.", checkFinanceRequestID),
		financeClaim(702, wire, "Every response with a body is JSON and declares it in Content-Type.",
			checkFinanceContentType),
		financeClaim(703, wire, "The connection uses TLS 1.2 or 1.3 with one of the documented ciphers.", checkFinanceTLS),
		financeClaim(704, errors+"; wire contract: finance.records.get (error body as in recurring billing)",
			"An unknown id returns 404 in the error shape, in every collection.", checkUnknownRecords),
		financeClaim(705, errors+"; wire contract: finance.records.create",
			"A body that is broken JSON returns 400 in the error shape.", checkBrokenRecords),
		financeClaim(706, errors+"; wire contract: finance.records.create",
			"A body that is not an object is rejected and creates nothing.", checkNoObject),
	}
}

func financeValidatorClaims() []Claim {
	const wire = "Financial management §1 What the service does"
	return []Claim{
		financeClaim(707, wire+"; wire contract: finance.records.get",
			"A record is returned with ETag or Last-Modified, and with 304 and an empty body when they are sent back.",
			checkRecordNotModified),
		financeClaim(708, wire+"; wire contract: finance.records.list",
			"A list is returned with ETag or Last-Modified, and with 304 and an empty body when they are sent back.",
			checkListNotModified),
		financeClaim(709, wire+"; wire contract: finance.records.get, finance.records.list",
			"The same condition returns 200 and the current content after a record has changed.", checkFinanceModified),
	}
}

func checkFinanceRequestID(p *probe) {
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
}

func checkFinanceContentType(p *probe) {
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
}

func checkFinanceTLS(p *probe) { wantTLS(p.get(ledgerAccountsPath)) }

func checkUnknownRecords(p *probe) {
	for _, collection := range []string{ledgerAccountsPath, payablesPath, receivablesPath, ownCollection()} {
		path := recordPath(collection, nobody)
		for _, a := range []*response{p.get(path), p.patch(path, object{"name": unique()}), p.delete(path)} {
			a.wantStatus(http.StatusNotFound).wantError("")
		}
	}
}

func checkBrokenRecords(p *probe) {
	path, created := p.entry(payablesPath, nil)
	for _, raw := range []string{`{"name":`, `not json`} {
		for _, c := range []call{{method: http.MethodPost, path: payablesPath}, {method: http.MethodPatch, path: path}} {
			c.raw = raw
			p.send(c).wantStatus(http.StatusBadRequest).wantError("")
		}
	}
	p.get(path).wantStatus(http.StatusOK).want("data.name", created.at("data.name"))
}

func checkNoObject(p *probe) {
	collection := ownCollection()
	for _, raw := range []string{`["not an object"]`, `"text"`, `null`, `7`} {
		wantRefusal(p.send(call{method: http.MethodPost, path: collection, raw: raw}))
	}
	p.wantIDs("after creations that were rejected, "+collection, p.walk(collection, 100, nil))
}

func checkRecordNotModified(p *probe) {
	path, _ := p.entry(payablesPath, nil)
	p.wantNotModified(path)
}

func checkListNotModified(p *probe) {
	s := ledgers()[0]
	s.fill(p, 1)
	p.wantNotModified(s.path, "company_id", s.company)
}

func checkFinanceModified(p *probe) {
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
}

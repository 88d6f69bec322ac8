package claims

import "net/http"

func recordRefusalClaims() []Claim {
	const types, create = "Financial management §2 Resources and their fields, §7 Errors; ",
		"wire contract: finance.records.create"
	return []Claim{
		financeClaim(781, types+create,
			"An amount that is not a decimal string with 2 places, or that is negative, returns 422 with the field named.",
			checkAmount),
		financeClaim(782, types+create, "A company_id that is not a UUID returns 422 with the field named.", checkCompanyID),
		financeClaim(783, types+create,
			"An occurred_at that is neither a date nor a date-time with a zone returns 422 with the field named.",
			checkOccurredAt),
		financeClaim(784, types+create, "A type that is neither debit nor credit returns 422 with the field named.",
			checkType),
		financeClaim(785, types+create, "A creation that is rejected creates nothing.", checkRefusedMakesNothing),
		financeClaim(786, types+"wire contract: finance.records.update",
			"An update follows the same rules, and an update that is rejected changes nothing.", checkRefusedRecordUpdate),
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

func checkAmount(p *probe) {
	p.wantRefusedValues("amount", []any{"0.10", "4200.00"}, 10.5, 10, "10.5", "10", "10.500", "10,50", "-10.50", "+10.50",
		"ten", "1e2.00", " 10.50", "", ".50", true)
}

func checkCompanyID(p *probe) {
	p.wantRefusedValues("company_id", []any{newUUID()}, "ipe", 7, "6f1c0a526f2a4b7e9f560d4f0b9a7c1", "")
}

func checkOccurredAt(p *probe) {
	right := []any{"2026-03-01", "2024-02-29", "2026-03-01T12:30:00.250Z"}
	p.wantRefusedValues("occurred_at", right, "03/01/2026", "2026-02-30", "2026-13-01", "2026-03-01T12:30:00",
		"yesterday", 1772323200, "")
}

func checkType(p *probe) {
	p.wantRefusedValues("type", []any{"debit", "credit"}, "income", "Debit", 1, "")
}

func checkRefusedMakesNothing(p *probe) {
	for _, s := range ledgers()[:2] {
		for field, value := range map[string]any{"amount": 10.5, "occurred_at": "yesterday", "type": "income"} {
			p.create(s.path, newUUID(), object{"name": unique(), "company_id": s.company, field: value}).wantBlamed(field)
		}
		p.wantIDs("after creations that were rejected, "+s.path, s.walk(p, 100, nil))
	}
}

func checkRefusedRecordUpdate(p *probe) {
	for _, collection := range []string{payablesPath, receivablesPath} {
		path, created := p.entry(collection, object{"amount": "10.00"})
		for field, value := range map[string]any{"amount": "10.5", "company_id": "ipe", "occurred_at": "yesterday",
			"type": "income"} {
			p.patch(path, object{"name": unique(), field: value}).wantBlamed(field)
		}
		p.get(path).wantStatus(http.StatusOK).want("data.name", created.at("data.name")).want("data.amount", "10.00")
	}
}

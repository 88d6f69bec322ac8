package claims

import "net/http"

func accessClaims() []Claim {
	return []Claim{
		claim(21, "Recurring billing §5 Authentication",
			"A missing token returns 401 in one of the two documented shapes.", checkNoToken),
		claim(22, "Recurring billing §5 Authentication", "A malformed Authorization header returns 401.",
			checkMalformedToken),
		claim(23, "Recurring billing §5 Authentication", "An unknown token returns 401.", checkUnknownToken),
		claim(24, "Recurring billing §5 Authentication", "A revoked token returns 401.", checkRevokedToken),
		claim(25, "Recurring billing §5 Authentication", "An expired token returns 401.", checkExpiredToken),
		claim(26, "Recurring billing §5 Authentication, §7 Errors",
			"A scope that is too narrow returns 403 insufficient_scope and {required, granted}.", checkNarrowToken),
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

func checkNoToken(p *probe) {
	wantUnauthorized(p.send(call{method: http.MethodGet, path: mePath, anonymous: true}))
	wantUnauthorized(p.send(call{method: http.MethodGet, path: customersPath, anonymous: true}))
}

func checkMalformedToken(p *probe) {
	for _, value := range []string{"Bearer", "Basic dXNlcjpwYXNz", p.target.Token} {
		wantUnauthorized(p.send(call{
			method: http.MethodGet, path: mePath, anonymous: true,
			header: http.Header{"Authorization": {value}},
		}))
	}
}

func checkUnknownToken(p *probe) {
	wantUnauthorized(p.send(call{method: http.MethodGet, path: mePath, token: unique()}))
}

func checkRevokedToken(p *probe) { checkDeadToken(p, "a revoked token", p.target.RevokedToken) }

func checkExpiredToken(p *probe) { checkDeadToken(p, "an expired token", p.target.ExpiredToken) }

func checkDeadToken(p *probe, kind, token string) {
	if token == "" {
		p.failf("%w: %s", ErrNotGiven, kind)
		return
	}
	wantUnauthorized(p.send(call{method: http.MethodGet, path: mePath, token: token}))
}

func checkNarrowToken(p *probe) {
	if p.target.NarrowToken == "" {
		p.failf("%w: a token that may not create customers", ErrNotGiven)
		return
	}
	a := p.send(call{method: http.MethodPost, path: customersPath, body: object{"name": unique()},
		token: p.target.NarrowToken})
	a.wantStatus(http.StatusForbidden).wantError("insufficient_scope")
	a.wantPresent("error.details", "required", "granted")
}

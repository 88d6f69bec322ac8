package claims

import "net/http"

func addressClaims() []Claim {
	const source = "Collections §2 Webhook endpoint (url), §5 Protection on the sender side, §7 Errors; wire contract: " +
		"webhook_endpoints.create "
	refused := func(number int, source, text string, hosts ...string) Claim {
		return collectionsClaim(number, source, text, func(p *probe) { checkRefused(p, hosts) })
	}
	return []Claim{
		collectionsClaim(521, source+"(https only)",
			"A url that does not start with https:// returns 422 INVALID_WEBHOOK_URL.", checkOnlyHTTPS),
		collectionsClaim(522, source+"(internal networks)",
			"This machine is rejected as a receiver: localhost, loopback and unspecified addresses.", checkLoopback),
		refused(523, source+"(internal networks)", "Private IPv4 addresses are rejected, at both ends of each range.",
			"10.0.0.0", "10.255.255.255", "172.16.0.1", "172.31.255.254", "192.168.0.1", "192.168.255.254"),
		refused(524, source+"(internal networks)", "Link-local addresses are rejected, IPv4 and IPv6.",
			"169.254.0.1", "169.254.169.254", "[fe80::1]", "[febf::1]"),
		refused(525, source+"(internal networks)", "Unique-local IPv6 addresses are rejected.", "[fc00::1]",
			"[fd12:3456:789a::1]", "[fdff::1]"),
		refused(526, source+"(internal networks)", "Addresses behind a carrier's NAT, 100.64.0.0/10, are rejected.",
			"100.64.0.1", "100.127.255.254"),
		refused(527, source+"(internal networks)", "IPv4-mapped IPv6 addresses are treated as the IPv4 address.",
			"[::ffff:10.0.0.1]", "[::ffff:192.168.1.1]", "[::ffff:a9fe:a9fe]", "[::ffff:100.64.0.1]"),
		refused(528, source+"(internal networks)", "Names that end in .local or .internal are rejected, in capitals too.",
			"printer.local", "billing.internal", "metadata.google.internal", "ERP.INTERNAL"),
		collectionsClaim(529, source+"(internal networks)", "Addresses directly next to the internal ranges are accepted.",
			checkPublicNeighbours),
		collectionsClaim(530,
			"Collections §5 Protection on the sender side, §7 Errors; wire contract: webhook_endpoints.update",
			"An update to such a url is rejected in the same way and changes nothing.", checkUpdateRefused),
	}
}

// wantInvalidURL fails unless the response has the documented code, with the status of the wire contract.
func (a *response) wantInvalidURL() {
	a.wantStatus(http.StatusUnprocessableEntity).wantError("INVALID_WEBHOOK_URL")
}

// register sends an endpoint that would get nothing.
func (p *probe) register(url string) *response {
	return p.post(endpointsPath, object{"url": url, "active": false, "events": []string{"charge.paid"}})
}

func checkRefused(p *probe, hosts []string) {
	for _, host := range hosts {
		for _, url := range []string{"https://" + host + "/in", "https://" + host + ":8443"} {
			a := p.register(url)
			a.what += " of " + url
			a.wantInvalidURL()
		}
	}
}

func checkOnlyHTTPS(p *probe) {
	for _, url := range []string{"http://example.com/in", "ftp://example.com/in", "wss://example.com/in", "example.com/in",
		"//example.com/in"} {
		a := p.register(url)
		a.what += " of " + url
		a.wantInvalidURL()
	}
}

func checkLoopback(p *probe) {
	if p.target.LoopbackAllowed {
		p.failf("%w: a service that rejects loopback as described", ErrNotGiven)
		return
	}
	checkRefused(p, []string{"localhost", "LOCALHOST", "127.0.0.1", "127.255.255.254", "[::1]", "[::ffff:127.0.0.1]",
		"0.0.0.0", "[::]"})
}

func checkPublicNeighbours(p *probe) {
	for _, host := range []string{
		"9.255.255.255", "11.0.0.0", "172.15.255.255", "172.32.0.0", "192.167.255.255", "192.169.0.0", "169.253.255.255",
		"169.255.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255", "128.0.0.0", "[2001:4860:4860::8888]",
		"[::ffff:8.8.8.8]",
	} {
		a := p.register("https://" + host + "/in")
		a.what += " of " + host
		a.wantStatus(http.StatusCreated)
	}
}

func checkUpdateRefused(p *probe) {
	path, created := p.endpoint(nil)
	for _, url := range []string{"http://example.com/in", "https://10.1.2.3/in", "https://billing.internal/in"} {
		p.patch(path, object{"url": url, "description": "changed"}).wantInvalidURL()
	}
	p.get(path).wantStatus(http.StatusOK).want("data.url", created.at("data.url")).wantUnset("data.description")
}

package server

import (
	"net/http"
	"net/url"
	"slices"

	"github.com/recurring-billing/terraform-provider-billing/internal/bend"
	"github.com/recurring-billing/terraform-provider-billing/internal/evidence"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/store"
)

// Bend replaces the rules of the last call: what the services do otherwise, besides the options.
func (s *Server) Bend(rules ...bend.Rule) {
	all := slices.Concat(s.options.Bend, rules)
	s.bends.Store(&all)
}

func (s *Server) rules() []bend.Rule {
	if all := s.bends.Load(); all != nil {
		return *all
	}
	return s.options.Bend
}

// ask applies the rules for requests, and returns the exchange; nil without rules.
func (s *Server) ask(site Site, r *http.Request, route Route, c *Call) *bend.Exchange {
	rules := s.rules()
	if len(rules) == 0 {
		return nil
	}
	r.Header = r.Header.Clone()
	x := &bend.Exchange{Operation: route.Name, Path: r.URL.Path, Client: c.Client, Query: r.URL.Query(), Header: r.Header,
		Records: site.Records, FreeTexts: evidence.FreeTexts}
	x.Sent, _ = Decode(c.Body) // no JSON: the operation rejects it
	bend.Apply(rules, bend.Request, x)
	if x.Sent != nil {
		if body, err := Encode(x.Sent); err == nil {
			c.Body = body
		}
	}
	x.Again = func(query url.Values) any {
		again := *c
		again.Query = query
		result, err := s.run(site, route, &again)
		if err != nil {
			return nil
		}
		return decoded(result.Body)
	}
	x.PriceOf = func(id string) any {
		return store.Read(s.DB, func(tx *store.Tx) any { return site.PriceOf(tx, id) })
	}
	return x
}

// decoded is a value as JSON has it.
func decoded(v any) any {
	document, err := Encode(v)
	if err != nil {
		return nil
	}
	value, _ := Decode(document) // of Encode
	return value
}

// bent applies the rules for responses.
func (s *Server) bent(x *bend.Exchange, a response) response {
	rules := s.rules()
	if x == nil || len(rules) == 0 || a.header.Get("Content-Type") != "application/json" && a.body != nil || a.text {
		return a
	}
	x.Status, x.Header = a.status, a.header
	x.Got, _ = Decode(a.body) // empty: nil
	bend.Apply(rules, bend.Response, x)
	a.status = x.Status
	if a.body = nil; x.Got == nil {
		a.header.Del("Content-Type")
	} else if body, err := Encode(x.Got); err == nil {
		a.body = body
	}
	return a
}

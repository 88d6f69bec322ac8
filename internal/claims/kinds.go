package claims

import (
	"net/http"
	"strings"

	"github.com/google/uuid"
)

// kind is one kind of the services' objects, as the descriptions define it: all that the laws know of it. To add a
// kind, copy one that is similar.
type kind struct {
	name, names string // "billing account" and "billing accounts"
	plural      string // the prefix of its operations, such as "billing_accounts"
	service     Service
	path        string
	section     string // of the description, such as "§2 Customer"
	inner       string // the member of data that is the object in the response to its creation
	members     string // of every object, each with its form, see [response.wantForm]; documented ones only
	embedded    string // those of the customer inside a billing account
	secret      string // the member that only the response to the creation contains
	blank       []string
	always      []string // expectations, see [response.expect]; some follow a condition and a colon

	// needs is what a creation must contain, next to what is given.
	needs       func(p *probe, given object) object
	full, other func(word string) object // every other argument, and other values for an update
	costly      object                   // values for an update that change what is charged
	enums       map[string][]any         // the arguments with a choice of values
	clears      []string                 // arguments that null clears,
	costlyNulls []string                 // and those by which it changes what is charged
	lists       []string                 // that null and [] clear
	follows     map[string]string        // members that change with another one
	wrong       object                   // arguments with an invalid value
	metadata    bool

	unique  string   // the argument of which no two objects have the same value
	frees   []string // states in which it can be used again
	dated   bool     // the filter updated_at_gte
	steps   map[string]object
	deletes bool
	filters []filter
	sorts   []string
	ordered bool // always by createdAt
	cursors bool
	removes bool // null removes a member

	// own puts objects into a list of their own: by these arguments, which this query lists.
	own func(p *probe) (fields object, query []string)
	// create replaces the usual creation.
	create func(p *probe, s *scope, fields object) *response
	effect Effect // of a creation
}

// filter is a query parameter of a list, and the member that it compares.
type filter struct {
	query, member string
	none          func() string // a value that no object of a law has
	within        bool          // others have the same value: it is combined with the query of the law's own objects
}

func noID() string { return nobody }

const (
	ownTimes   = "created_at time, updated_at time"
	ofMetadata = "metadata object?, custom_metadata object?"
	ofPerson   = "nickname text?, legal_name text?, document_type cpf|cnpj?, document_number text?, birthday date?, " +
		"notes text?"
	ofContact   = "addresses list?, phones list?, emails list?, websites list?, tags list?"
	ofConsumers = "authentication object, createdAt time, updatedAt time"
)

var customers = &kind{
	name: "customer", names: "customers", plural: "customers", service: Billing, path: customersPath,
	section: "§2 Customer", inner: "customer",
	members: "id uuid, public_id uuid, external_id text?, name text, kind natural|juridical?, " + ofPerson + ", " +
		ofContact + ", " + ofMetadata + ", " + ownTimes,
	blank: []string{"external_id", "nickname", "legal_name", "document_number", "kind", "birthday", "notes", "addresses",
		"phones", "emails", "websites", "tags", "custom_metadata"},
	needs:   func(*probe, object) object { return object{"name": unique(), "create_billing_account": false} },
	full:    allFields,
	other:   otherFields,
	clears:  []string{"external_id", "nickname", "legal_name", "document_number", "kind", "birthday", "notes"},
	lists:   []string{"addresses", "phones", "emails", "websites", "tags"},
	follows: map[string]string{"document_number": "document_type"},
	wrong:   object{"kind": "company"}, metadata: true,
	unique: "external_id", frees: []string{"deleted"}, dated: true, deletes: true,
	filters: []filter{{query: "external_id", member: "external_id", none: unique},
		{query: "document_number", member: "document_number", none: cpf}},
	sorts: []string{"name", "external_id", "id", "created_at"},
	own: func(*probe) (object, []string) {
		word := unique()
		return object{"name": "casa " + word}, []string{"search", word}
	},
}

var billingAccounts = &kind{
	name: "billing account", names: "billing accounts", plural: "billing_accounts", service: Billing, path: accountsPath,
	section: "§2 Billing account",
	members: "id uuid, public_id uuid, external_id text?, currency currency, billing_email text?, " +
		"payment_terms_days number, auto_collection bool, balance_cents number, status active|suspended|closed, suspended_at time?, " +
		"suspension_reason text?, tax_exempt bool, tax_exemption_certificate text?, " +
		"customer_tax_type individual|business|exempt?, customer object, " + ofMetadata + ", " + ownTimes,
	embedded: "id uuid, name text, external_id text?, kind individual|company?, " + ofPerson + ", " + ofContact +
		", custom_metadata object?, " + ownTimes,
	blank:  []string{"external_id", "suspended_at", "suspension_reason", "custom_metadata"},
	always: []string{"status=suspended: suspended_at~time"},
	needs:  func(*probe, object) object { return object{"customer": object{"name": unique()}} },
	full:   accountFields,
	other: func(word string) object {
		return object{"external_id": word + "-b", "billing_email": "b-" + word + "@correio.example",
			"payment_terms_days": 90, "auto_collection": true, "custom_metadata": object{"cost_center": object{"code": "sp-002"}}}
	},
	clears: []string{"external_id"}, wrong: object{"payment_terms_days": 91}, metadata: true,
	unique: "external_id", frees: []string{"deleted", "closed"}, dated: true, deletes: true,
	steps: map[string]object{"suspend": {"reason": "nobody"}, "reactivate": {"reason": "nobody"},
		"close": {"reason": "nobody"}},
	filters: []filter{{query: "external_id", member: "external_id", none: unique},
		{query: "customer_id", member: "customer.id", none: noID},
		{query: "status", member: "status", none: func() string { return "closed" }, within: true}},
	sorts: []string{"external_id", "id"},
	own: func(p *probe) (object, []string) {
		_, a := p.customer(allFields(unique()))
		id := a.text("data.customer.id")
		return object{"customer": object{"id": id}}, []string{"customer_id", id}
	},
}

var subscriptions = &kind{
	name: "subscription", names: "subscriptions", plural: "subscriptions", service: Billing, path: subscriptionsPath,
	section: "§2 Subscription",
	members: "id uuid, public_id uuid, external_id text?, billing_account_id uuid, company_id uuid?, plan_id uuid?, " +
		"product_group_id uuid?, status draft|confirmed|trialing|active|past_due|canceled|paused|suspended, " +
		"billing_cycle monthly|quarterly|semiannual|annual, current_period_start time, current_period_end time, " +
		"cycle_billing_date time, trial_start time?, trial_end time?, activated_at time?, confirmed_at time?, " +
		"cancel_at_period_end bool, canceled_at time?, cancellation_reason text?, discount_code_id uuid?, " +
		"discount_percent text?, recurring_amount_cents number?, proration_behavior create_prorations|none|always_invoice, " +
		"collection_method charge_automatically|manual_charge|manual_invoice?, nfe_issuance_policy " +
		"disabled|on_finalization|on_full_payment|per_installment?, allow_pause bool, allow_cancel bool, proposal_id uuid?, " +
		"notes text?, metadata object, custom_metadata object?, " + ownTimes,
	blank: []string{"external_id", "trial_start", "trial_end", "canceled_at", "cancellation_reason", "discount_percent",
		"notes"},
	always: []string{"status=canceled: canceled_at~time", "status=trialing: trial_end~time"},
	needs: func(p *probe, given object) object { // not charged automatically, so that a law causes no costs
		account, is := given["billing_account_id"]
		if !is {
			account, _ = p.payer()
		}
		return object{"plan_id": p.plan(0), "billing_cycle": "monthly", "collection_method": "manual_charge",
			"billing_account_id": account}
	},
	full: func(word string) object {
		return object{"external_id": word, "billing_cycle": "quarterly", "collection_method": "manual_invoice",
			"proration_behavior": "none", "nfe_issuance_policy": "on_full_payment", "notes": "contrato 87, segunda via 🛠",
			"custom_metadata": object{"contract": object{"number": 87, "signed": true}, "reviewed_by": nil}}
	},
	other: func(word string) object {
		return object{"external_id": word + "-b", "nfe_issuance_policy": "per_installment", "allow_pause": false,
			"allow_cancel": false, "notes": "reajuste", "custom_metadata": object{"contract": object{"number": 88}}}
	},
	costly: object{"billing_cycle": "annual", "collection_method": "manual_charge", "proration_behavior": "always_invoice",
		"discount_percent": 10},
	enums: map[string][]any{
		"billing_cycle":       {"monthly", "quarterly", "semiannual", "annual"},
		"collection_method":   {"charge_automatically", "manual_charge", "manual_invoice", nil},
		"proration_behavior":  {"create_prorations", "none", "always_invoice"},
		"nfe_issuance_policy": {"disabled", "on_finalization", "on_full_payment", "per_installment"},
	},
	clears:      []string{"external_id", "nfe_issuance_policy", "notes"},
	costlyNulls: []string{"collection_method", "discount_code_id", "discount_percent"},
	follows:     map[string]string{"billing_cycle": "current_period_end", "discount_percent": "recurring_amount_cents"},
	wrong:       object{"billing_cycle": "weekly"}, metadata: true,
	unique: "external_id", frees: []string{"canceled"}, dated: true,
	steps: map[string]object{"pause": {}, "resume": {}, "cancel": {}, "change-plan": {"plan_id": nobody}, "invoices": {},
		"items": {"items": []object{{"product_id": nobody, "price_id": nobody}}}},
	filters: []filter{{query: "external_id", member: "external_id", none: unique},
		{query: "billing_account_id", member: "billing_account_id", none: noID},
		{query: "status", member: "status", none: func() string { return "paused" }, within: true},
		{query: "plan_id", member: "plan_id", none: noID, within: true}},
	sorts: []string{"external_id", "id"},
	own: func(p *probe) (object, []string) {
		account, _ := p.payer()
		return object{"billing_account_id": account}, []string{"billing_account_id", account}
	},
}

var invoices = &kind{
	name: "invoice", names: "invoices", plural: "invoices", service: Billing, path: invoicesPath,
	section: "§4 Collections", members: "id text",
	filters: []filter{{query: "subscription_id", none: noID}, {query: "billing_account_id", none: noID}},
	sorts:   []string{"id"},
	own: func(p *probe) (object, []string) {
		path, a := p.subscription(object{"collection_method": "manual_invoice"})
		return object{"path": path, "billing_account_id": a.text("data.billing_account_id")},
			[]string{"subscription_id", a.text("data.id")}
	},
	create: func(p *probe, s *scope, _ object) *response {
		path, _ := s.fields["path"].(string)
		return p.post(path+"/invoices", object{})
	},
	effect: Effect{Leaves: "invoices", Costs: "creates invoices"},
}

var endpoints = &kind{
	name: "webhook endpoint", names: "webhook endpoints", plural: "webhook_endpoints",
	service: Collections, path: endpointsPath, section: "§2 Webhook endpoint", secret: "secret",
	members: "id anyuuid, url text, description text?, events list, active bool, " + ofConsumers,
	blank:   []string{"description"},
	always: []string{"!authentication.password", "!authentication.token", "!authentication.value",
		"authentication.type=basic: authentication.username~text", "authentication.type=header: authentication.name~text"},
	needs: func(*probe, object) object { return object{"url": publicURL(), "events": []string{"charge.paid"}} },
	full: func(string) object {
		return object{"url": publicURL(), "description": "sul, 50%", "active": false, "events": []string{"api_key.revoked"},
			"authentication": object{"type": "none"}}
	},
	other: func(string) object {
		return object{"url": publicURL(), "description": "vendas", "active": true, "events": []string{"charge.paid"}}
	},
	clears: []string{"description"}, wrong: object{"active": "no"},
	steps:   map[string]object{"test": nil, "rotate-secret": nil},
	deletes: true, ordered: true,
}

var apiKeys = &kind{
	name: "API key", names: "API keys", plural: "api_keys", service: Collections, path: keysPath,
	section: "§2 API key", secret: "token",
	members: "id anyuuid, name text, description text?, keyPrefix text, source text, scopes list, lastUsedAt time?, " +
		"expiresAt time?, revokedAt time?, createdAt time",
	blank: []string{"description", "expiresAt", "lastUsedAt", "revokedAt", "scopes"},
	needs: func(*probe, object) object { return object{"name": unique()} },
	full: func(word string) object {
		return object{"name": "entrega " + word, "description": "vendas", "scopes": []string{"charges:read"},
			"expiresAt": "2099-05-06T00:00:00.000Z"}
	},
	wrong: object{"scopes": "all"}, steps: map[string]object{"rotate": {}}, ordered: true,
	effect: Effect{Leaves: "revoked API keys"},
}

var deliveries = &kind{
	name: "delivery", names: "deliveries", plural: "webhook_deliveries", service: Collections,
	path: endpointsPath, section: "§2 Delivery record",
	members: "id anyuuid, event text, eventId anyuuid, status text, httpCode number?, attempts number, createdAt time, " +
		"lastError text?, requestBody any, responseBody any, deliveredAt time?, nextRetryAt time?",
	always: []string{"status=success: deliveredAt~time", "status=success: nextRetryAt=", "status=success: lastError=",
		"status=failed: nextRetryAt~time", "status=failed: deliveredAt=", "status=failed: lastError~text",
		"status=exhausted: deliveredAt=", "status=exhausted: nextRetryAt="},
	filters: []filter{{query: "status", member: "status", none: func() string { return "failed" }, within: true},
		{query: "event", member: "event", none: func() string { return "charge.paid" }, within: true}},
	ordered: true,
	create: func(p *probe, s *scope, _ object) *response {
		endpoint := strings.TrimSuffix(s.path, "/deliveries")
		id := p.do(endpoint + "/test").wantStatus(http.StatusAccepted).text("data.deliveryId")
		return p.record(endpoint, id, "success")
	},
}

// records are those of financial management. A law looks at each documented collection, and at one of its own.
var records = &kind{
	name: "record", names: "records", plural: "finance.records", service: Finance, path: payablesPath,
	section: "§2 Resources and their fields",
	members: "id uuid, name text",
	needs:   func(*probe, object) object { return object{"name": unique()} },
	full: func(word string) object {
		return object{"name": "conta " + word, "occurred_at": "2026-03-01", "amount": "99999999999999.90", "type": "debit",
			"entries": number("9007199254740993"), "debt": number("-9223372036854775807"), "note": "as it was",
			"lines":  []object{{"account": "1.01", "amount": "10.10"}, {"account": "2.07", "serial": number("9007199254740995")}},
			"origin": object{"system": "erp", "batch": object{"number": 12, "tags": []string{"mensal", "revisar"}}}}
	},
	other: func(word string) object {
		return object{"name": "outra " + word, "amount": "20.00", "status": "paid", "lines": []object{{"amount": "3.00"}},
			"origin": object{"user": "ana"}}
	},
	clears: []string{"note", "origin"}, removes: true,
	wrong:   object{"amount": 10.5, "occurred_at": "yesterday", "type": "income"},
	deletes: true, cursors: true,
	filters: []filter{{query: "company_id", member: "company_id", none: uuid.NewString}},
	own: func(*probe) (object, []string) {
		company := uuid.NewString()
		return object{"company_id": company}, []string{"company_id", company}
	},
}

// kinds are all of them.
var kinds = []*kind{customers, billingAccounts, subscriptions, invoices, records, endpoints, apiKeys, deliveries}

// scope is where a law works: on a list of its own objects, or when it only reads, on all that exist.
type scope struct {
	k      *kind
	p      *probe
	path   string
	fields object
	query  []string
}

// scopes returns one scope for each list of the kind.
func (p *probe) scopes(k *kind, idle bool) (all []*scope) {
	paths := []string{k.path}
	if k == records {
		paths = []string{ledgerAccountsPath, payablesPath, receivablesPath, ownCollection()}
	}
	for _, path := range paths {
		s := &scope{k: k, p: p, path: path}
		switch {
		case k == deliveries && p.target.ReadOnly:
			s.path = p.delivered()
		case k == deliveries:
			endpoint, _ := p.hook(p.hears(), nil)
			s.path = endpoint + "/deliveries"
		case k.own != nil && !p.target.ReadOnly && !idle:
			s.fields, s.query = k.own(p)
		}
		if s.path != "" {
			all = append(all, s)
		}
	}
	return all
}

// own reports whether the scope has a list with nothing but what the law creates in it.
func (s *scope) own() bool { return s.query != nil && s.k.create == nil }

// made is an object in a response, and its path.
type made struct {
	*response // whose data is the object

	from *response // the response as it was
	path string
}

func (m made) id() string { return m.text("data.id") }

// post sends a creation.
func (s *scope) post(fields object) *response {
	given := merged(s.fields, fields)
	body := merged(s.k.needs(s.p, given), given)
	if s.k.service == Finance {
		return s.p.create(s.path, uuid.NewString(), body)
	}
	return s.p.post(s.path, body)
}

// create creates an object.
func (s *scope) create(fields object) made {
	var a *response
	if s.k.create != nil {
		a = s.k.create(s.p, s, fields)
	} else {
		a = s.post(fields).wantStatus(http.StatusCreated)
	}
	one := *a
	if s.k.inner != "" {
		one.body, one.what = object{"data": a.at("data." + s.k.inner)}, a.what
	}
	return made{&one, a, s.path + "/" + one.text("data.id")}
}

// existing returns objects of the first page, for laws that only read; n of them, or fewer.
func (s *scope) existing(n int, fits func(*response) bool, query ...string) (all []made) {
	for _, item := range s.p.get(s.path, query...).wantStatus(http.StatusOK).list("data") {
		if one := s.p.listedResponse(s.path, item); fits == nil || fits(one) {
			all = append(all, made{one, one, s.path + "/" + text(item, "id")})
		}
	}
	return all[:min(n, len(all))]
}

// list reads the first page of the law's own objects.
func (s *scope) list(query ...string) *response {
	return s.p.get(s.path, append(query, s.query...)...).wantStatus(http.StatusOK)
}

// all reads all pages of them.
func (s *scope) all(query ...string) []any {
	if s.k.cursors {
		return s.p.walked(s.path, 2, nil, append(query, s.query...)...)
	}
	return s.p.listed(s.path, append(query, s.query...)...)
}

// find returns the object with that id in the list; nil if it is not there. More than one is a failure.
func (s *scope) find(id string, query ...string) (found *response) {
	for _, item := range s.all(query...) {
		if text(item, "id") != id {
			continue
		}
		if found != nil {
			s.p.failf("GET %s contains %s twice", s.path, id)
		}
		found = s.p.listedResponse(s.path, item)
	}
	return found
}

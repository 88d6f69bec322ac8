package page

import (
	"cmp"
	"fmt"
	"html/template"
	"iter"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/billing"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/collections"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/collections/delivery"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/finance"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/server"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/store"
)

// Maximum number of items of each kind on a page.
const (
	shownObjects    = 50
	shownRuns       = 20
	shownOfRun      = 20 // unless the address names the run
	shownSteps      = 200
	shownDeliveries = 10 // of an endpoint, in its history
)

// viewer reads the data of the page, of all organizations, at one point in time.
type viewer struct {
	*Page
	tx       *store.Tx
	now      time.Time
	query    url.Values // of the address
	address  string
	filter   filter
	words    []string         // of the filter, in lower case
	requests []server.Request // the whole log, oldest first

	organizations []server.Organization // oldest first

	trail    map[string][]server.AuditEntry // by id of the object, see audited
	logged   map[string]bool                // Request-Ids
	ids      []string                       // sorted, see short
	invoices map[string][]billing.Invoice   // by id of the subscription, see invoicesOf
}

// list contains one page of the items of a section, and the total count.
type list[T any] struct {
	Shown []T
	Total int
	Pages pages
}

// pages is the position of a page in its section, with the addresses of the pages next to it.
type pages struct {
	From, To, Total int
	Previous, Next  string
}

// pageOf returns the page that the address asks for. The parameter is the section's name.
func pageOf[T any](v *viewer, section, parameter string, all []T, size int) list[T] {
	number, _ := strconv.Atoi(v.query.Get(parameter))
	number = max(1, min(number, (len(all)+size-1)/size))
	from := (number - 1) * size
	to := min(from+size, len(all))
	at := pages{From: from + 1, To: to, Total: len(all)}
	if number > 1 {
		at.Previous = v.link(section, parameter, strconv.Itoa(number-1))
	}
	if to < len(all) {
		at.Next = v.link(section, parameter, strconv.Itoa(number+1))
	}
	return list[T]{all[from:to], len(all), at}
}

// link returns the address of the page with another value of one parameter, at a section.
func (v *viewer) link(section, parameter, value string) string {
	query := maps.Clone(v.query)
	query.Set(parameter, value)
	if value == "" {
		query.Del(parameter)
	}
	if parameter != section && slices.Contains([]string{"requests", "deliveries"}, section) {
		query.Del(section) // another selection begins with its first page
	}
	return "/?" + query.Encode() + "#" + section
}

func (v *viewer) everything() map[string]any {
	f := filter{Text: v.query.Get("q"), Operation: v.query.Get("operation"), Show: v.query.Get("show"),
		Run: v.query.Get("run")}
	v.filter, v.words = f, strings.Fields(strings.ToLower(f.Text))
	v.organizations = store.Sorted(v.Billing.Organizations.All(v.tx), func(a, b server.Organization) int {
		return cmp.Or(a.CreatedAt.Compare(b.CreatedAt.Time), cmp.Compare(a.ID, b.ID))
	})
	found, records := v.collections(), 0
	for _, collection := range found {
		records += collection.Total
	}
	return map[string]any{
		"Now": v.shownTime(), "Fixed": v.Billing.Clock.Fixed(), "Filter": f, "Groups": v.operations(), "Coming": v.next(),
		"Organizations": v.organizations, "Faults": v.Server.Faults.List(),
		"Runs": v.runs(f), "Requests": len(v.requests), "Tokens": v.tokens(), "Collections": found, "Records": records,
		"Customers": newest(v, "customers", live(v.Billing.Customers.All(v.tx)),
			func(r billing.CustomerRow) (time.Time, int64) { return r.Customer.CreatedAt.Time, r.Number }),
		"Accounts": newest(v, "accounts", v.Billing.Accounts.All(v.tx),
			func(r billing.AccountRow) (time.Time, int64) { return r.Account.CreatedAt.Time, r.Number }),
		"Subscriptions": newest(v, "subscriptions", v.Billing.Subscriptions.All(v.tx),
			func(r billing.SubscriptionRow) (time.Time, int64) { return r.Subscription.CreatedAt.Time, r.Number }),
		"Invoices": newest(v, "invoices", v.Billing.Invoices.All(v.tx), invoiceAge),
		"Endpoints": newest(v, "endpoints", v.Collections.Endpoints.All(v.tx),
			func(r collections.EndpointRow) (time.Time, int64) { return r.Endpoint.CreatedAt.Time, r.Number }),
		"Deliveries": v.deliveries(), "FailedDeliveries": v.failedDeliveries(), "Choices": v.choices(), "Kept": v.kept("endpoint", "event", "status"),
		"Filtered": v.kept("q", "operation", "show", "run"),
		"Keys": newest(v, "keys", v.Collections.Keys.All(v.tx),
			func(r collections.KeyRow) (time.Time, int64) { return r.Key.CreatedAt.Time, r.Number }),
	}
}

// kept returns the parameters that a form keeps, because it does not set them.
func (v *viewer) kept(names ...string) map[string]string {
	values := map[string]string{}
	for _, name := range names {
		if value := v.query.Get(name); value != "" {
			values[name] = value
		}
	}
	return values
}

func (v *viewer) functions() template.FuncMap {
	known := sync.OnceValue(func() []string { return v.Collections.KnownEvents(v.tx) })
	return template.FuncMap{
		"clock": clock, "day": day, "iso": iso, "took": took, "amount": amount, "client": clientName, "short": v.short, "hour": hour,
		"join": strings.Join, "withoutQuery": withoutQuery, "withoutURL": withoutURL,
		"outcome": outcome, "text": v.text, "line": lineOf, "write": server.Request.IsWrite, "address": address,
		"ago":   func(t moment) string { return ago(v.now, t.UTC()) },
		"left":  func(t moment) string { return left(v.now, t.UTC()) },
		"acts":  func() bool { return v.Actions != nil },
		"token": func() string { return v.Actions.Token },
		"back":  func() string { return v.address },
		"events": func(of collections.EndpointRow) []string {
			if len(of.Endpoint.Events) > 0 {
				return of.Endpoint.Events
			}
			return known()
		},
		"several": func() bool { return len(v.organizations) > 1 },
		"plan":    func(id string) string { return v.Billing.PlanName(v.tx, id) },
		"owners":  v.owners, "objects": v.objects, "timeline": v.timeline, "audited": v.audited,
		"accounts": sharing(v, v.Billing.AccountsOf), "subscriptions": sharing(v, v.Billing.SubscriptionsOf),
		// A deleted customer keeps its name.
		"customer": row(v, v.Billing.Customers), "account": row(v, v.Billing.Accounts),
		"subscription": row(v, v.Billing.Subscriptions), "key": row(v, v.Collections.Keys),
		"deliveries": func(endpoint string) (n int) {
			for range v.Collections.DeliveriesOf.All(v.tx, endpoint) {
				n++
			}
			return n
		},
		"urlOf": v.urlOf, "attempts": func(r collections.DeliveryRow) []attempts { return fold(r.State.Trail) },
		"status": func(r collections.KeyRow) string { return r.Status(v.now) },
		"fields": finance.RecordRow.Decoded,
		"simple": func(value any) string {
			text, _ := finance.Simple(value)
			return text
		},
	}
}

func row[R any](v *viewer, table store.Table[R]) func(id string) R {
	return func(id string) R {
		found, _ := table.Get(v.tx, id)
		return found
	}
}

func sharing[R any](v *viewer, index store.Index[R]) func(key string) []R {
	return func(key string) (rows []R) {
		for _, row := range index.All(v.tx, key) {
			rows = append(rows, row)
		}
		return rows
	}
}

// newest returns a page of the rows that match the filter, newest first. age returns a row's creation time, and a
// number that breaks ties.
func newest[R any](v *viewer, section string, rows iter.Seq2[string, R], age func(R) (time.Time, int64)) list[R] {
	return pageOf(v, section, section, sorted(v, rows, age), shownObjects)
}

func sorted[R any](v *viewer, rows iter.Seq2[string, R], age func(R) (time.Time, int64)) []R {
	matching := func(yield func(string, R) bool) {
		for id, row := range rows {
			if v.matches(row) && !yield(id, row) {
				return
			}
		}
	}
	return store.Sorted(matching, func(a, b R) int {
		made, number := age(a)
		otherMade, otherNumber := age(b)
		return cmp.Or(otherMade.Compare(made), cmp.Compare(otherNumber, number))
	})
}

// matches reports whether a row, or the name of what it belongs to, contains all words of the filter.
func (v *viewer) matches(row any) bool {
	if len(v.words) == 0 {
		return true
	}
	object, ok := describe(row)
	document, err := server.Encode(object.Value)
	if !ok || err != nil {
		return false
	}
	text := strings.ToLower(strings.Join([]string{v.text(object), object.ID, readable(document), v.around(row)}, "\n"))
	return v.hasWords(text)
}

// hasWords reports whether a text in lower case contains all words of the filter.
func (v *viewer) hasWords(text string) bool {
	return !slices.ContainsFunc(v.words, func(word string) bool { return !strings.Contains(text, word) })
}

// around is the name of the customer or the endpoint that a row belongs to.
func (v *viewer) around(row any) string {
	account := ""
	switch r := row.(type) {
	case billing.AccountRow:
		account = r.Account.ID
	case billing.SubscriptionRow:
		account = r.Subscription.BillingAccountID
	case billing.InvoiceRow:
		account = r.Invoice.BillingAccountID
	case collections.DeliveryRow:
		return v.urlOf(r)
	}
	of, _ := v.Billing.Accounts.Get(v.tx, account)
	customer, _ := v.Billing.Customers.Get(v.tx, of.CustomerID)
	return customer.Customer.Name + "\n" + server.TextOf(customer.Customer.ExternalID)
}

// live returns the customers that are not deleted.
func live(all iter.Seq2[string, billing.CustomerRow]) iter.Seq2[string, billing.CustomerRow] {
	return func(yield func(string, billing.CustomerRow) bool) {
		for id, row := range all {
			if !row.Deleted && !yield(id, row) {
				return
			}
		}
	}
}

func invoiceAge(r billing.InvoiceRow) (time.Time, int64) {
	number, _ := strconv.ParseInt(strings.TrimPrefix(r.Invoice.Number, "INV-"), 10, 64)
	return r.Invoice.CreatedAt.Time, number
}

// tokens returns the valid tokens, ordered by service and prefix.
func (v *viewer) tokens() []server.StoredToken {
	tokens := slices.DeleteFunc(v.Tokens(v.tx), func(t server.StoredToken) bool {
		return t.Revoked || t.Blocked || !t.Expires.IsZero() && !v.now.Before(t.Expires)
	})
	slices.SortFunc(tokens, func(a, b server.StoredToken) int {
		return cmp.Or(cmp.Compare(a.Service, b.Service), cmp.Compare(a.Prefix, b.Prefix))
	})
	return tokens
}

// collections are the collections of financial management with matching records, by organization and name.
func (v *viewer) collections() []list[finance.RecordRow] {
	names := map[[2]string]bool{}
	for _, row := range v.Finance.Records.All(v.tx) {
		names[[2]string{row.Organization, row.Collection}] = true
	}
	var shown []list[finance.RecordRow]
	all := slices.SortedFunc(maps.Keys(names), func(a, b [2]string) int { return slices.Compare(a[:], b[:]) })
	for _, name := range all {
		records := sorted(v, v.Finance.RecordsOf.All(v.tx, finance.CollectionKey(name[0], name[1])),
			func(r finance.RecordRow) (time.Time, int64) { return r.CreatedAt.Time, r.Number })
		if len(records) > 0 {
			shown = append(shown, pageOf(v, "finance", "finance-"+name[0]+"-"+name[1], records, shownObjects))
		}
	}
	return shown
}

// owner is a client with the custom_metadata keys that it last wrote. A seed has an empty client.
type owner struct {
	billing.Writer
	Keys []string
}

// owners returns the clients that wrote an object's custom_metadata, ordered by name. A seed comes first.
func (v *viewer) owners(id string) []owner {
	keys := map[billing.Writer][]string{}
	for path, writer := range v.Billing.Writers(v.tx, id) {
		keys[writer] = append(keys[writer], path)
	}
	var owners []owner
	for writer, paths := range keys {
		slices.Sort(paths)
		owners = append(owners, owner{Writer: writer, Keys: paths})
	}
	slices.SortFunc(owners,
		func(a, b owner) int { return cmp.Or(cmp.Compare(a.Client, b.Client), cmp.Compare(a.Token, b.Token)) })
	return owners
}

// thing is an object of any kind, without its credentials.
type thing struct {
	Kind, ID, Name string
	Value          any  // as its service returns it
	Gone           bool // deleted
}

// text returns the kind and the name or id of a thing.
func (v *viewer) text(t thing) string { return t.Kind + " " + cmp.Or(t.Name, v.short(t.ID).String()) }

// describe returns the object of a row; ok is false for rows that do not represent an object.
func describe(row any) (shown thing, ok bool) {
	switch r := row.(type) {
	case billing.CustomerRow:
		return thing{"customer", r.Customer.ID, r.Customer.Name, r.Customer, r.Deleted}, true
	case billing.AccountRow:
		return thing{"account", r.Account.ID, server.TextOf(r.Account.ExternalID), r.Account, false}, true
	case billing.SubscriptionRow:
		return thing{"subscription", r.Subscription.ID, server.TextOf(r.Subscription.ExternalID),
			map[string]any{"subscription": r.Subscription, "items": r.Items}, false}, true
	case billing.InvoiceRow:
		return thing{"invoice", r.Invoice.ID, r.Invoice.Number, r.Invoice, false}, true
	case collections.EndpointRow:
		return thing{"endpoint", r.Endpoint.ID, withoutQuery(r.Endpoint.URL), r.Endpoint, false}, true
	case collections.KeyRow:
		return thing{"key", r.Key.ID, r.Key.Name, r.Key, false}, true
	case collections.DeliveryRow:
		return thing{"delivery", r.ID, r.Event, r.Shown(), false}, true
	case finance.RecordRow:
		fields, err := r.Decoded()
		name, _ := finance.Simple(fields["name"])
		return thing{"record", r.ID, name, fields, false}, err == nil
	}
	return thing{}, false
}

func (v *viewer) find(id string) (found thing, ok bool) {
	for _, row := range []any{
		get(v, v.Billing.Customers, id), get(v, v.Billing.Accounts, id), get(v, v.Billing.Subscriptions, id),
		get(v, v.Billing.Invoices, id), get(v, v.Collections.Endpoints, id), get(v, v.Collections.Keys, id),
		get(v, v.Collections.Deliveries, id), get(v, v.Finance.Records, id),
	} {
		if row != nil {
			return describe(row)
		}
	}
	return thing{}, false
}

func get[T any](v *viewer, table store.Table[T], id string) any {
	if row, ok := table.Get(v.tx, id); ok {
		return row
	}
	return nil
}

// moment is a time.Time or a server.Timestamp.
type moment interface{ UTC() time.Time }

// clock formats a time in UTC with seconds.
func clock(t moment) string { return t.UTC().Format("2006-01-02 15:04:05") }

func hour(t moment) string { return t.UTC().Format(time.TimeOnly) }

func day(t moment) string { return t.UTC().Format(time.DateOnly) }

func iso(t moment) string { return t.UTC().Format(time.RFC3339) }

func took(d time.Duration) string {
	switch {
	case d < time.Millisecond:
		return "<1 ms"
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	default:
		return fmt.Sprintf("%.1f s", d.Seconds())
	}
}

// left formats the time remaining until then, in its two largest units.
func left(now, then time.Time) string {
	minutes := int(then.Sub(now).Round(time.Minute) / time.Minute)
	switch hours := minutes / 60; {
	case !then.After(now):
		return "over"
	case hours >= 24:
		return fmt.Sprintf("%d d %d h left", hours/24, hours%24)
	case hours > 0:
		return fmt.Sprintf("%d h %d min left", hours, minutes%60)
	default:
		return fmt.Sprintf("%d min left", minutes)
	}
}

// ago formats the difference between then and now, in its largest unit.
func ago(now, then time.Time) string {
	const day = 24 * time.Hour
	distance := then.Sub(now).Abs()
	length, name := time.Minute, "minute"
	switch {
	case distance < time.Minute:
		return "now"
	case distance >= 365*day:
		length, name = 365*day, "year"
	case distance >= 60*day:
		length, name = 30*day, "month"
	case distance >= day:
		length, name = day, "day"
	case distance >= time.Hour:
		length, name = time.Hour, "hour"
	}
	text := fmt.Sprintf("%d %s", distance/length, name)
	if distance/length > 1 {
		text += "s"
	}
	if then.After(now) {
		return "in " + text
	}
	return text + " ago"
}

// amount formats an amount with its currency.
func amount(cents int64, currency string) string {
	sign := ""
	if cents < 0 {
		sign, cents = "-", -cents
	}
	return fmt.Sprintf("%s%d.%02d %s", sign, cents/100, cents%100, currency)
}

// clientName returns the name of a client without its version.
func clientName(client string) string {
	name, _, _ := strings.Cut(client, "/")
	return name
}

// withoutQuery hides the query of an address, which often contains a password.
func withoutQuery(address string) string {
	address, _, cut := strings.Cut(address, "?")
	if cut {
		address += "?…"
	}
	return address
}

// attempts are consecutive equal attempts of a delivery.
type attempts struct {
	First, Last delivery.Attempt
	Times       int
}

// fold merges consecutive equal attempts.
func fold(trail []delivery.Attempt) []attempts {
	var folded []attempts
	for _, a := range trail {
		if n := len(folded) - 1; n >= 0 && folded[n].Last.HTTPCode == a.HTTPCode && folded[n].Last.Error == a.Error &&
			folded[n].Last.Cycle == a.Cycle {
			folded[n].Last = a
			folded[n].Times++
			continue
		}
		folded = append(folded, attempts{First: a, Last: a, Times: 1})
	}
	return folded
}

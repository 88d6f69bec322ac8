// Package copier reads an organization through the project's own client, with GET requests only, and writes it as a
// copy (package orgcopy).
//
// Objects are written as the service returned them. An object that changes while it is read is written again; its last
// line counts. Objects that the token may not read are left out, and the copy lists them.
package copier

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/billing"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/finance"
	"github.com/recurring-billing/terraform-provider-billing/internal/orgcopy"
)

// Kinds returns the values for Options.Only, in the order in which they are read.
func Kinds() []string {
	return []string{"records", "customers", "accounts", "subscriptions", "endpoints", "keys"}
}

// BillingPrefix is the prefix for a collection of recurring billing in Options.Collections.
const BillingPrefix = "billing/"

// invoices is the collection of recurring billing that shows what is billed.
const invoices = "invoices"

// catalogue lists the collections of recurring billing in every copy.
var catalogue = []string{"plans", "products", "prices"}

// Options select what is copied.
type Options struct {
	// Only lists the kinds that are copied; empty: all.
	Only []string
	// Collections lists the collections of financial management whose records are copied, and those of recurring billing,
	// with BillingPrefix. Plans, products and prices are always included, and so are the invoices of the last 13 months
	// where subscriptions are.
	Collections []string
	// Optional lists collections that are copied like those in Collections, if the service has them.
	Optional []string
	// Progress is called after each kind, and after every thousand objects; optional.
	Progress func(kind string, objects int)
}

const (
	// atOnce is the number of parallel requests for items of subscriptions.
	atOnce = 8
	// batch is the number of subscriptions in memory while their items are read.
	batch = 64
	// rounds is how often objects that have changed in the meantime are read again.
	rounds = 3
	// step is the number of objects between two calls of Progress.
	step = 1000
)

// Copy writes a copy of the organization.
func Copy(ctx context.Context, s Source, o Options, out io.Writer) ([]orgcopy.LeftOut, error) {
	c := &copying{Source: s, Options: o, seen: map[string]string{}, listsItems: true}
	me, err := api.One[api.Record](ctx, s.billing, api.Request{Operation: "me.get"})
	if err != nil {
		return nil, err
	}
	now, ok := s.billing.Now(ctx, func(context.Context) error { return nil })
	if !ok { // the service's responses have no Date header
		now = time.Now()
	}
	prefix, err := c.ownKey(ctx)
	if err != nil {
		return nil, err
	}
	c.began = now.UTC().Truncate(time.Second)
	header := orgcopy.Header{Organization: me.Raw, Time: c.began, Service: s.addresses, Key: prefix}
	if c.out, err = orgcopy.NewWriter(out, header); err != nil {
		return nil, err
	}
	if err := c.everything(ctx); err != nil {
		return nil, err
	}
	return c.leftOut, c.out.End(c.leftOut, c.copied)
}

// copying is a copy in progress.
type copying struct {
	Source
	Options
	out        *orgcopy.Writer
	began      time.Time
	seen       map[string]string // kind and id: updated_at as written
	leftOut    []orgcopy.LeftOut
	copied     orgcopy.Collections
	listsItems bool
}

func (c *copying) wants(kind string) bool { return len(c.Only) == 0 || slices.Contains(c.Only, kind) }

// everything reads each kind, in the order of Kinds.
func (c *copying) everything(ctx context.Context) error {
	if c.wants("records") {
		if err := c.records(ctx); err != nil {
			return err
		}
	}
	if err := c.billed(ctx); err != nil {
		return err
	}
	if c.wants("endpoints") {
		if err := c.simple(ctx, "endpoints", "webhook_endpoints.list", orgcopy.Endpoint, "webhook endpoints"); err != nil {
			return err
		}
	}
	if c.wants("keys") {
		return c.simple(ctx, "keys", "api_keys.list", orgcopy.Key, "API keys")
	}
	return nil
}

// ownKey returns the public prefix of the API key in use if the service lists that key.
func (c *copying) ownKey(ctx context.Context) (string, error) {
	if c.collections == nil || c.prefix() == "" || !c.wants("keys") {
		return "", nil
	}
	for key, err := range list(ctx, c.collections, "api_keys.list", nil, "-") {
		switch {
		case missing(err) != nil:
			return "", nil
		case err != nil:
			return "", err
		case key.Field("keyPrefix") == c.prefix():
			return c.prefix(), nil
		}
	}
	return "", nil
}

// records reads the records of the collections.
func (c *copying) records(ctx context.Context) error {
	for _, name := range catalogue {
		records := billing.New(c.billing).ListRecords(ctx, name, billing.RecordQuery{})
		if err := c.collection("billing", name, records, true); err != nil {
			return err
		}
	}
	if selected := slices.Concat(c.Collections, c.Optional); c.wants("subscriptions") &&
		!slices.Contains(selected, BillingPrefix+invoices) {
		if err := c.recentInvoices(ctx); err != nil {
			return err
		}
	}
	for i, name := range slices.Concat(c.Collections, c.Optional) {
		optional := i >= len(c.Collections)
		var err error
		of, isBilling := strings.CutPrefix(name, BillingPrefix)
		switch {
		case isBilling && slices.Contains(catalogue, of):
		case isBilling:
			err = c.collection("billing", of, billing.New(c.billing).ListRecords(ctx, of, billing.RecordQuery{}), optional)
		case c.finance == nil:
			c.leave("records of "+name, "", "BILLING_FINANCE_BASE_URL and BILLING_FINANCE_TOKEN are not set")
		default:
			err = c.collection("finance", name, finance.New(c.finance).ListRecords(ctx, name, finance.Query{}), optional)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// recentInvoices writes the invoices that show what subscriptions are billed today, newest first. The longest billing
// cycle is a year. A service that does not list them so shows nothing.
func (c *copying) recentInvoices(ctx context.Context) error {
	since := c.began.AddDate(-1, -1, 0)
	newest := api.ListOptions[api.Record]{ID: func(r api.Record) string { return r.ID }, SortOrder: "desc"}
	for invoice, err := range api.List(ctx, c.billing, api.Request{Operation: "invoices.list"}, newest) {
		if left := missing(err); left != nil {
			c.leave(invoices, left.Scope, left.Reason)
			return nil
		}
		if e, ok := api.AsError(err); ok && e.Status >= 400 && e.Status < 500 && e.Status != http.StatusUnauthorized {
			return nil
		}
		if err != nil {
			return err
		}
		if at, err := time.Parse(time.RFC3339, invoice.Field("created_at")); err == nil && at.Before(since) {
			return nil
		}
		object := orgcopy.Object{Kind: orgcopy.Record, Service: "billing", Collection: invoices, Object: invoice.Raw}
		if err := c.out.Put(object); err != nil {
			return err
		}
	}
	return nil
}

// collection writes the records of one collection. An optional one may be missing at the service.
func (c *copying) collection(service, name string, records iter.Seq2[api.Record, error], optional bool) error {
	count, full := 0, name
	if service == "billing" {
		full = BillingPrefix + name
	}
	for record, err := range records {
		if status, ok := api.AsError(err); optional && ok && status.Missing() {
			c.copied.Absent = append(c.copied.Absent, full)
			return nil
		}
		if left := missing(err); left != nil {
			c.leave("records of "+name, left.Scope, left.Reason)
			return nil
		}
		if err != nil {
			return err
		}
		object := orgcopy.Object{Kind: orgcopy.Record, Service: service, Collection: name, Object: record.Raw}
		if err := c.out.Put(object); err != nil {
			return err
		}
		count++
		c.report(name, count, false)
	}
	c.copied.Copied = append(c.copied.Copied, full)
	c.report(name, count, true)
	return nil
}

// simple reads the objects of collections.
func (c *copying) simple(ctx context.Context, kind, operation, as, noun string) error {
	if c.collections == nil {
		c.leave(noun, "", "BILLING_COLLECTIONS_BASE_URL and BILLING_COLLECTIONS_API_KEY are not set")
		return nil
	}
	count := 0
	for object, err := range list(ctx, c.collections, operation, nil, "-") {
		if left := missing(err); left != nil {
			c.leave(noun, left.Scope, left.Reason)
			return nil
		}
		if err != nil {
			return err
		}
		if err := c.out.Put(orgcopy.Object{Kind: as, Object: object.Raw}); err != nil {
			return err
		}
		count++
	}
	c.report(kind, count, true)
	return nil
}

// billedKind is a kind of recurring billing whose objects have updated_at.
type billedKind struct{ name, kind, noun, list string }

var billedKinds = []billedKind{
	{"customers", orgcopy.Customer, "customers", "customers.list"},
	{"accounts", orgcopy.Account, "billing accounts", "billing_accounts.list"},
	{"subscriptions", orgcopy.Subscription, "subscriptions", "subscriptions.list"},
}

// billed reads customers, accounts and subscriptions, and then those that have changed since the start of the copy.
func (c *copying) billed(ctx context.Context) error {
	read := map[string]bool{}
	for _, k := range billedKinds {
		if !c.wants(k.name) {
			continue
		}
		count, fine, err := c.pass(ctx, k, nil)
		if err != nil {
			return err
		}
		if read[k.name] = fine; fine {
			c.report(k.name, count, true)
		}
	}
	since := url.Values{"updated_at_gte": {c.began.Format(time.RFC3339)}}
	for round := 0; ; round++ {
		changed := 0
		for _, k := range billedKinds {
			if !read[k.name] {
				continue
			}
			count, _, err := c.pass(ctx, k, since)
			if err != nil {
				return err
			}
			if changed += count; count > 0 && round == rounds {
				return fmt.Errorf("the %s change faster than they can be copied; try again later", k.noun)
			}
		}
		if changed == 0 {
			return nil
		}
	}
}

// pass writes the objects of a list that were not written with this updated_at, and returns their number. fine is false
// if the token may not read them.
func (c *copying) pass(ctx context.Context, k billedKind, query url.Values) (count int, fine bool, err error) {
	var waiting []orgcopy.Object
	flush := func() error {
		err := c.withItems(ctx, waiting)
		waiting = waiting[:0]
		return err
	}
	for object, err := range list(ctx, c.billing, k.list, query, "") {
		if left := missing(err); left != nil {
			c.leave(k.noun, left.Scope, left.Reason)
			return 0, false, nil
		}
		if err != nil {
			return count, false, err
		}
		if stamp := object.Field("updated_at"); c.seen[k.kind+object.ID] == stamp && stamp != "" {
			continue
		}
		c.seen[k.kind+object.ID] = object.Field("updated_at")
		count++
		c.report(k.name, count, false)
		raw := object.Raw
		if k.kind == orgcopy.Account {
			if raw, err = c.withCustomer(ctx, object); err != nil {
				return count, false, err
			}
		}
		if waiting = append(waiting, orgcopy.Object{Kind: k.kind, Object: raw}); len(waiting) == batch {
			if err := flush(); err != nil {
				return count, false, err
			}
		}
	}
	return count, true, flush()
}

// withCustomer returns an account with its customer, which a list may omit.
func (c *copying) withCustomer(ctx context.Context, account api.Record) (json.RawMessage, error) {
	var shown struct {
		Customer struct {
			ID string `json:"id"`
		} `json:"customer"`
	}
	if json.Unmarshal(account.Raw, &shown) == nil && shown.Customer.ID != "" {
		return account.Raw, nil
	}
	whole, err := api.One[api.Record](ctx, c.billing, api.Request{Operation: "billing_accounts.get",
		Path: map[string]string{"id": account.ID}})
	return whole.Raw, err
}

// withItems writes objects, including the items of subscriptions.
func (c *copying) withItems(ctx context.Context, objects []orgcopy.Object) error {
	errs := make([]error, len(objects))
	if len(objects) > 0 && objects[0].Kind == orgcopy.Subscription && c.listsItems {
		var work sync.WaitGroup
		places := make(chan struct{}, atOnce)
		for i := range objects {
			places <- struct{}{}
			work.Go(func() {
				defer func() { <-places }()
				objects[i].Items, errs[i] = c.items(ctx, objects[i].Object)
			})
		}
		work.Wait()
	}
	for i, object := range objects {
		if unlisted(errs[i]) {
			if c.listsItems {
				c.leave("items of subscriptions", "", "the service does not list them")
			}
			c.listsItems, errs[i] = false, nil
		}
		if errs[i] != nil {
			return errs[i]
		}
		if err := c.out.Put(object); err != nil {
			return err
		}
	}
	return nil
}

// items returns the items of a subscription.
func (c *copying) items(ctx context.Context, subscription json.RawMessage) (json.RawMessage, error) {
	var shown struct {
		ID string `json:"id"`
	}
	if err := json.Unmarshal(subscription, &shown); err != nil {
		return nil, err
	}
	var all []json.RawMessage
	request := api.Request{Operation: "subscriptions.items.list", Path: map[string]string{"id": shown.ID}}
	for item, err := range api.List(ctx, c.billing, request, api.ListOptions[api.Record]{
		ID: func(r api.Record) string { return r.ID }, SortBy: "id", Whole: true}) {
		if err != nil {
			return nil, err
		}
		all = append(all, item.Raw)
	}
	return append(append([]byte("["), bytes.Join(raws(all), []byte(","))...), ']'), nil
}

func raws(all []json.RawMessage) (out [][]byte) {
	for _, one := range all {
		out = append(out, one)
	}
	return out
}

// unlisted reports whether a service does not list the items of subscriptions.
func unlisted(err error) bool {
	e, ok := api.AsError(err)
	return ok && (e.Missing() || e.Status == http.StatusMethodNotAllowed)
}

// list reads any list. sortBy is "-" if the service does not sort it.
func list(ctx context.Context, client *api.Client, operation string, query url.Values,
	sortBy string) iter.Seq2[api.Record, error] {
	return api.List(ctx, client, api.Request{Operation: operation, Query: query},
		api.ListOptions[api.Record]{ID: func(r api.Record) string { return r.ID }, SortBy: sortBy})
}

// missing returns the entry for objects that the token may not read; nil for any other error.
func missing(err error) *orgcopy.LeftOut {
	e, ok := api.AsError(err)
	if !ok || e.Status != http.StatusForbidden || e.Code != "insufficient_scope" && len(e.Required) == 0 {
		return nil
	}
	return &orgcopy.LeftOut{Scope: strings.Join(e.Required, ", "), Reason: "the token may not read them"}
}

func (c *copying) leave(what, scope, reason string) {
	c.leftOut = append(c.leftOut, orgcopy.LeftOut{What: what, Scope: scope, Reason: reason})
}

func (c *copying) report(kind string, count int, done bool) {
	if c.Progress != nil && (done || count%step == 0) {
		c.Progress(kind, count)
	}
}

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
	"github.com/recurring-billing/terraform-provider-billing/internal/evidence"
	"github.com/recurring-billing/terraform-provider-billing/internal/orgcopy"
)

// Kinds returns the values for Options.Only.
func Kinds() (names []string) {
	for _, kind := range evidence.Kinds() {
		names = append(names, plural(kind.Name))
	}
	return names
}

func plural(name string) string { return name + "s" }

// invoices is the collection of recurring billing that shows what is billed.
const invoices = orgcopy.BillingPrefix + "invoices"

// catalogue lists the collections of recurring billing in every copy.
var catalogue = []string{orgcopy.BillingPrefix + "plans", orgcopy.BillingPrefix + "products",
	orgcopy.BillingPrefix + "prices"}

// Options select what is copied.
type Options struct {
	// Only lists the kinds that are copied; empty: all.
	Only []string
	// Collections lists the collections whose records are copied, as in orgcopy.Collections. Plans, products and prices
	// are always included, and so are the invoices of the last 13 months where subscriptions are.
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
	now, _ := s.billing.Now(ctx, func(context.Context) error { return nil })
	if now.IsZero() { // the service's responses have no Date header
		now = time.Now()
	}
	c.began = now.UTC().Truncate(time.Second)
	header := orgcopy.Header{Organization: me.Raw, Time: c.began, Service: s.addresses}
	if c.out, err = orgcopy.NewWriter(out, header); err != nil {
		return nil, err
	}
	if err := c.everything(ctx); err != nil {
		return nil, err
	}
	return c.end.LeftOut, c.out.End(c.end)
}

// copying is a copy in progress.
type copying struct {
	Source
	Options
	out        *orgcopy.Writer
	began      time.Time
	seen       map[string]string // kind and id: updated_at as written
	end        orgcopy.End
	listsItems bool
}

func (c *copying) wants(kind string) bool {
	return len(c.Only) == 0 || slices.Contains(c.Only, plural(kind))
}

// kinds returns the wanted kinds of a service.
func (c *copying) kinds(service string) []evidence.Kind {
	return slices.DeleteFunc(evidence.Kinds(), func(k evidence.Kind) bool {
		return k.Service != service || !c.wants(k.Name)
	})
}

// everything reads the records first: other objects refer to plans, products and prices.
func (c *copying) everything(ctx context.Context) error {
	if c.wants(evidence.Record) {
		if err := c.records(ctx); err != nil {
			return err
		}
	}
	if err := c.billed(ctx); err != nil {
		return err
	}
	for _, kind := range c.kinds("collections") {
		if err := c.simple(ctx, kind); err != nil {
			return err
		}
	}
	return nil
}

// records reads the records of the collections.
func (c *copying) records(ctx context.Context) error {
	selected := slices.Concat(catalogue, c.Collections, c.Optional)
	if c.wants(evidence.Subscription) && !slices.Contains(selected, invoices) {
		if err := c.recentInvoices(ctx); err != nil {
			return err
		}
	}
	done := map[string]bool{}
	for _, name := range selected {
		if done[name] {
			continue
		}
		done[name] = true
		if err := c.collection(ctx, name, !slices.Contains(c.Collections, name)); err != nil {
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
		if c.left(err, orgcopy.LeftOut{Kind: evidence.Record, Collection: invoices}) {
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
		if err := c.put(invoices, invoice); err != nil {
			return err
		}
	}
	return nil
}

// collection writes the records of one collection. An optional one may be missing at the service.
func (c *copying) collection(ctx context.Context, name string, optional bool) error {
	of, isBilling := strings.CutPrefix(name, orgcopy.BillingPrefix)
	left := orgcopy.LeftOut{Kind: evidence.Record, Collection: name}
	var records iter.Seq2[api.Record, error]
	switch {
	case isBilling:
		records = billing.New(c.billing).ListRecords(ctx, of, billing.RecordQuery{})
	case c.finance == nil:
		c.leave(left, notSet("finance"))
		return nil
	default:
		records = finance.New(c.finance).ListRecords(ctx, of, finance.Query{})
	}
	count := 0
	for record, err := range records {
		if status, ok := api.AsError(err); optional && ok && status.Missing() {
			c.end.Collections.Absent = append(c.end.Collections.Absent, name)
			return nil
		}
		if c.left(err, left) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := c.put(name, record); err != nil {
			return err
		}
		count++
		c.report(of, count, false)
	}
	c.end.Collections.Copied = append(c.end.Collections.Copied, name)
	c.report(of, count, true)
	return nil
}

// put writes a record of a collection.
func (c *copying) put(collection string, record api.Record) error {
	object := orgcopy.Object{Kind: evidence.Record, Service: "finance", Collection: collection, Object: record.Raw}
	if of, isBilling := strings.CutPrefix(collection, orgcopy.BillingPrefix); isBilling {
		object.Service, object.Collection = "billing", of
	}
	return c.out.Put(object)
}

// simple reads the objects of a kind of collections.
func (c *copying) simple(ctx context.Context, kind evidence.Kind) error {
	left := orgcopy.LeftOut{Kind: kind.Name}
	if c.collections == nil {
		c.leave(left, notSet(kind.Service))
		return nil
	}
	count := 0
	for object, err := range list(ctx, c.collections, kind, nil, "-") {
		if c.left(err, left) {
			return nil
		}
		if err != nil {
			return err
		}
		if kind.Name == evidence.Key && object.Field("keyPrefix") == c.prefix() {
			c.end.Key = c.prefix()
		}
		if err := c.out.Put(orgcopy.Object{Kind: kind.Name, Object: object.Raw}); err != nil {
			return err
		}
		count++
	}
	c.report(plural(kind.Name), count, true)
	return nil
}

// billed reads customers, accounts and subscriptions, and then those that have changed since the start of the copy.
func (c *copying) billed(ctx context.Context) error {
	read := map[string]bool{}
	kinds := c.kinds("billing")
	for _, k := range kinds {
		total := 0
		// Deletions while a list is paged move objects to a page that was read: passes are repeated until one adds nothing.
		for range rounds {
			count, fine, err := c.pass(ctx, k, nil)
			if err != nil {
				return err
			}
			total += count
			if read[k.Name] = fine; !fine || count == 0 {
				break
			}
		}
		if read[k.Name] {
			c.report(plural(k.Name), total, true)
		}
	}
	since := url.Values{"updated_at_gte": {c.began.Format(time.RFC3339)}}
	for round := 0; ; round++ {
		changed := 0
		for _, k := range kinds {
			if !read[k.Name] {
				continue
			}
			count, _, err := c.pass(ctx, k, since)
			if err != nil {
				return err
			}
			if changed += count; count > 0 && round == rounds {
				return fmt.Errorf("the %ss change faster than they can be copied; try again later", k.Noun)
			}
		}
		if changed == 0 {
			return nil
		}
	}
}

// pass writes the objects of a list that were not written with this updated_at, and returns their number. fine is false
// if the token may not read them.
func (c *copying) pass(ctx context.Context, k evidence.Kind, query url.Values) (count int, fine bool, err error) {
	var waiting []orgcopy.Object
	flush := func() error {
		err := c.withItems(ctx, waiting)
		waiting = waiting[:0]
		return err
	}
	for object, err := range list(ctx, c.billing, k, query, "") {
		if c.left(err, orgcopy.LeftOut{Kind: k.Name}) {
			return 0, false, nil
		}
		if err != nil {
			return count, false, err
		}
		stamp := object.Field("updated_at")
		if had, was := c.seen[k.Name+object.ID]; was && had == stamp && (stamp != "" || query == nil) {
			continue
		}
		c.seen[k.Name+object.ID] = stamp
		count++
		c.report(plural(k.Name), count, false)
		raw := object.Raw
		if k.Name == evidence.Account {
			if raw, err = c.withCustomer(ctx, object); err != nil {
				return count, false, err
			}
		}
		if waiting = append(waiting, orgcopy.Object{Kind: k.Name, Object: raw}); len(waiting) == batch {
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
	if len(objects) > 0 && objects[0].Kind == evidence.Subscription && c.listsItems {
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
				c.leave(orgcopy.LeftOut{Kind: evidence.Subscription, Items: true}, "the service does not list them")
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
	var all [][]byte
	request := api.Request{Operation: "subscriptions.items.list", Path: map[string]string{"id": shown.ID}}
	for item, err := range api.List(ctx, c.billing, request, api.ListOptions[api.Record]{
		ID: func(r api.Record) string { return r.ID }, SortBy: "id", Whole: true}) {
		if err != nil {
			return nil, err
		}
		all = append(all, item.Raw)
	}
	return append(append([]byte("["), bytes.Join(all, []byte(","))...), ']'), nil
}

// unlisted reports whether a service does not list the items of subscriptions.
func unlisted(err error) bool {
	e, ok := api.AsError(err)
	return ok && (e.Missing() || e.Status == http.StatusMethodNotAllowed)
}

// list reads the list of a kind. sortBy is "-" if the service does not sort it.
func list(ctx context.Context, client *api.Client, kind evidence.Kind, query url.Values,
	sortBy string) iter.Seq2[api.Record, error] {
	return api.List(ctx, client, api.Request{Operation: kind.Operation("list"), Query: query},
		api.ListOptions[api.Record]{ID: func(r api.Record) string { return r.ID }, SortBy: sortBy})
}

// left leaves objects out, and reports that, if the token may not read them.
func (c *copying) left(err error, what orgcopy.LeftOut) bool {
	e, ok := api.AsError(err)
	if !ok || e.Status != http.StatusForbidden || e.Code != "insufficient_scope" {
		return false
	}
	what.Scope = strings.Join(e.Required, ", ")
	c.leave(what, "the token may not read them")
	return true
}

func (c *copying) leave(what orgcopy.LeftOut, reason string) {
	what.Reason = reason
	c.end.LeftOut = append(c.end.LeftOut, what)
}

// notSet is the reason for which nothing of a service is read.
func notSet(service string) string { return strings.Join(Variables(service), " and ") + " are not set" }

func (c *copying) report(kind string, count int, done bool) {
	if c.Progress != nil && (done || count%step == 0) {
		c.Progress(kind, count)
	}
}

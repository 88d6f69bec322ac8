package billing

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"net/url"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/same"
)

// Invoice is an invoice. Only the id is guaranteed (wire contract: invoices.list).
type Invoice struct {
	ID               string
	Raw              json.RawMessage // the whole object, as returned
	SubscriptionID   string          // "" where the invoice does not say
	BillingAccountID string          // "" where the invoice does not say
	UpdatedAt        string          // "" where the invoice does not say
}

// UnmarshalJSON stores the whole invoice and decodes the known fields.
func (i *Invoice) UnmarshalJSON(data []byte) error {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(data, &fields); err != nil {
		return err
	}
	*i = Invoice{
		ID: api.LooseText(fields["id"]), Raw: bytes.Clone(data),
		SubscriptionID:   api.LooseText(fields["subscription_id"]),
		BillingAccountID: api.LooseText(fields["billing_account_id"]),
		UpdatedAt:        api.LooseText(fields["updated_at"]),
	}
	return nil
}

// InvoiceQuery filters a list of invoices. Empty fields are not sent.
type InvoiceQuery struct {
	ListOptions
	SubscriptionID   string
	BillingAccountID string
	UpdatedAtGTE     string // ISO 8601
}

// matches compares the fields of the invoice.
func (q InvoiceQuery) matches(i Invoice) bool {
	return (q.SubscriptionID == "" || i.SubscriptionID == "" || same.ID(q.SubscriptionID, i.SubscriptionID)) &&
		(q.BillingAccountID == "" || i.BillingAccountID == "" || same.ID(q.BillingAccountID, i.BillingAccountID)) &&
		notBefore(i.UpdatedAt, q.UpdatedAtGTE)
}

// ListInvoices lists the matching invoices (wire contract: invoices.list). Each filter is applied again to items
// that contain its field, because a service may ignore it. The time of the last change is only compared here, because
// the contract has no filter for it.
func (s *Service) ListInvoices(ctx context.Context, q InvoiceQuery) iter.Seq2[Invoice, error] {
	query := url.Values{}
	setIf(query, "subscription_id", q.SubscriptionID)
	setIf(query, "billing_account_id", q.BillingAccountID)
	all := listPages(ctx, s, api.Request{Operation: "invoices.list"}, query, q.ListOptions,
		func(i Invoice) string { return i.ID })
	return api.Only(all, q.matches)
}

// InvoiceSubscription creates an invoice by hand and returns it with its id, or "" if the response has none (wire
// contract: subscriptions.invoice). An empty reason is not sent.
//
// The request is sent only once. If the response is lost, the error is an *api.AmbiguousError that explains where to
// look. After it was sent, the request continues for at most 8 s after ctx has ended, so that the response is not lost.
func (s *Service) InvoiceSubscription(ctx context.Context, id, reason string) (json.RawMessage, string, error) {
	request := api.Request{Operation: "subscriptions.invoice", Path: map[string]string{"id": id}}
	if reason != "" {
		request.Body = reasonBody{Reason: reason}
	}
	invoice, _, err := api.Create(ctx, s.client, api.Creation[Invoice]{
		Send:     func(ctx context.Context) (Invoice, error) { return api.One[Invoice](ctx, s.client, request) },
		Describe: fmt.Sprintf("invoice of the subscription %q", id),
	})
	if ambiguous, ok := api.AsAmbiguous(err); ok {
		unknown := *ambiguous
		unknown.Advice = fmt.Sprintf("The subscription %q may or may not have a new invoice. Check the list of its "+
			"invoices before you create another one", id)
		return nil, "", &unknown
	}
	if err != nil {
		return nil, "", err
	}
	return invoice.Raw, invoice.ID, nil
}

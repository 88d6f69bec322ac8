package billing

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/api/apitest"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/apitest/played"
	"github.com/recurring-billing/terraform-provider-billing/internal/evidence"
)

func recorded() played.Player[*Service] {
	return played.Player[*Service]{Folder: "billing/", Connect: newService, Calls: calls,
		Skip: func(e evidence.Exchange) bool {
			// These change or describe a customer through an account. This client refers to a customer by its id.
			through := slices.Contains([]string{"account_create_by_document", "account_create_by_external_id",
				"account_create_new_customer", "account_update_customer"}, strings.TrimPrefix(e.Name, "billing/"))
			// Package api plays the errors of any call; items that are not listed are no error.
			return through || strings.HasPrefix(e.Name, "billing/error_") ||
				e.Operation == "subscriptions.items.list" && e.Response.Status != http.StatusOK
		},
		Lean: lean}
}

func TestExchanges(t *testing.T) { recorded().Successes(t) }

func TestExchangesOfRefusals(t *testing.T) {
	if codes := recorded().Rejections(t); len(codes) < 6 {
		t.Errorf("only %v were played", codes)
	}
}

// calls carries out each operation out of the body of a recorded request.
var calls = map[string]func(*testing.T, *Service, []string, evidence.Request) (any, error){
	"me.get": func(t *testing.T, s *Service, _ []string, _ evidence.Request) (any, error) { return s.Me(t.Context()) },
	"customers.create": func(t *testing.T, s *Service, _ []string, r evidence.Request) (any, error) {
		return s.CreateCustomer(t.Context(), apitest.BodyOf[CustomerBody](t, r.Body))
	},
	"customers.get": func(t *testing.T, s *Service, at []string, _ evidence.Request) (any, error) {
		return s.GetCustomer(t.Context(), at[3])
	},
	"customers.update": func(t *testing.T, s *Service, at []string, r evidence.Request) (any, error) {
		return s.UpdateCustomer(t.Context(), at[3], apitest.BodyOf[CustomerBody](t, r.Body))
	},
	"customers.delete": func(t *testing.T, s *Service, at []string, _ evidence.Request) (any, error) {
		return nil, s.DeleteCustomer(t.Context(), at[3])
	},
	"billing_accounts.create": func(t *testing.T, s *Service, _ []string, r evidence.Request) (any, error) {
		return s.CreateBillingAccount(t.Context(), apitest.BodyOf[AccountBody](t, r.Body))
	},
	"billing_accounts.get": func(t *testing.T, s *Service, at []string, _ evidence.Request) (any, error) {
		return s.GetBillingAccount(t.Context(), at[3])
	},
	"billing_accounts.update": func(t *testing.T, s *Service, at []string, r evidence.Request) (any, error) {
		return s.UpdateBillingAccount(t.Context(), at[3], apitest.BodyOf[AccountBody](t, r.Body))
	},
	"billing_accounts.delete": func(t *testing.T, s *Service, at []string, _ evidence.Request) (any, error) {
		return nil, s.DeleteBillingAccount(t.Context(), at[3])
	},
	"billing_accounts.suspend": func(t *testing.T, s *Service, at []string, r evidence.Request) (any, error) {
		return s.SuspendBillingAccount(t.Context(), at[3], apitest.BodyOf[reasonBody](t, r.Body).Reason)
	},
	"billing_accounts.reactivate": func(t *testing.T, s *Service, at []string, r evidence.Request) (any, error) {
		return s.ReactivateBillingAccount(t.Context(), at[3], apitest.BodyOf[reasonBody](t, r.Body).Reason)
	},
	"billing_accounts.close": func(t *testing.T, s *Service, at []string, r evidence.Request) (any, error) {
		return s.CloseBillingAccount(t.Context(), at[3], apitest.BodyOf[reasonBody](t, r.Body).Reason)
	},
	"subscriptions.create": func(t *testing.T, s *Service, _ []string, r evidence.Request) (any, error) {
		return s.CreateSubscription(t.Context(), apitest.BodyOf[SubscriptionBody](t, r.Body))
	},
	"subscriptions.get": func(t *testing.T, s *Service, at []string, _ evidence.Request) (any, error) {
		return s.GetSubscription(t.Context(), at[3])
	},
	"subscriptions.update": func(t *testing.T, s *Service, at []string, r evidence.Request) (any, error) {
		return s.UpdateSubscription(t.Context(), at[3], apitest.BodyOf[SubscriptionBody](t, r.Body))
	},
	"subscriptions.delete": func(t *testing.T, s *Service, at []string, _ evidence.Request) (any, error) {
		return nil, s.DeleteSubscription(t.Context(), at[3])
	},
	"subscriptions.pause": func(t *testing.T, s *Service, at []string, r evidence.Request) (any, error) {
		body := apitest.BodyOf[pauseBody](t, r.Body)
		return s.PauseSubscription(t.Context(), at[3], body.Behavior, body.ResumesAt)
	},
	"subscriptions.resume": func(t *testing.T, s *Service, at []string, _ evidence.Request) (any, error) {
		return s.ResumeSubscription(t.Context(), at[3])
	},
	"subscriptions.change_plan": func(t *testing.T, s *Service, at []string, r evidence.Request) (any, error) {
		return s.ChangePlan(t.Context(), at[3], apitest.BodyOf[ChangePlan](t, r.Body))
	},
	"subscriptions.cancel": func(t *testing.T, s *Service, at []string, r evidence.Request) (any, error) {
		return s.CancelSubscription(t.Context(), at[3], apitest.BodyOf[Cancel](t, r.Body))
	},
	"subscriptions.items.list": func(t *testing.T, s *Service, at []string, _ evidence.Request) (any, error) {
		items, listed, err := s.SubscriptionItems(t.Context(), at[3])
		if !listed {
			return nil, err
		}
		return items, err
	},
	"subscriptions.items.sync": func(t *testing.T, s *Service, at []string, r evidence.Request) (any, error) {
		return s.SyncSubscriptionItems(t.Context(), at[3],
			apitest.BodyOf[struct{ Items []SubscriptionItemInput }](t, r.Body).Items)
	},
	"subscriptions.invoice": func(t *testing.T, s *Service, at []string, r evidence.Request) (any, error) {
		raw, _, err := s.InvoiceSubscription(t.Context(), at[3], apitest.BodyOf[reasonBody](t, r.Body).Reason)
		return raw, err
	},
	"customers.list": func(t *testing.T, s *Service, _ []string, r evidence.Request) (any, error) {
		return apitest.All(s.ListCustomers(t.Context(), CustomerQuery{ListOptions: optionsOf(r), Search: r.Query["search"],
			ExternalID: r.Query["external_id"], DocumentNumber: r.Query["document_number"],
			UpdatedAtGTE: r.Query["updated_at_gte"]}))
	},
	"billing_accounts.list": func(t *testing.T, s *Service, _ []string, r evidence.Request) (any, error) {
		return apitest.All(s.ListBillingAccounts(t.Context(), BillingAccountQuery{ExternalID: r.Query["external_id"],
			CustomerID: r.Query["customer_id"], Status: r.Query["status"], UpdatedAtGTE: r.Query["updated_at_gte"]}))
	},
	"subscriptions.list": func(t *testing.T, s *Service, _ []string, r evidence.Request) (any, error) {
		return apitest.All(s.ListSubscriptions(t.Context(), SubscriptionQuery{ExternalID: r.Query["external_id"],
			BillingAccountID: r.Query["billing_account_id"], Status: r.Query["status"], PlanID: r.Query["plan_id"],
			UpdatedAtGTE: r.Query["updated_at_gte"]}))
	},
	"invoices.list": func(t *testing.T, s *Service, _ []string, r evidence.Request) (any, error) {
		return apitest.Raws(s.ListInvoices(t.Context(), InvoiceQuery{SubscriptionID: r.Query["subscription_id"],
			BillingAccountID: r.Query["billing_account_id"]}), func(i Invoice) json.RawMessage { return i.Raw })
	},
	"records.list": func(t *testing.T, s *Service, at []string, r evidence.Request) (any, error) {
		return apitest.Raws(s.ListRecords(t.Context(), at[2], RecordQuery{ListOptions: optionsOf(r)}),
			func(r Record) json.RawMessage { return r.Raw })
	},
}

func optionsOf(r evidence.Request) ListOptions {
	return ListOptions{SortBy: r.Query["sort_by"], SortOrder: r.Query["sort_order"]}
}

// lean leaves of each customer inside a billing account what AccountCustomer has.
func lean(value any) {
	switch value := value.(type) {
	case []any:
		for _, item := range value {
			lean(item)
		}
	case map[string]any:
		customer, loaded := value["customer"].(map[string]any)
		if _, isAccount := value["balance_cents"]; isAccount && loaded {
			value["customer"] = map[string]any{"id": customer["id"], "name": customer["name"]}
		}
		for _, item := range value {
			lean(item)
		}
	}
}

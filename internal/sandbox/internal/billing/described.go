package billing

import (
	"net/http"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/server"
)

// record is an object of a read-only collection. Its other fields depend on the collection.
type record struct {
	ID string `json:"id"`
}

// Returned describes the responses of the operations by name.
func (s *Service) Returned() map[string]server.Returns {
	account, subscribed := server.ReturnsOne[billingAccount], server.ReturnsOne[subscription]
	return map[string]server.Returns{
		"me.get": server.ReturnsBare[server.Organization](http.StatusOK),

		"customers.list":   server.ReturnsPage[customer](),
		"customers.create": server.ReturnsOne[createdCustomer](http.StatusCreated),
		"customers.get":    server.ReturnsOne[customer](http.StatusOK),
		"customers.update": server.ReturnsOne[customer](http.StatusOK),
		"customers.delete": server.ReturnsDeleted,

		"billing_accounts.list":       server.ReturnsPage[billingAccount](),
		"billing_accounts.create":     account(http.StatusCreated),
		"billing_accounts.get":        account(http.StatusOK),
		"billing_accounts.update":     account(http.StatusOK),
		"billing_accounts.delete":     server.ReturnsDeleted,
		"billing_accounts.suspend":    account(http.StatusOK),
		"billing_accounts.reactivate": account(http.StatusOK),
		"billing_accounts.close":      account(http.StatusOK),

		"subscriptions.list":        server.ReturnsPage[subscription](),
		"subscriptions.create":      subscribed(http.StatusCreated),
		"subscriptions.get":         subscribed(http.StatusOK),
		"subscriptions.update":      subscribed(http.StatusOK),
		"subscriptions.delete":      server.ReturnsDeleted,
		"subscriptions.pause":       subscribed(http.StatusOK),
		"subscriptions.resume":      subscribed(http.StatusOK),
		"subscriptions.change_plan": subscribed(http.StatusOK),
		"subscriptions.cancel":      subscribed(http.StatusOK),
		"subscriptions.items.list":  server.ReturnsPage[item](),
		"subscriptions.items.sync":  server.ReturnsOne[[]item](http.StatusOK),
		"subscriptions.invoice":     server.ReturnsOne[Invoice](http.StatusCreated),

		"invoices.list": server.ReturnsPage[Invoice](),
		"records.list":  server.ReturnsPage[record](),
	}
}

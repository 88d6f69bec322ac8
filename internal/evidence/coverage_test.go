package evidence_test

import (
	"slices"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/evidence"
)

// covered lists the statuses for which each operation needs an exchange.
var covered = map[string][]int{
	"me.get":                      {200, 401},
	"customers.list":              {200, 400, 429},
	"customers.create":            {201, 403, 422},
	"customers.get":               {200, 304, 404, 500, 502, 503, 504},
	"customers.update":            {200, 404, 422},
	"customers.delete":            {200, 404, 422},
	"billing_accounts.list":       {200},
	"billing_accounts.create":     {201, 422},
	"billing_accounts.get":        {200, 404},
	"billing_accounts.update":     {200, 422},
	"billing_accounts.delete":     {200, 404},
	"billing_accounts.suspend":    {200, 422},
	"billing_accounts.reactivate": {200, 422},
	"billing_accounts.close":      {200},
	"subscriptions.list":          {200},
	"subscriptions.create":        {201, 422},
	"subscriptions.get":           {200, 404},
	"subscriptions.update":        {200, 422},
	"subscriptions.delete":        {200, 404, 422},
	"subscriptions.pause":         {200, 422},
	"subscriptions.resume":        {200, 422},
	"subscriptions.change_plan":   {200, 422},
	"subscriptions.cancel":        {200, 422},
	"subscriptions.items.list":    {200, 404, 405},
	"subscriptions.items.sync":    {200, 422},
	"subscriptions.invoice":       {201, 404},
	"invoices.list":               {200},
	"records.list":                {200, 404},

	"finance.accounts.list":    {200, 304, 400, 401, 429},
	"finance.payables.list":    {200, 400, 401, 403},
	"finance.receivables.list": {200, 503},
	"finance.records.list":     {200, 400},
	"finance.records.create":   {201, 400, 401, 403, 422},
	"finance.records.get":      {200, 304, 401, 404, 500},
	"finance.records.update":   {200, 400, 404, 422},
	"finance.records.delete":   {204, 403, 404},
	"finance.openapi.yaml":     {200},
	"finance.openapi.json":     {200, 401},

	"webhook_endpoints.create":        {201, 401, 422},
	"webhook_endpoints.list":          {200, 401, 403},
	"webhook_endpoints.get":           {200, 404, 429},
	"webhook_endpoints.update":        {200, 404, 422},
	"webhook_endpoints.delete":        {204, 404},
	"webhook_endpoints.test":          {202, 404},
	"webhook_endpoints.rotate_secret": {200, 404},
	"webhook_deliveries.list":         {200, 401, 404},
	"webhook_deliveries.retry":        {202, 404, 409},
	"api_keys.create":                 {201, 403, 422},
	"api_keys.list":                   {200, 401},
	"api_keys.get":                    {200, 404, 500},
	"api_keys.rotate":                 {200, 404, 409, 422},
	"api_keys.revoke":                 {204, 404},
}

func TestExchangesCoverTheOperations(t *testing.T) {
	t.Parallel()
	statuses := map[string][]int{}
	for _, exchange := range evidence.All("") {
		statuses[exchange.Operation] = append(statuses[exchange.Operation], exchange.Response.Status)
	}
	for _, operation := range evidence.Operations() {
		if len(covered[operation.Name]) == 0 {
			t.Errorf("%s is not in covered: add its statuses", operation.Name)
		}
	}
	for name, wanted := range covered {
		for _, status := range wanted {
			if !slices.Contains(statuses[name], status) {
				t.Errorf("missing exchange of %s with status %d", name, status)
			}
		}
	}
}

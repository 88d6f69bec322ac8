package customer

import (
	"net/http"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/api/billing"
	"github.com/recurring-billing/terraform-provider-billing/internal/evidence"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/modeltest"
)

// TestDataFromAPI: of every recorded customer the data source shows what the wire has, and nothing else than the
// resource does.
func TestDataFromAPI(t *testing.T) {
	t.Parallel()
	convert := func(object *billing.Customer) (any, any, error) {
		resource, err := fromAPI(object)
		if err != nil {
			return nil, nil, err
		}
		data, err := dataFromAPI(object)
		return data, resource, err
	}
	recorded := evidence.All("billing/customer_get")
	if len(recorded) == 0 {
		t.Fatal("nothing is recorded")
	}
	for _, exchange := range recorded {
		if exchange.Response.Status == http.StatusOK {
			modeltest.Shown(t, exchange.Response.Body, convert, nil)
		}
	}
}

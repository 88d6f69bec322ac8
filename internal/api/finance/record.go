package finance

import "github.com/recurring-billing/terraform-provider-billing/internal/api"

// Record is an object of any collection, whose shape is open (service description,
// Financial management §2).
type Record = api.Record

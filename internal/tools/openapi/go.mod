module github.com/recurring-billing/terraform-provider-billing/internal/tools/openapi

go 1.26.0

require (
	github.com/pb33f/libopenapi v0.42.5
	github.com/santhosh-tekuri/jsonschema/v6 v6.0.3
)

require (
	github.com/bahlo/generic-list-go v0.2.0 // indirect
	github.com/buger/jsonparser v1.1.2 // indirect
	github.com/pb33f/go-yaml v0.1.1 // indirect
	github.com/pb33f/jsonpath v0.8.5 // indirect
	github.com/pb33f/ordered-map/v2 v2.3.2 // indirect
	golang.org/x/text v0.14.0 // indirect
)

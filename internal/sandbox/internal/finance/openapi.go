package finance

import (
	_ "embed"
	"fmt"
	"net/http"
	"sync"

	"github.com/goccy/go-yaml"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/server"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/store"
)

// openAPI describes the operations of financial management
// (service description, Financial management §4 and §9).
//
//go:embed openapi.yaml
var openAPI []byte

// openAPIJSON is openAPI in JSON, converted when it is first asked for.
var openAPIJSON = sync.OnceValues(func() ([]byte, error) {
	text, err := yaml.YAMLToJSON(openAPI)
	if err != nil {
		return nil, fmt.Errorf("read openapi.yaml: %w", err)
	}
	document, err := server.Decode(text)
	if err != nil {
		return nil, fmt.Errorf("read openapi.yaml: %w", err)
	}
	return server.Encode(document)
})

// describeJSON serves finance.openapi.json.
func (s *Service) describeJSON(*server.Call, *store.Tx) (server.Reply, error) {
	document, err := openAPIJSON()
	return server.Reply{Status: http.StatusOK, Body: document, Kind: "application/json"}, err
}

// describeYAML serves finance.openapi.yaml: the same in YAML.
func (s *Service) describeYAML(*server.Call, *store.Tx) (server.Reply, error) {
	return server.Reply{Status: http.StatusOK, Body: openAPI, Kind: "application/yaml"}, nil
}

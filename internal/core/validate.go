package core

import (
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// Validate validates each block as `terraform validate` does: without a state, and with a provider that is not
// configured. The result has no changes.
func (w *Workspace) Validate(configuration Configuration) *Plan {
	p := &Plan{configuration: configuration}
	w.start()
	for _, block := range configuration.Blocks {
		evaluated, problems := w.evaluate(block, nil)
		if !p.note(block.Address, problems) {
			continue
		}
		config := encode(evaluated, w.schemas.typeOf(w.schema(block.Address)))
		if strings.HasPrefix(block.Address, dataPrefix) {
			p.note(block.Address, ok(w.server.ValidateDataResourceConfig(w.ctx(),
				&tfprotov6.ValidateDataResourceConfigRequest{TypeName: block.Type(), Config: config})).Diagnostics)
			continue
		}
		p.note(block.Address, ok(w.server.ValidateResourceConfig(w.ctx(), validation(block, config))).Diagnostics)
	}
	return p
}

// validation asks a provider to validate a block.
func validation(block Block, config *tfprotov6.DynamicValue) *tfprotov6.ValidateResourceConfigRequest {
	return &tfprotov6.ValidateResourceConfigRequest{TypeName: block.Type(), Config: config,
		ClientCapabilities: &tfprotov6.ValidateResourceConfigClientCapabilities{WriteOnlyAttributesAllowed: true}}
}

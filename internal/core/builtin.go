package core

import (
	"slices"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/zclconf/go-cty/cty"
)

// builtinType is Terraform's built-in resource. Its output is known only after apply if its input changes, so
// configurations use it for unknown values.
const builtinType = "terraform_data"

var builtinSchema = &tfprotov6.Schema{Block: &tfprotov6.SchemaBlock{Attributes: attributes{
	{Name: "id", Type: tftypes.String, Computed: true},
	{Name: "input", Type: tftypes.DynamicPseudoType, Optional: true},
	{Name: "output", Type: tftypes.DynamicPseudoType, Computed: true},
	{Name: "triggers_replace", Type: tftypes.DynamicPseudoType, Optional: true}, // without its effect
}}}

func builtinPlan(prior, config cty.Value, as cty.Type) *tfprotov6.PlanResourceChangeResponse {
	before, values := fields(prior), fields(config)
	response := &tfprotov6.PlanResourceChangeResponse{}
	if values["id"] = before["id"]; prior.IsNull() {
		values["id"] = cty.UnknownVal(cty.String)
	}
	values["output"] = cty.DynamicVal
	if values["input"].IsNull() || !prior.IsNull() && before["input"].RawEquals(values["input"]) {
		values["output"] = values["input"]
	}
	response.PlannedState = encode(cty.ObjectVal(values), as)
	return response
}

func builtinApply(request *tfprotov6.ApplyResourceChangeRequest,
	planned cty.Value, as cty.Type) *tfprotov6.ApplyResourceChangeResponse {
	values := fields(planned)
	if !values["id"].IsKnown() {
		values["id"] = cty.StringVal("0e2d4b5a-0000-4000-8000-000000000000")
	}
	values["output"] = values["input"]
	return &tfprotov6.ApplyResourceChangeResponse{Private: request.PlannedPrivate,
		NewState: encode(cty.ObjectVal(values), as)}
}

// planSource reads a data source, unless one of its references is unknown or changes in this plan.
func (w *Workspace) planSource(block Block, p *Plan, planned map[string]Object) bool {
	config, problems := w.evaluate(block, planned)
	if !p.note(block.Address, problems) {
		return false
	}
	changes := slices.ContainsFunc(p.Changes, func(change *Change) bool {
		return change.Action != NoOp && slices.Contains(block.Needs, change.Address)
	})
	if !config.IsWhollyKnown() || changes {
		later := Object{}
		for _, attribute := range w.schema(block.Address).Block.Attributes {
			later[attribute.Name] = Unknown
		}
		planned[block.Address] = later
		return true
	}
	read, problems := w.readSource(block, planned)
	planned[block.Address], p.sources[block.Address] = read, read
	return p.note(block.Address, problems)
}

// deferred returns the data sources that are read in the apply.
func (p *Plan) deferred() (addresses []string) {
	for _, block := range p.configuration.Blocks {
		if _, read := p.sources[block.Address]; !read && len(block.Address) > len(dataPrefix) &&
			block.Address[:len(dataPrefix)] == dataPrefix {
			addresses = append(addresses, block.Address)
		}
	}
	return addresses
}

func (w *Workspace) readSource(block Block, objects map[string]Object) (Object, []*tfprotov6.Diagnostic) {
	config, problems := w.evaluate(block, objects)
	if problems != nil {
		return nil, problems
	}
	return w.readData(block.Type(), config)
}

package main

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
)

// The customer that another system makes, as it is written down here, and the
// import block that takes it over.
var (
	//go:embed customers/confeitaria.tf
	confeitariaConfig string
	//go:embed customers/import.tf
	importBlock string
)

const (
	headquarters  = "billing_customer.headquarters"
	branch        = "billing_customer.branch"
	owner         = "billing_customer.owner"
	confeitaria   = "billing_customer.confeitaria"
	confeitariaID = "crm-2044" // its external_id
	matrizID      = "aurora-matriz"
)

// customers is the life of some customers that other systems work on too.
var customers = story{name: "customers", folder: "examples/complete", steps: []step{
	{"The first plan creates three customers", planCustomers},
	{"Apply creates them, and the service has them", applyCustomers},
	{"The next plan is empty", planNothing},
	{"Other systems change a customer outside of Terraform: the plan shows the changed notes, not the keys of other " +
		"systems", planDrift},
	{"Apply reverts the notes and does not change the keys of other systems", mendDrift},
	{"A customer that another system created is looked up by its external_id", lookUp},
	{"An import block takes it over: the plan imports and does nothing else", importCustomer},
	{"A change of custom_metadata, with a key removed, leaves the keys of others alone", changeMetadata},
	{"A key left to the CRM with ignore_changes: the CRM changes it, we change another one, and the apply sends only ours",
		ignoreChanges},
	{"Destroy deletes the customers, and the service has none", destroyCustomers},
}}

func planCustomers(ctx context.Context, s *stage) error {
	plan, err := s.terraform.plan(ctx)
	if err != nil {
		return err
	}
	s.say.quote(plan.headlines())
	return plan.expect("create", headquarters, branch, owner)
}

func applyCustomers(ctx context.Context, s *stage) error {
	if _, err := s.terraform.apply(ctx); err != nil {
		return err
	}
	return s.expectCustomers(ctx, 3)
}

func planNothing(ctx context.Context, s *stage) error { return s.planEmpty(ctx) }

func planDrift(ctx context.Context, s *stage) error {
	s.say.tell("The CRM adds its own keys to custom_metadata, next to ours and inside `contract`; another user changes " +
		"the notes.")
	if err := s.service.changeCustomer(ctx, matrizID, object{
		"custom_metadata_mode": "merge",
		"custom_metadata": object{"crm": object{"owner": "ana", "score": 87},
			"contract": object{"signed_by": "Helena Martins"}},
	}); err != nil {
		return err
	}
	if err := s.service.changeCustomer(ctx, matrizID, object{"notes": "Ligar antes de entregar."}); err != nil {
		return err
	}
	plan, err := s.terraform.plan(ctx)
	if err != nil {
		return err
	}
	s.say.quote(plan.details())
	if err := plan.expect("update", headquarters); err != nil {
		return err
	}
	return plan.expectAttributes(headquarters, "notes", "updated_at")
}

func mendDrift(ctx context.Context, s *stage) error {
	if _, err := s.terraform.apply(ctx); err != nil {
		return err
	}
	customer, err := s.service.customer(ctx, matrizID)
	if err != nil {
		return err
	}
	if notes := customer["notes"]; notes != "Entregas até as 7h." {
		return fmt.Errorf("the notes are %q", notes)
	}
	return s.expectMetadata(ctx, matrizID, object{
		"accounting": object{"cost_center": "BR-100"},
		"contract":   object{"number": 2026001, "renews": true, "discounts": []any{5, 7.5}, "signed_by": "Helena Martins"},
		"crm":        object{"owner": "ana", "score": 87},
		"segment":    "retail",
	})
}

func lookUp(ctx context.Context, s *stage) error {
	if err := s.service.createCustomer(ctx, object{
		"external_id": confeitariaID, "name": "Confeitaria Lua Nova", "kind": "juridical",
		"document_number": "45.997.648/0001-12", "emails": []object{{"kind": "billing", "value": "contas@luanova.example"}},
		"custom_metadata": object{"accounting": object{"cost_center": "BR-100"},
			"lead": object{"source": "fair", "year": 2025}},
	}); err != nil {
		return err
	}
	plan, err := s.terraform.plan(ctx, "-var", "existing_customer="+confeitariaID)
	if err != nil {
		return err
	}
	found, _ := plan.outputs["existing_customer"].(map[string]any)
	s.say.tell("The data source finds %q.", found["name"])
	if found["name"] != "Confeitaria Lua Nova" {
		return fmt.Errorf("the plan does not show the customer that was looked up:\n%s", plan.text)
	}
	return plan.expect("create")
}

func importCustomer(ctx context.Context, s *stage) error {
	if err := s.write("confeitaria.tf", confeitariaConfig); err != nil {
		return err
	}
	if err := s.write("import.tf", importBlock); err != nil {
		return err
	}
	plan, err := s.terraform.plan(ctx)
	if err != nil {
		return err
	}
	s.say.quote(plan.headlines())
	if err := plan.expect("no-op", confeitaria); err != nil {
		return err
	}
	if !plan.changes[confeitaria].imported || len(plan.outputs) > 0 {
		return fmt.Errorf("the plan does not import, or does more than that:\n%s", plan.text)
	}
	if _, err := s.terraform.apply(ctx); err != nil {
		return err
	}
	// The block has done its work. It could stay, but not once the customer
	// is gone.
	if err := s.write("import.tf", ""); err != nil {
		return err
	}
	return s.planEmpty(ctx)
}

func changeMetadata(ctx context.Context, s *stage) error {
	if err := s.edit("customers.tf", `segment = "retail"`, `segment = "wholesale"`); err != nil {
		return err
	}
	if err := s.edit("customers.tf", "      renews    = true\n", ""); err != nil {
		return err
	}
	plan, err := s.terraform.plan(ctx)
	if err != nil {
		return err
	}
	s.say.quote(plan.details())
	if err := plan.expect("update", headquarters); err != nil {
		return err
	}
	if err := plan.expectAttributes(headquarters, "custom_metadata", "effective_custom_metadata",
		"updated_at"); err != nil {
		return err
	}
	if _, err := s.terraform.apply(ctx); err != nil {
		return err
	}
	if err := s.expectMetadata(ctx, matrizID, object{
		"accounting": object{"cost_center": "BR-100"},
		"contract":   object{"number": 2026001, "discounts": []any{5, 7.5}, "signed_by": "Helena Martins"},
		"crm":        object{"owner": "ana", "score": 87},
		"segment":    "wholesale",
	}); err != nil {
		return err
	}
	return s.planEmpty(ctx)
}

// ignoreChanges lets another system and an apply change the same object. The
// configuration names both keys, and leaves one of them to the CRM.
func ignoreChanges(ctx context.Context, s *stage) error {
	if err := s.edit("customers.tf", "  # For the billing account that is created with the customer.\n",
		"  lifecycle { ignore_changes = [custom_metadata.segment] }\n\n  # For the billing account that is created with "+
			"the customer.\n"); err != nil {
		return err
	}
	if err := s.edit("customers.tf", "2026001", "2026002"); err != nil {
		return err
	}
	s.say.tell("The CRM changes `segment` to \"key-account\"; the configuration ignores that and changes " +
		"`contract.number`.")
	if err := s.service.changeCustomer(ctx, matrizID, object{
		"custom_metadata_mode": "merge", "custom_metadata": object{"segment": "key-account"},
	}); err != nil {
		return err
	}
	plan, err := s.terraform.plan(ctx)
	if err != nil {
		return err
	}
	s.say.quote(plan.details())
	if err := plan.expectAttributes(headquarters, "custom_metadata", "effective_custom_metadata",
		"updated_at"); err != nil {
		return err
	}
	if err := s.expectRequests(ctx, "customers.update"); err != nil {
		return err
	}
	if err := s.expectMetadata(ctx, matrizID, object{
		"accounting": object{"cost_center": "BR-100"},
		"contract":   object{"number": 2026002, "discounts": []any{5, 7.5}, "signed_by": "Helena Martins"},
		"crm":        object{"owner": "ana", "score": 87},
		"segment":    "key-account",
	}); err != nil {
		return err
	}
	return s.planEmpty(ctx)
}

func destroyCustomers(ctx context.Context, s *stage) error {
	plan, err := s.terraform.plan(ctx, "-destroy")
	if err != nil {
		return err
	}
	s.say.quote(plan.headlines())
	if err := plan.expect("delete", headquarters, branch, owner, confeitaria); err != nil {
		return err
	}
	if _, err := s.terraform.apply(ctx); err != nil {
		return err
	}
	return s.expectCustomers(ctx, 0)
}

// expectCustomers checks how many customers the service has.
func (s *stage) expectCustomers(ctx context.Context, wanted int) error {
	found, err := s.service.customers(ctx)
	if err != nil {
		return err
	}
	if found != wanted {
		return fmt.Errorf("the service has %d customers, not %d", found, wanted)
	}
	s.say.tell("The service has %d customers.", found)
	return nil
}

// expectMetadata checks the whole custom_metadata of a customer at the
// service.
func (s *stage) expectMetadata(ctx context.Context, externalID string, wanted object) error {
	customer, err := s.service.customer(ctx, externalID)
	if err != nil {
		return err
	}
	// As text, in which the keys are sorted and numbers stand as they came.
	found, err := json.Marshal(customer["custom_metadata"])
	if err != nil {
		return err
	}
	expected, err := json.Marshal(wanted)
	if err != nil {
		return err
	}
	if !bytes.Equal(found, expected) {
		return fmt.Errorf("the service has custom_metadata\n%s, not\n%s", found, expected)
	}
	s.say.tell("The service has custom_metadata %s.", found)
	return nil
}

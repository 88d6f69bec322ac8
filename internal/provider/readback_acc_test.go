package provider_test

import (
	"encoding/json"
	"maps"
	"strings"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// TestUpdateIsReadBack: an update of any object that is carried out, and whose response shows no object, is read back:
// the state has what was applied, and the next plan is empty.
func TestUpdateIsReadBack(t *testing.T) {
	t.Parallel()
	for name, c := range mixedUp {
		if c.change == nil {
			continue
		}
		for how, fault := range map[string]sandbox.Fault{
			"empty": {Empty: true, Status: 204}, "HTML": {Status: 200, Foreign: "html"}} {
			t.Run(name+" "+how, func(t *testing.T) {
				t.Parallel()
				s := acctest.Start(t, acctest.Receiving(acctest.NewReceiver(t)))
				s.NeedsSandbox("responses are made up")
				object := s.Direct(name)
				config := c.config(s, "https://receiver.example.test/hook")
				object.Set(config)
				changed := maps.Clone(config)
				maps.Copy(changed, c.change)
				fault.Operation, fault.After, fault.Times = c.update, true, 1
				s.Sandbox.AddFault(fault)
				if text := acctest.Errors(object.Apply(object.Plan(changed))); text != "" {
					t.Error(text)
				}
				if again := object.Plan(changed); !again.Value.Equal(again.Prior) {
					t.Errorf("the next plan is not empty: %s", again.Value)
				}
			})
		}
	}
}

// TestLaggingReads: an object that a read does not find right after its creation stays in the state, and so does a
// change that a read does not show yet.
func TestLaggingReads(t *testing.T) {
	t.Parallel()
	for name, c := range mixedUp {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := acctest.Start(t, acctest.Receiving(acctest.NewReceiver(t)), acctest.RunningClock)
			s.NeedsSandbox("reads that lag are made up")
			created := s.Direct(name)
			config := c.config(s, "https://receiver.example.test/hook")
			created.Set(config)
			before := created.State()
			s.Sandbox.AddFault(sandbox.Fault{Operation: c.get, Times: 2, Status: 404, Code: "not_found"})
			if text := acctest.Errors(created.Refresh()); text != "" || !created.State().Equal(before) {
				t.Errorf("the state is %s, %s", created.State(), text)
			}
			if c.change == nil {
				return
			}
			id := strings.Trim(created.Text("id"), `"`)
			old, err := json.Marshal(acctest.JSON{"data": object(s, name, c.path+id)})
			if err != nil {
				t.Fatal(err)
			}
			changed := maps.Clone(config)
			maps.Copy(changed, c.change)
			created.Set(changed)
			before = created.State()
			s.Sandbox.AddFault(sandbox.Fault{Operation: c.get, Times: 1, Body: string(old)})
			if text := acctest.Errors(created.Refresh()); text != "" || !created.State().Equal(before) {
				t.Errorf("the state is %s, %s", created.State(), text)
			}
		})
	}
}

// TestCreationIsAskedAgain: a response to the creation of a record that does not show the record is followed by a
// second request with the same key.
func TestCreationIsAskedAgain(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]sandbox.Fault{
		"empty": {Empty: true}, "HTML": {Status: 200, Foreign: "html"}, "no object": {Status: 201, Body: `{"data":null}`},
		"a list": {Status: 200, Body: `[]`}, "an empty object": {Status: 201, Body: `{}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := acctest.Start(t)
			fault.Operation, fault.Times, fault.After = "finance.records.create", 1, true
			service.Sandbox.AddFault(fault)
			before := len(service.FinanceRecords("payables"))
			d := service.Direct("billing_finance_record")
			if text := d.Set(acctest.JSON{"collection": "payables", "body": acctest.JSON{"name": "Rent"}}); text != "" {
				t.Error(text)
			}
			if n := len(service.FinanceRecords("payables")) - before; n != 1 || service.Count("finance.records.create") != 2 {
				t.Errorf("%d records after %d creations", n, service.Count("finance.records.create"))
			}
		})
	}
}

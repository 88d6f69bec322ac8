package provider_test

import (
	"maps"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// TestUpdateIsReadBack: an update of any object that is carried out, and whose response shows no object, is read back: the state has what
// was applied, and the next plan is empty.
func TestUpdateIsReadBack(t *testing.T) {
	t.Parallel()
	for name, c := range mixedUp {
		if c.change == nil {
			continue
		}
		for how, fault := range map[string]sandbox.Fault{"empty": {Empty: true, Status: 204}, "HTML": {HTML: true}} {
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

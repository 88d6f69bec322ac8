package provider_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// TestReadsThatLag: the refresh right after an apply reads a service that lags behind: what was created is not gone,
// and what was changed is not changed back.
func TestReadsThatLag(t *testing.T) {
	t.Parallel()
	for name, c := range mixedUp {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := acctest.Start(t, acctest.Receiving(acctest.NewReceiver(t)))
			s.NeedsSandbox("reads lag on purpose")
			object := s.Direct(name)
			config := c.config(s, "https://receiver.example.test/hook")
			object.Set(config)
			refresh := func() {
				t.Helper()
				all := object.Refresh()
				if text := acctest.Errors(all) + acctest.Warnings(all); text != "" || !object.Exists() {
					t.Errorf("exists %v: %s", object.Exists(), text)
				}
				if again := object.Plan(config); !again.Value.Equal(again.Prior) {
					t.Errorf("the next plan is not empty: %s", again.Value)
				}
			}
			s.Sandbox.AddFault(sandbox.Fault{Operation: c.get, Status: 404, Times: 1})
			refresh()
			if c.change == nil {
				return
			}
			before, err := json.Marshal(read(s, c.path+strings.Trim(object.Text("id"), `"`)))
			if err != nil {
				t.Fatal(err)
			}
			s.Sandbox.Clock().Advance(time.Second)
			config = maps.Clone(config)
			maps.Copy(config, c.change)
			object.Set(config)
			s.Sandbox.AddFault(sandbox.Fault{Operation: c.get, Body: string(before), Times: 1})
			refresh()
		})
	}
}

// read is an object as its service shows it.
func read(s *acctest.Service, path string) acctest.JSON {
	call := s.Call
	switch {
	case strings.HasPrefix(path, "/api/"):
		call = s.CallCollections
	case strings.HasPrefix(path, "/v1/payables"):
		call = s.CallFinance
	}
	_, body := call(http.MethodGet, path, nil)
	return body
}

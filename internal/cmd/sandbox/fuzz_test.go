package main

import (
	"testing"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// FuzzChoice: whatever is chosen, a request is taken or not; nothing breaks.
func FuzzChoice(f *testing.F) {
	for _, seed := range []string{"404", "5xx", "failed", "dropped", "10m", "-10m", "2026-01-31T12:00:00Z", "me.get",
		"billing", "", "99", "xx", "1e9h"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, value string) {
		var c choice
		for _, read := range []func(string) error{c.readOperation, c.readService, c.readStatus, c.readSince} {
			if read(value) == nil {
				c.takes(sandbox.Request{Time: time.Unix(0, 0), Service: sandbox.Billing, Status: 404})
			}
		}
		if (&choice{}).readStatus(value) == nil && value == "" {
			t.Error("nothing is a status")
		}
	})
}

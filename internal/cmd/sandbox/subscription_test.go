package main

import (
	"encoding/json"
	"strings"
	"testing"
)

// subscribe creates a subscription over the wire and returns its id.
func subscribe(t *testing.T, asking *running) string {
	t.Helper()
	_, body := asking.ask("POST", "/v1/customers", `{"name":"Ana"}`)
	var made struct {
		Data struct {
			ID             string
			BillingAccount struct{ ID string } `json:"billing_account"`
		}
	}
	if err := json.Unmarshal([]byte(body), &made); err != nil {
		t.Fatal(err)
	}
	status, body := asking.ask("POST", "/v1/subscriptions",
		`{"billing_account_id":"`+made.Data.BillingAccount.ID+
			`","plan_id":"3a6d9c1f-74e2-4c08-b1b5-0f2d8a6e5c71","external_id":"ana-pro","trial_period_days":1}`)
	if status != 201 {
		t.Fatalf("%d %s", status, body)
	}
	if err := json.Unmarshal([]byte(body), &made); err != nil {
		t.Fatal(err)
	}
	return made.Data.ID
}

func TestSubscriptionCommand(t *testing.T) {
	t.Parallel()
	server, s := startServer(t)
	asking := s.asking(server.BillingToken())
	id := subscribe(t, asking)
	for _, step := range []struct {
		args []string
		want string
	}{
		{[]string{"clock", "advance", "24h"}, "active"},
		{[]string{"subscription", "past-due", "external_id=ana-pro"}, "past_due"},
		{[]string{"subscription", "pay", id}, "active"},
		{[]string{"subscription", "status", id, "on_fire"}, "on_fire"},
	} {
		s.ok(step.args...)
		if _, body := asking.ask("GET", "/v1/subscriptions/"+id, ""); !strings.Contains(body, `"status":"`+step.want+`"`) {
			t.Errorf("after %v: %s", step.args, body)
		}
	}
	for _, test := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"subscription", "past-due", id}, exitFailure, "not active"},
		{[]string{"subscription", "pay", id}, exitFailure, "not past_due"},
		{[]string{"subscription", "pay", "nobody"}, exitFailure, "no subscription"},
		{[]string{"subscription", "status", id, ""}, exitFailure, "Give a status"},
		{[]string{"subscription", "pay"}, exitUsage, "past-due ID"},
		{[]string{"subscription", "--help"}, 0, ""},
	} {
		code, _, complaint := s.run(test.args...)
		if code != test.code || !strings.Contains(complaint, test.says) {
			t.Errorf("%v: exit %d, want %d saying %q: %s", test.args, code, test.code, test.says, complaint)
		}
	}
}

package rehearsal_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/rehearsal"
)

// What was rehearsed is what the service invoices after the apply; without it, it is as without the change; and what
// another system changes since is explained, with its date.
func TestCompare(t *testing.T) {
	i := newApplied(t, teams(3, nil))
	i.Write("infra/main.tf", teams(4, func(n int) string {
		if n == 0 {
			return fmt.Sprintf("  name = \"team-0\"\n  plan = %q\n", silver)
		}
		if n == 2 {
			return "-"
		}
		return ""
	}))
	i.run("init", "-input=false")
	file := i.plan()
	report, err := i.rehearse(t.Context(), rehearsal.Options{Days: 100, File: file, Plan: i.read(file)})
	if err != nil || report.Result != rehearsal.Applied {
		t.Fatalf("%+v, %v", report, err)
	}
	var document bytes.Buffer
	if err := report.Page().JSON(&document); err != nil {
		t.Fatal(err)
	}
	compare := func(state []byte) (*rehearsal.Aftermath, string) {
		t.Helper()
		before := len(i.service.Requests())
		getenv := func(name string) string { return i.Env[name] }
		a, err := rehearsal.Compare(t.Context(), document.Bytes(), state, getenv, nil, func(string) {})
		if err != nil {
			t.Fatal(err)
		}
		for _, q := range i.service.Requests()[before:] {
			if q.Method != "GET" {
				t.Errorf("the service got %s %s", q.Method, q.Path)
			}
		}
		var text bytes.Buffer
		if err := a.Page().Text(&text); err != nil {
			t.Fatal(err)
		}
		return a, text.String()
	}
	if a, text := compare(nil); a.Code() != 1 || !strings.Contains(text, "as without the change") {
		t.Errorf("%d %s", a.Code(), text)
	}
	i.run("apply", "-input=false", file)
	command := i.Command("show", "-json")
	command.Dir = i.folder
	state, err := command.Output()
	if err != nil {
		t.Fatal(err)
	}
	i.service.Clock().Advance(100 * 24 * time.Hour)
	a, text := compare(state)
	if a.Code() != 0 || !strings.HasPrefix(text, "6 of 6 amounts as rehearsed\n") ||
		strings.Count(text, "as with the change") != 3 {
		t.Errorf("%d %s", a.Code(), text)
	}
	w := &world{t: t, server: i.service, client: clientOf(i.service)}
	for id, of := range w.state(i.service, time.Time{}) {
		if strings.HasPrefix(id, "subscription ") && of["external_id"] == "team-0" {
			w.send("", "PATCH", "/v1/subscriptions/"+fmt.Sprint(of["id"]), fields{"discount_percent": 50})
		}
	}
	if a, text := compare(nil); a.Code() != 0 || !strings.Contains(text, "changed since") {
		t.Errorf("%d %s", a.Code(), text)
	}
	other := strings.Replace(document.String(), `"cents": 31027`, `"cents": 31028`, -1)
	document.Reset()
	document.WriteString(other)
	if a, text := compare(state); a.Code() != 3 || !strings.Contains(text, "differ") {
		t.Errorf("%d %s", a.Code(), text)
	}
}

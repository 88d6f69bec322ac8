package core_test

import (
	"fmt"
	"strings"

	"github.com/recurring-billing/terraform-provider-billing/internal/core"
)

// configuration is one note.
func configuration(text string) core.Configuration {
	c, err := core.Parse(fmt.Sprintf("resource \"example_note\" \"n\" {\n  text = %q\n}", text), nil)
	if err != nil {
		panic(err)
	}
	return c
}

func Example() {
	s := &service{notes: map[string]string{}}
	p := &noteProvider{service: s}
	w := core.New(core.Provider{Serve: p.serve})

	// Apply a configuration, and change it.
	plan := w.Plan(configuration("first"))
	fmt.Println(plan.Of("example_note.n").Action, plan.Of("example_note.n").After["id"] == any(core.Unknown))
	fmt.Println(w.Apply(plan, false).Errors, w.State("example_note.n"))
	plan = w.Plan(configuration("second"))
	fmt.Println(plan.Of("example_note.n").Action, w.Apply(plan, false).Errors, s.notes)

	// The response to an update is lost. The state stays, the next plan reads the note, and is empty.
	s.lost = true
	fmt.Println(w.Apply(w.Plan(configuration("third")), false).Errors)
	fmt.Println(w.State("example_note.n")["text"], w.Plan(configuration("third")).Of("example_note.n").Action)

	// The apply of a new note is killed when the service has it: no state names it, so the next plan creates another one.
	killed := make(chan struct{})
	w = core.New(core.Provider{Serve: p.serve})
	w.Killed, s.written = killed, func() { close(killed) }
	fmt.Println(w.Apply(w.Plan(configuration("killed")), false).Errors)
	w.Killed, s.written = nil, nil
	fmt.Println(w.Addresses(), s.notes, w.Plan(configuration("killed")).Of("example_note.n").Action)

	// A provider that breaks a rule of Terraform.
	p.bug = true
	fmt.Println(strings.Split(w.Apply(w.Plan(configuration("planned")), false).Errors[0], ": ")[1:3])

	// Output:
	// create true
	// [] map[id:note-1 text:first]
	// update [] map[note-1:second]
	// [example_note.n: The note may have been changed: the connection was closed]
	// second no-op
	// [example_note.n: Killed: The run was killed.]
	// [] map[note-1:third note-2:killed] create
	// [Provider produced inconsistent result after apply unexpected new value]
}

package life

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/evidence"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// The actions of a step.
const (
	doSet      = "set"      // sets a block: At, Values, Ignore
	doRemove   = "remove"   // removes a block: At
	doDefaults = "defaults" // sets default_custom_metadata: Values
	doForeign  = "foreign"  // another system changes the object: At, What, Body
	doTime     = "time"     // the service's clock advances: By
	doRun      = "run"      // plan and apply: Later, Turns, By between the two, CreateFirst, OtherToken
	doImport   = "import"   // the object is removed from the state and imported: At
	doRename   = "rename"   // the block is renamed, without a moved block: At, To
	doStranger = "stranger" // a plan with the token of another organization
	doCopy     = "copy"     // a plan against a copy of the organization
	doClock    = "clock"    // at the start: the service's clock is By ahead of the local one
	doRewords  = "rewords"  // as the first step: how the service stores texts otherwise, What
)

// step is one step of a life. Values may contain references, {"$ref": "billing_customer.c.id"}, and times, "@48h" after
// the start.
type step struct {
	Do          string   `json:"do"`
	At          string   `json:"at,omitempty"`
	To          string   `json:"to,omitempty"`
	What        string   `json:"what,omitempty"`
	Values      object   `json:"values,omitempty"`
	Ignore      []string `json:"ignore,omitempty"`
	CBD         bool     `json:"cbd,omitempty"`
	Body        object   `json:"body,omitempty"`
	By          string   `json:"by,omitempty"`
	Later       []string `json:"later,omitempty"`
	Turns       object   `json:"turns,omitempty"`
	CreateFirst bool     `json:"createFirst,omitempty"`
	OtherToken  bool     `json:"otherToken,omitempty"` // the apply has the token of another organization
	Fault       string   `json:"fault,omitempty"`      // active while a plan is applied
	// Meets lists the misfortunes of the run. Back takes its changes of the configuration back after them.
	Meets []meeting `json:"meets,omitempty"`
	Back  bool      `json:"back,omitempty"`
}

// meeting is what a request of a run meets.
type meeting struct {
	Of    string `json:"of,omitempty"`    // its operation, ofRead or ofWrite; empty: any
	Nth   int    `json:"nth,omitempty"`   // the number of such requests in the run before it
	Times int    `json:"times,omitempty"` // the number of requests that meet it; 0: one
	// Fault is one of the sandbox, as for `billing-sandbox fault add`, or slow.
	Fault string `json:"fault,omitempty"`
	Twice bool   `json:"twice,omitempty"` // it is carried out twice, and the second response returned
	Date  string `json:"date,omitempty"`  // how far the Date of the response is wrong, or none: it has no Date
	// Kill ends the provider and Terraform after it: its response never arrives. Interrupt interrupts Terraform before it.
	Kill      bool  `json:"kill,omitempty"`
	Interrupt bool  `json:"interrupt,omitempty"`
	Then      *step `json:"then,omitempty"` // what another system does after it
}

// The requests that a meeting may select by what they do.
const ofRead, ofWrite = "read", "write"

func (m meeting) String() string { return encoded(m) }

// met is a meeting that has happened.
type met struct {
	meeting
	operation, method string
	named             bool // the request names an external_id
	billed            bool // each repetition may be billed: it changes or removes a plan
}

func (m met) String() string { return m.operation + " meets " + m.meeting.String() }

// longestHarmless is a latency that is shorter than what an interrupt leaves to a request.
const longestHarmless = 5 * time.Second

// slow is the prefix of a fault: the request is carried out, and its response arrives after a duration.
const slow = "slow="

// arrives reports whether the response to a request that meets a fault arrives, late by a few seconds at most.
func arrives(fault string) bool {
	if fault == "" {
		return true
	}
	if after, isSlow := strings.CutPrefix(fault, slow); isSlow {
		return duration(after) <= longestHarmless
	}
	f, err := sandbox.ParseFault(fault)
	return err == nil && f.Latency > 0 && f.Latency <= longestHarmless && f.Status == 0
}

// promised reports whether a run that meets only this must not show it: the guide on reliability promises that it ends
// as without it.
func (m met) promised() bool {
	if m.Kill || m.Interrupt || m.Then != nil || m.Date != "" || m.operation == "me.get" { // it is asked for 10 s at most
		return false
	}
	if m.Fault == "" {
		return m.Twice
	} else if strings.HasPrefix(m.Fault, slow) {
		return arrives(m.Fault)
	}
	fault, err := sandbox.ParseFault(m.Fault)
	switch {
	case err != nil, fault.Outage > 0, fault.Silent, fault.Late > 0, fault.Other, fault.Foreign != "", fault.Empty:
		return false
	case fault.Lag > 0, fault.Status == http.StatusTooManyRequests:
		return true
	case fault.Status > 0 && fault.Status < http.StatusInternalServerError, m.Times > 2:
		return false
	case fault.Latency > 0:
		return arrives(m.Fault)
	case m.billed:
		return fault.Status == http.StatusInternalServerError || fault.Status == http.StatusServiceUnavailable
	case m.method != http.MethodPost:
		return true
	case evidence.KindOf(m.operation).Create != "":
		return m.named || evidence.KindOf(m.operation).Name == evidence.Record
	default:
		return !strings.Contains(m.operation, "rotate")
	}
}

func (s step) String() string { return encoded(s) }

func encoded(v any) string {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		panic(err)
	}
	return strings.TrimSpace(out.String())
}

// life returns the text of a failure, one step per line.
func life(steps []step) string {
	var lines []string
	for _, s := range steps {
		lines = append(lines, s.String())
	}
	return strings.Join(lines, "\n")
}

// readLife reads steps, one per line; other lines are comments.
func readLife(text string) ([]step, error) {
	var steps []step
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "{") {
			continue
		}
		var s step
		decoder := json.NewDecoder(strings.NewReader(line))
		decoder.UseNumber()
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(&s); err != nil {
			return nil, fmt.Errorf("%s: %w", line, err)
		}
		steps = append(steps, s)
	}
	return steps, nil
}

// expression returns a value of a step as HCL.
func expression(v any, start time.Time) string {
	switch v := v.(type) {
	case object:
		if ref, isRef := v["$ref"].(string); isRef {
			return ref
		}
		var fields []string
		for _, name := range slices.Sorted(maps.Keys(v)) {
			fields = append(fields, fmt.Sprintf("%q = %s", name, expression(v[name], start)))
		}
		return "{" + strings.Join(fields, ", ") + "}"
	case []any:
		elements := make([]string, len(v))
		for i := range v {
			elements[i] = expression(v[i], start)
		}
		return "[" + strings.Join(elements, ", ") + "]"
	default:
		return show(timed(v, start))
	}
}

// timed returns a value with absolute times.
func timed(v any, start time.Time) any {
	return withTexts(v, func(text string) string {
		if after, isTime := strings.CutPrefix(text, "@"); isTime {
			return start.Add(duration(after)).UTC().Format(time.RFC3339)
		}
		return text
	})
}

// withTexts returns a value with other texts, at any depth.
func withTexts(v any, text func(string) string) any {
	switch v := v.(type) {
	case object:
		all := object{}
		for name, inner := range v {
			all[name] = withTexts(inner, text)
		}
		return all
	case []any:
		all := make([]any, len(v))
		for i := range v {
			all[i] = withTexts(v[i], text)
		}
		return all
	case string:
		return text(v)
	}
	return v
}

func duration(text string) time.Duration {
	d, err := time.ParseDuration(text)
	if err != nil {
		panic(err)
	}
	return d
}

// refs returns the addresses that a value refers to.
func refs(v any) (all []string) {
	switch v := v.(type) {
	case object:
		if ref, isRef := v["$ref"].(string); isRef {
			return []string{ref[:strings.LastIndex(ref, ".")]}
		}
		for _, inner := range v {
			all = append(all, refs(inner)...)
		}
	case []any:
		for _, inner := range v {
			all = append(all, refs(inner)...)
		}
	}
	return all
}

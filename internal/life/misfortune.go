package life

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/evidence"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// misfortune is what some requests of a run meet.
type misfortune struct {
	text  string // the command
	of    string // their operation, ofRead or ofWrite; "": any
	nth   int    // the number of such requests in the run before the first one
	times int    // how many meet it; 0: one
	// fault is one of the sandbox, as for `billing-sandbox fault add`; "": none.
	fault string
	date  string // how far the Date of the response is wrong, or none: it has no Date; "": it is right
	twice bool   // the request is carried out twice, and the second response returned
	// kill ends the provider and Terraform: the response never arrives. interrupt interrupts Terraform before the request.
	kill, interrupt bool
	target          string        // of both through Terraform itself: provider, terraform, or both
	delay           time.Duration // and how long after the request
	then            []string      // the command of another system after the request
}

// The requests that a misfortune may select by what they do.
const ofRead, ofWrite = "read", "write"

// misfortuneOf reads the words after "at request".
func misfortuneOf(words []string) (m misfortune, err error) {
	end := slices.IndexFunc(words, func(word string) bool { return strings.HasSuffix(word, ":") })
	if end < 0 {
		return m, errors.New("usage: at request N [of OPERATION] [xTIMES]: EFFECT")
	}
	m.text = joined(append([]string{"at", "request"}, words...))
	head, effects := slices.Clone(words[:end+1]), append(slices.Clone(words[end+1:]), "")
	head[end] = strings.TrimSuffix(head[end], ":")
	check := func(wrong error) { err = errors.Join(err, wrong) }
	number := func(text string) int {
		n, wrong := strconv.Atoi(text)
		if check(wrong); wrong == nil && n < 1 {
			check(fmt.Errorf("%d is not a number from 1", n))
		}
		return n
	}
	lasts := func(text string) time.Duration {
		d, wrong := time.ParseDuration(text)
		check(wrong)
		return d
	}
	m.nth = number(head[0]) - 1
	for _, word := range head[1:] {
		if n, isTimes := strings.CutPrefix(word, "x"); isTimes {
			m.times = number(n)
		} else if word != "of" {
			m.of = word
		}
	}
	if !slices.Contains([]string{"", ofRead, ofWrite}, m.of) {
		_, wrong := sandbox.ParseFault("status=500,operation=" + m.of)
		check(wrong)
	}
	var fault []string
	for i := 0; i < len(effects)-1; i++ {
		switch word := effects[i]; word {
		case "kill":
			m.kill = true
		case "interrupt":
			m.interrupt = true
		case "provider", "terraform", "both":
			m.target = word
		case "twice":
			m.twice = true
		case "delay":
			i++
			m.delay = lasts(effects[i])
		case "date":
			i++
			if m.date = effects[i]; m.date != "none" {
				lasts(m.date)
			}
		case "then":
			if m.then, i = effects[i+1:len(effects)-1], len(effects); len(m.then) == 0 {
				check(errors.New("then needs a command"))
			}
		default:
			fault = append(fault, word)
		}
	}
	if m.fault = strings.Join(fault, ","); m.fault != "" {
		_, wrong := sandbox.ParseFault(m.fault)
		check(wrong)
	}
	return m, err
}

func (m misfortune) String() string { return m.text }

// met is a misfortune that has happened.
type met struct {
	misfortune
	operation, method string
	named             bool // the request names an external_id
	billed            bool // each repetition may be billed: it changes or removes a plan
}

func (m met) String() string { return m.operation + ": " + m.misfortune.String() }

// longestHarmless is a latency that is shorter than what an interrupt leaves to a request.
const longestHarmless = 5 * time.Second

// arrives reports whether the response to a request that meets a fault arrives, late by a few seconds at most.
func arrives(fault string) bool {
	if fault == "" {
		return true
	}
	f, err := sandbox.ParseFault(fault)
	return err == nil && f.Latency > 0 && f.Latency <= longestHarmless && f.Status == 0
}

// promised reports whether a run that meets only this must not show it: the guide on reliability promises that it ends
// as without it.
func (m met) promised() bool {
	if m.kill || m.interrupt || m.then != nil || m.date != "" || m.operation == "me.get" { // it is asked for 10 s at most
		return false
	}
	if m.fault == "" {
		return m.twice
	}
	fault, err := sandbox.ParseFault(m.fault)
	switch {
	case err != nil, fault.Outage > 0, fault.Silent, fault.Late > 0, fault.Other, fault.Foreign != "", fault.Empty:
		return false
	case fault.Lag > 0, fault.Status == http.StatusTooManyRequests:
		return true
	case fault.Status > 0 && fault.Status < http.StatusInternalServerError, m.times > 2:
		return false
	case fault.Latency > 0:
		return arrives(m.fault)
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

// encounters are the misfortunes of a run, and the requests that have met them.
type encounters struct {
	meeting sync.Mutex
	meets   []misfortune
	counts  map[string]int // requests so far, by operation
	met     []met
}

// expect sets what the next run meets.
func (e *encounters) expect(meets []misfortune) {
	e.meeting.Lock()
	defer e.meeting.Unlock()
	e.meets, e.counts, e.met = meets, map[string]int{}, nil
}

// happened returns what the run has met so far, and whether it was killed.
func (e *encounters) happened() (all []met, killed bool) {
	e.meeting.Lock()
	defer e.meeting.Unlock()
	return slices.Clone(e.met), slices.ContainsFunc(e.met, func(m met) bool { return m.kill })
}

// meet returns what the next request meets: the first misfortune that fits.
func (e *encounters) meet(operation, method string, body []byte) (m misfortune) {
	e.meeting.Lock()
	defer e.meeting.Unlock()
	names := []string{"", operation, ofWrite}
	if method == http.MethodGet {
		names[2] = ofRead
	}
	at := slices.IndexFunc(e.meets, func(m misfortune) bool {
		n := e.counts[m.of]
		return slices.Contains(names, m.of) && m.nth <= n && n < m.nth+max(m.times, 1)
	})
	if at >= 0 {
		has := func(part string) bool { return bytes.Contains(body, []byte(part)) }
		m = e.meets[at]
		e.met = append(e.met, met{m, operation, method, has(`"external_id":"`),
			operation == "subscriptions.change_plan" || has(`"plan_id":null`)})
	}
	for _, name := range names {
		e.counts[name]++
	}
	return m
}

// lags reports whether reads lag.
func (m misfortune) lags() bool { return strings.HasPrefix(m.fault, "lag=") }

func duration(text string) time.Duration {
	d, err := time.ParseDuration(text)
	if err != nil {
		panic(err)
	}
	return d
}

// joined returns words as a line that split reads.
func joined(words []string) string {
	quoted := slices.Clone(words)
	for i, word := range words {
		if word == "" || strings.ContainsAny(word, " \t'#") {
			quoted[i] = "'" + strings.ReplaceAll(word, "'", "''") + "'"
		}
	}
	return strings.Join(quoted, " ")
}

package server

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/store"
)

// Fault is a failure injected into matching requests. Faults are tried in the order in which they were added; a request
// gets at most one.
//
// Latency by itself delays the request. Status, Body, Foreign and Empty respond without processing. With After, Latency
// delays the response, and the others replace it, once the request has been processed and stored. TruncateBody cuts the
// response. Lag and Other affect only GETs.
//
// Fields with a key can be set on a command line, in this order.
type Fault struct {
	ID         string // set by Add
	Operation  string `key:"operation"` // name in the wire contract, such as "customers.create"; empty: any
	Method     string `key:"method"`    // empty: any
	PathPrefix string `key:"path"`      // empty: any
	Times      int    `key:"times"`     // number of affected requests; 0: until removed, or one for Silent and Outage
	Skip       int    `key:"skip"`      // number of matching requests that pass first

	Latency time.Duration `key:"latency"` // delay before processing, or After it; ends early if the client disconnects
	Status  int           `key:"status"`  // 0: 200 with a Body or Empty
	// RetryAfter is the value of the header; "date:30s" is an HTTP date that far ahead of the sandbox's clock; empty: no
	// header.
	RetryAfter string `key:"retry-after"`
	Code       string `key:"code"`        // error code; empty: the one usual for Status
	DropBefore bool   `key:"drop=before"` // the connection is closed before processing
	DropAfter  bool   `key:"drop=after"`  // the request is processed and stored, then the connection is closed
	// Late: the request gets a response unprocessed, and is processed this long after its arrival, by the local clock.
	Late         time.Duration `key:"late"`
	After        bool          `key:"after"`    // Latency, Status and bodies come after processing
	TruncateBody bool          `key:"truncate"` // the response ends before its Content-Length
	Empty        bool          `key:"empty"`    // no body at all
	// Foreign is one of ForeignKinds: a response from something other than the service, 404 unless Status is set.
	Foreign string `key:"foreign"`

	Lag   time.Duration `key:"lag"`   // a GET does not see writes as recent as this, at most MaxLag
	Other bool          `key:"other"` // a GET of one object gets another one of its type, where there is one
	// Silent: the open connections of the service go silent without being closed; new
	// ones work.
	Silent bool `key:"silent"`
	// Outage: from this request on, all services reset connections, or return Status, for this time.
	Outage time.Duration `key:"outage"`
	Clock  time.Duration `key:"clock"` // while in force, the sandbox's clock is so far from this machine's; stands alone
	Body   string        `key:"body"`  // sent unchanged
}

// MaxLag is the longest Lag: older versions of a row are not kept.
const MaxLag = store.Memory

// FaultSpecHelp describes the command-line syntax of a fault.
const FaultSpecHelp = `KEY=VALUE,… of
  operation=NAME     only this operation, such as customers.create
  method=METHOD      only this HTTP method
  path=PREFIX        only paths with this prefix
  times=N            number of requests that it affects; if unset, all until it is removed
  skip=N             number of matching requests that pass first
  latency=DURATION   waits, such as 2s
  status=N           returns this status without processing
  retry-after=VALUE  header with a status: seconds, or date:30s for an HTTP date
  code=CODE          error code of the response
  drop=before|after  drops the connection before or after the request is processed
  late=DURATION      with a status or drop=before: processes the request DURATION after it
                     arrived, when it has been answered long since
  after              waits, or returns the status, after the request is processed
  truncate           the response ends before its Content-Length
  empty              the response has no body
  foreign=KIND       a response that does not come from the service: without Request-Id,
                     404 if status is unset; one of html, json, error, flat, empty
  lag=DURATION       GETs do not see writes of the last DURATION, at most 1m: no new
                     object, the old version of a changed one, and a deleted one
  other              a GET of one object returns another object of that type
  silent             the open connections to the service stop responding without being
                     closed, new ones work; once if times is unset
  outage=DURATION    from this request on, all services are away for DURATION: they reset
                     connections, or return the status; once if times is unset
  clock=OFFSET       the service's clock differs by OFFSET from this machine's, such as
                     -24h, until it is removed; takes no other key
  body=TEXT          the body of the response; must come last, may contain commas`

// faultKeys lists the keys in order; faultFields maps a key to the index of its field.
var faultKeys, faultFields = func() (keys []string, fields map[string]int) {
	fields = map[string]int{}
	for field := range reflect.TypeFor[Fault]().Fields() {
		if key := field.Tag.Get("key"); key != "" {
			keys, fields[key] = append(keys, key), field.Index[0]
		}
	}
	return keys, fields
}()

// FaultKeys returns the keys of a fault, with = if a value follows.
func FaultKeys() (keys []string) {
	for _, key := range faultKeys {
		if !isFlag(key) {
			key += "="
		}
		keys = append(keys, key)
	}
	return keys
}

const aDuration = "must be a duration such as 500ms or 2s"

var faultMethods = []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete}

// faultRules describe the valid values of keys that do not accept every text.
var faultRules = map[string]struct {
	must   string
	passes func(f Fault) bool
}{
	"method": {"must be one of " + strings.Join(faultMethods, ", "),
		func(f Fault) bool { return slices.Contains(faultMethods, f.Method) }},
	"path":    {"must begin with /", func(f Fault) bool { return strings.HasPrefix(f.PathPrefix, "/") }},
	"times":   {"must be a number from 1 up", func(f Fault) bool { return f.Times >= 1 }},
	"skip":    {"must be a number from 0 up", func(f Fault) bool { return f.Skip >= 0 }},
	"latency": {aDuration, func(f Fault) bool { return f.Latency >= 0 }},
	"status": {"must be an HTTP status from 200 to 599",
		func(f Fault) bool { return f.Status >= http.StatusOK && f.Status <= 599 }},
	"retry-after": {"must be a number of seconds, or date:30s for an HTTP date",
		func(f Fault) bool { _, ok := retryAfter(f.RetryAfter, time.Time{}); return ok }},
	"foreign": {"must be one of " + strings.Join(ForeignKinds(), ", "),
		func(f Fault) bool { return slices.Contains(ForeignKinds(), f.Foreign) }},
	"lag": {aDuration + ", and at most " + MaxLag.String(),
		func(f Fault) bool { return f.Lag > 0 && f.Lag <= MaxLag }},
	"late":   {aDuration, func(f Fault) bool { return f.Late > 0 }},
	"outage": {aDuration, func(f Fault) bool { return f.Outage > 0 }},
	"clock":  {"must be a duration such as 24h or -90s", func(f Fault) bool { return f.Clock != 0 }},
}

func (f *Fault) set(key, value string) (err error) {
	switch field := reflect.ValueOf(f).Elem().Field(faultFields[key]).Addr().Interface().(type) {
	case *string:
		*field = value
	case *bool:
		*field = true
	case *int:
		*field, err = strconv.Atoi(value)
	case *time.Duration:
		*field, err = ParseDuration(value)
	}
	f.Method = strings.ToUpper(f.Method)
	if rule, ok := faultRules[key]; ok && (err != nil || !rule.passes(*f)) {
		return errors.New(rule.must)
	}
	return nil
}

func isFlag(key string) bool {
	return reflect.TypeFor[Fault]().Field(faultFields[key]).Type.Kind() == reflect.Bool
}

// ParseFault parses a fault in the syntax of FaultSpecHelp. Errors name the invalid key and its valid values.
func ParseFault(spec string, operations []string) (Fault, error) {
	var f Fault
	var given []string
	for rest := spec; rest != ""; {
		var part string
		if part, rest, _ = strings.Cut(rest, ","); strings.HasPrefix(part, "body=") && rest != "" {
			part, rest = part+","+rest, ""
		}
		name, err := f.read(part, given, operations)
		if err != nil {
			return Fault{}, fmt.Errorf("fault %q: %w", spec, err)
		}
		given = append(given, name)
	}
	return f, f.check(spec, len(given))
}

// read sets the field for KEY=VALUE or KEY, and returns the key.
func (f *Fault) read(part string, given, operations []string) (name string, err error) {
	name, value, valued := strings.Cut(part, "=")
	key := name
	if name == "drop" {
		key, valued = part, false // each value has its own field
	}
	_, known := faultFields[key]
	switch {
	case !known && name == "drop":
		err = errors.New("must be before or after")
	case !known:
		return name, fmt.Errorf("no key %q; %s", key, keysNear(key))
	case slices.Contains(given, name):
		err = errors.New("is given twice")
	case valued && isFlag(key):
		err = errors.New("takes no value")
	case !valued && !isFlag(key):
		err = errors.New("needs a value")
	case key == "operation":
		f.Operation, err = value, knownOperation(value, operations)
	default:
		err = f.set(key, value)
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", name, err)
	}
	return name, err
}

// check rejects incompatible keys.
func (f *Fault) check(spec string, keys int) error {
	switch {
	case f.Clock != 0 && keys > 1:
		return fmt.Errorf("fault %q: clock takes no other key", spec)
	case f.Late != 0 && (f.After || f.DropAfter || !f.responds() && !f.DropBefore):
		return fmt.Errorf("fault %q: late takes a status, foreign, empty, body or drop=before, and neither "+
			"after nor drop=after", spec)
	case !f.does():
		return fmt.Errorf("fault %q does nothing: give one of %s", spec,
			"latency, status, drop, truncate, empty, body, foreign, lag, other, silent, outage, clock")
	}
	return nil
}

// wait waits for Latency before or after the request is processed.
func (f Fault) wait(ctx context.Context, after bool) error {
	if f.After != after {
		return nil
	}
	return Wait(ctx, f.Latency)
}

func (f Fault) does() bool {
	return f.responds() || f.DropBefore || f.DropAfter || f.TruncateBody || f.Other || f.Silent ||
		f.Latency != 0 || f.Lag != 0 || f.Outage != 0 || f.Clock != 0
}

// keysNear suggests the keys that an unknown one may have meant.
func keysNear(key string) string {
	if near, ok := Nearest(key, faultKeys); ok {
		return "did you mean " + near + "?"
	}
	return "keys are " + strings.Join(faultKeys, ", ") + "; see \"help fault\""
}

// String returns the fault in the syntax of ParseFault.
func (f Fault) String() string {
	var parts []string
	for _, key := range faultKeys {
		value := reflect.ValueOf(f).Field(faultFields[key])
		switch {
		case value.IsZero():
		case isFlag(key):
			parts = append(parts, key)
		default:
			parts = append(parts, key+"="+fmt.Sprint(value.Interface()))
		}
	}
	return strings.Join(parts, ",")
}

// shownNames is the maximum number of names that an error suggests.
const shownNames = 5

// knownOperation rejects unknown names.
func knownOperation(name string, names []string) error {
	if slices.Contains(names, name) {
		return nil
	}
	near := slices.DeleteFunc(slices.Clone(names), func(n string) bool { return !strings.Contains(n, name) })
	if one, ok := Nearest(name, names); ok {
		near = []string{one}
	}
	hint := ";"
	if len(near) > 0 {
		hint = "; did you mean " + strings.Join(near[:min(len(near), shownNames)], ", ") + "?"
	}
	return fmt.Errorf("the sandbox serves no operation %q%s \"billing-sandbox operations\" lists all", name, hint)
}

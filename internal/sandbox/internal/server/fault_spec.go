package server

import (
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
)

// FaultSpecHelp says how a fault is written on a command line.
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
  after              returns the status after the request is processed
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

// faultField is one key of a fault's spec: a field of the fault, which is a *string, *int, *bool, *time.Duration or
// drop, and what a value must be.
type faultField struct {
	key   string
	field func(f *Fault) any
	must  string              // the message about a value that is not taken
	takes func(f *Fault) bool // after the field was set; nil: everything that can be read
}

const aDuration = "must be a duration such as 500ms or 2s"

var faultMethods = []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete}

var faultFields = []faultField{
	{key: "operation", field: func(f *Fault) any { return &f.Operation }},
	{"method", func(f *Fault) any { return &f.Method }, "must be one of " + strings.Join(faultMethods, ", "),
		func(f *Fault) bool {
			f.Method = strings.ToUpper(f.Method)
			return slices.Contains(faultMethods, f.Method)
		}},
	{key: "path", field: func(f *Fault) any { return &f.PathPrefix }},
	{"times", func(f *Fault) any { return &f.Times }, "must be a number from 0 up",
		func(f *Fault) bool { return f.Times >= 0 }},
	{"skip", func(f *Fault) any { return &f.Skip }, "must be a number from 0 up",
		func(f *Fault) bool { return f.Skip >= 0 }},
	{"latency", func(f *Fault) any { return &f.Latency }, aDuration, func(f *Fault) bool { return f.Latency >= 0 }},
	{"status", func(f *Fault) any { return &f.Status }, "must be an HTTP status from 200 to 599",
		func(f *Fault) bool { return f.Status >= http.StatusOK && f.Status <= 599 }},
	{key: "retry-after", field: func(f *Fault) any { return &f.RetryAfter }},
	{key: "code", field: func(f *Fault) any { return &f.Code }},
	{"drop", func(f *Fault) any { return drop{f} }, "must be before or after",
		func(f *Fault) bool { return f.DropBefore || f.DropAfter }},
	{key: "after", field: func(f *Fault) any { return &f.After }},
	{key: "truncate", field: func(f *Fault) any { return &f.TruncateBody }},
	{key: "empty", field: func(f *Fault) any { return &f.Empty }},
	{"foreign", func(f *Fault) any { return &f.Foreign }, "must be one of " + strings.Join(ForeignKinds(), ", "),
		func(f *Fault) bool { _, ok := foreignBodies[f.Foreign]; return ok }},
	{"lag", func(f *Fault) any { return &f.Lag }, aDuration + ", and at most " + MaxLag.String(),
		func(f *Fault) bool { return f.Lag > 0 && f.Lag <= MaxLag }},
	{key: "other", field: func(f *Fault) any { return &f.Other }},
	{key: "silent", field: func(f *Fault) any { return &f.Silent }},
	{"outage", func(f *Fault) any { return &f.Outage }, aDuration, func(f *Fault) bool { return f.Outage > 0 }},
	{key: "clock", field: func(f *Fault) any { return &f.Clock }, must: "must be a duration such as 24h or -90s"},
	{key: "body", field: func(f *Fault) any { return &f.Body }},
}

// drop is the key of two fields.
type drop struct{ *Fault }

// isFlag reports whether the key has no value.
func (k faultField) isFlag() bool {
	_, flag := k.field(new(Fault)).(*bool)
	return flag
}

// read sets the field.
func (k faultField) read(f *Fault, value string) error {
	var err error
	switch field := k.field(f).(type) {
	case drop:
		field.DropBefore, field.DropAfter = value == "before", value == "after"
	case *string:
		*field = value
	case *bool:
		*field = true
	case *int:
		*field, err = strconv.Atoi(value)
	case *time.Duration:
		*field, err = time.ParseDuration(value)
	}
	if err != nil || k.takes != nil && !k.takes(f) {
		return errors.New(k.must)
	}
	return nil
}

// write is the field as read takes it; empty: it is not set.
func (k faultField) write(f Fault) string {
	field := k.field(&f)
	if _, ok := field.(drop); ok {
		switch {
		case f.DropBefore:
			return "before"
		case f.DropAfter:
			return "after"
		}
		return ""
	}
	value := reflect.ValueOf(field).Elem()
	if value.IsZero() {
		return ""
	}
	return fmt.Sprint(value.Interface())
}

// ParseFault reads a fault as FaultSpecHelp describes it, of one of the
// operations. The error names the key that is wrong, and what it may be.
func ParseFault(spec string, operations []string) (Fault, error) {
	var f Fault
	for rest := spec; rest != ""; {
		var part string
		if part, rest, _ = strings.Cut(rest, ","); strings.HasPrefix(part, "body=") && rest != "" {
			part, rest = part+","+rest, ""
		}
		key, value, valued := strings.Cut(part, "=")
		i := slices.IndexFunc(faultFields, func(field faultField) bool { return field.key == key })
		if i < 0 {
			return Fault{}, fmt.Errorf("fault %q: no key %q; %s", spec, key, keysNear(key))
		}
		if valued == faultFields[i].isFlag() {
			return Fault{}, fmt.Errorf("fault %q: %s", spec, needs(faultFields[i]))
		}
		if err := faultFields[i].read(&f, value); err != nil {
			return Fault{}, fmt.Errorf("fault %q: %s: %w", spec, key, err)
		}
		if key != "operation" {
			continue
		}
		if err := knownOperation(value, operations); err != nil {
			return Fault{}, fmt.Errorf("fault %q: %s: %w", spec, key, err)
		}
	}
	if alone := (Fault{Clock: f.Clock}); f.Clock != 0 && f != alone {
		return Fault{}, fmt.Errorf("fault %q: clock takes no other key", spec)
	}
	if !f.does() {
		return Fault{}, fmt.Errorf("fault %q does nothing: give one of %s", spec,
			"latency, status, drop, truncate, empty, body, "+
				"foreign, lag, other, silent, outage, clock")
	}
	return f, nil
}

// does reports whether a request that meets the fault gets anything but the usual.
func (f Fault) does() bool {
	return f.responds() || f.DropBefore || f.DropAfter || f.TruncateBody || f.Other || f.Silent ||
		f.Latency != 0 || f.Lag != 0 || f.Outage != 0 || f.Clock != 0
}

// keysNear says what a key that is none may be meant to be.
func keysNear(key string) string {
	var keys []string
	for _, field := range faultFields {
		keys = append(keys, field.key)
	}
	if near, ok := Nearest(key, keys); ok {
		return "did you mean " + near + "?"
	}
	return "a fault is " + FaultSpecHelp
}

func needs(field faultField) string {
	if field.isFlag() {
		return field.key + " takes no value"
	}
	return field.key + " needs a value"
}

// String writes the fault as ParseFault reads it.
func (f Fault) String() string {
	var parts []string
	for _, field := range faultFields {
		value := field.write(f)
		switch {
		case value == "":
		case field.isFlag():
			parts = append(parts, field.key)
		default:
			parts = append(parts, field.key+"="+value)
		}
	}
	return strings.Join(parts, ",")
}

// knownOperation rejects a name that no request would ever match.
func knownOperation(name string, names []string) error {
	if slices.Contains(names, name) {
		return nil
	}
	if near, ok := Nearest(name, names); ok {
		return fmt.Errorf("the sandbox serves no operation %q; did you mean %s?", name, near)
	}
	return fmt.Errorf("the sandbox serves no operation %q; names are such as %s", name, names[0])
}

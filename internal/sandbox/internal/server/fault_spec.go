package server

import (
	"errors"
	"fmt"
	"net/http"
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

// faultField reads and writes one key of a fault's spec.
type faultField struct {
	key   string
	flag  bool // a key without a value
	read  func(f *Fault, value string) error
	write func(f Fault) string // empty: not set
}

var faultFields = []faultField{
	{"operation", false, func(f *Fault, v string) error { f.Operation = v; return nil },
		func(f Fault) string { return f.Operation }},
	{"method", false, readMethod, func(f Fault) string { return f.Method }},
	{"path", false, func(f *Fault, v string) error { f.PathPrefix = v; return nil },
		func(f Fault) string { return f.PathPrefix }},
	{"times", false, func(f *Fault, v string) error { return count(&f.Times, v) },
		func(f Fault) string { return number(f.Times) }},
	{"skip", false, func(f *Fault, v string) error { return count(&f.Skip, v) },
		func(f Fault) string { return number(f.Skip) }},
	{"latency", false, readLatency, func(f Fault) string { return duration(f.Latency) }},
	{"status", false, readStatus, func(f Fault) string { return number(f.Status) }},
	{"retry-after", false, func(f *Fault, v string) error { f.RetryAfter = v; return nil },
		func(f Fault) string { return f.RetryAfter }},
	{"code", false, func(f *Fault, v string) error { f.Code = v; return nil },
		func(f Fault) string { return f.Code }},
	{"drop", false, readDrop, writeDrop},
	{"after", true, func(f *Fault, _ string) error { f.After = true; return nil },
		func(f Fault) string { return marked(f.After) }},
	{"truncate", true, func(f *Fault, _ string) error { f.TruncateBody = true; return nil },
		func(f Fault) string { return marked(f.TruncateBody) }},
	{"empty", true, func(f *Fault, _ string) error { f.Empty = true; return nil },
		func(f Fault) string { return marked(f.Empty) }},
	{"foreign", false, readForeign, func(f Fault) string { return f.Foreign }},
	{"lag", false, readLagKey, func(f Fault) string { return duration(f.Lag) }},
	{"other", true, func(f *Fault, _ string) error { f.Other = true; return nil },
		func(f Fault) string { return marked(f.Other) }},
	{"silent", true, func(f *Fault, _ string) error { f.Silent = true; return nil },
		func(f Fault) string { return marked(f.Silent) }},
	{"outage", false, func(f *Fault, v string) error { return positive(&f.Outage, v) },
		func(f Fault) string { return duration(f.Outage) }},
	{"clock", false, readOffset, func(f Fault) string { return duration(f.Clock) }},
	{"body", false, func(f *Fault, v string) error { f.Body = v; return nil },
		func(f Fault) string { return f.Body }},
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
		if valued == faultFields[i].flag {
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
	if field.flag {
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
		case field.flag:
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

// readMethod rejects what no operation is asked with.
func readMethod(f *Fault, value string) error {
	f.Method = strings.ToUpper(value)
	methods := []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete}
	if !slices.Contains(methods, f.Method) {
		return errors.New("must be one of " + strings.Join(methods, ", "))
	}
	return nil
}

func readLatency(f *Fault, value string) error {
	d, err := time.ParseDuration(value)
	if err != nil || d < 0 {
		return errors.New("must be a duration such as 500ms or 2s")
	}
	f.Latency = d
	return nil
}

// positive reads a duration of more than nothing.
func positive(into *time.Duration, value string) error {
	d, err := time.ParseDuration(value)
	if err != nil || d <= 0 {
		return errors.New("must be a duration such as 500ms or 2s")
	}
	*into = d
	return nil
}

func readLagKey(f *Fault, value string) error {
	if err := positive(&f.Lag, value); err != nil {
		return err
	}
	if f.Lag > MaxLag {
		return fmt.Errorf("must be at most %s", MaxLag)
	}
	return nil
}

func readOffset(f *Fault, value string) error {
	d, err := time.ParseDuration(value)
	if err != nil {
		return errors.New("must be a duration such as 24h or -90s")
	}
	f.Clock = d
	return nil
}

func readForeign(f *Fault, value string) error {
	if _, ok := foreignBodies[value]; !ok {
		return errors.New("must be one of " + strings.Join(ForeignKinds(), ", "))
	}
	f.Foreign = value
	return nil
}

func duration(d time.Duration) string {
	if d == 0 {
		return ""
	}
	return d.String()
}

func readStatus(f *Fault, value string) error {
	n, err := strconv.Atoi(value)
	if err != nil || n < http.StatusOK || n > 599 {
		return errors.New("must be an HTTP status from 200 to 599")
	}
	f.Status = n
	return nil
}

func readDrop(f *Fault, value string) error {
	f.DropBefore, f.DropAfter = value == "before", value == "after"
	if !f.DropBefore && !f.DropAfter {
		return errors.New("must be before or after")
	}
	return nil
}

func writeDrop(f Fault) string {
	switch {
	case f.DropBefore:
		return "before"
	case f.DropAfter:
		return "after"
	default:
		return ""
	}
}

func count(into *int, value string) error {
	n, err := strconv.Atoi(value)
	if err != nil || n < 0 {
		return errors.New("must be a number from 0 up")
	}
	*into = n
	return nil
}

func number(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

func marked(flag bool) string {
	if flag {
		return "set"
	}
	return ""
}

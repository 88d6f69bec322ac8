package api

import (
	"errors"
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/agext/levenshtein"
)

// Operations maps operation names to methods and path templates. The zero value is the default table. It is immutable.
type Operations struct {
	overrides map[string]route
}

// DefaultOperations returns the table of the wire contract.
func DefaultOperations() Operations { return Operations{} }

// OperationNames returns the names of all operations of the three services, sorted.
func OperationNames() []string {
	return slices.Sorted(maps.Keys(operations))
}

// Lookup returns the method and path template of an operation.
func (o Operations) Lookup(name string) (method, template string, ok bool) {
	r, ok := o.route(name)
	return r.method, r.template, ok
}

func (o Operations) route(name string) (route, bool) {
	if r, ok := o.overrides[name]; ok {
		return r, true
	}
	row, ok := operations[name]
	return row.route, ok
}

// RepeatedPath returns the end of a base address that repeats the beginning of the service's paths, such as /v1. It
// returns "" if there is none, or if the beginning of the paths is configured.
func (o Operations) RepeatedPath(service, address string) string {
	address = strings.TrimRight(address, "/")
	longest := ""
	for name, row := range contract[service] {
		if current, _ := o.route(name); current != row.route {
			continue
		}
		fixed, _, _ := strings.Cut(row.template, "/{")
		for end := fixed; strings.Contains(end, "/v1"); end = end[:strings.LastIndexByte(end, '/')] {
			if strings.HasSuffix(address, end) && len(end) > len(longest) {
				longest = end
			}
		}
	}
	return longest
}

// OperationError is an invalid override of an operation. Reason contains the problem and the advice, and not the value,
// which may be a secret in the wrong place.
type OperationError struct {
	Name, Reason string
}

func (e *OperationError) Error() string { return fmt.Sprintf("operation %q: %s", e.Name, e.Reason) }

// ParseOperations applies overrides ("METHOD /path/{id}") to the defaults. The error joins an *OperationError for each
// invalid override, sorted by name.
func ParseOperations(overrides map[string]string) (Operations, error) {
	parsed := make(map[string]route, len(overrides))
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(overrides)) {
		r, reason := parseRoute(name, overrides[name])
		if reason != "" {
			errs = append(errs, &OperationError{Name: name, Reason: reason})
			continue
		}
		parsed[name] = r
	}
	if len(errs) > 0 {
		return Operations{}, errors.Join(errs...)
	}
	return Operations{overrides: parsed}, nil
}

var methods = []string{"GET", "POST", "PUT", "PATCH", "DELETE"}

// parseRoute parses one override; a non-empty reason rejects it.
func parseRoute(name, value string) (r route, reason string) {
	base, known := operations[name]
	if !known {
		return route{}, fmt.Sprintf("unknown operation; the closest names are %s",
			quoteList(Nearest(name, OperationNames(), 3)))
	}
	example := fmt.Sprintf("write it like %q", base.method+" "+base.template)
	parts := strings.Fields(value)
	if len(parts) != 2 {
		return route{}, "expected a method and a path, separated by one space; " + example
	}
	method, template := parts[0], parts[1]
	if !slices.Contains(methods, method) {
		return route{}, fmt.Sprintf("unknown method; use one of %s, in capitals; %s", strings.Join(methods, ", "), example)
	}
	if reason := checkTemplate(template); reason != "" {
		return route{}, reason + "; " + example
	}
	if reason := checkPlaceholders(template, base.template); reason != "" {
		return route{}, reason + "; " + example
	}
	return route{method: method, template: template}, ""
}

var placeholder = regexp.MustCompile(`\{([A-Za-z_][A-Za-z0-9_]*)\}`)

// checkTemplate rejects a template that is not a plain absolute path.
func checkTemplate(template string) string {
	switch {
	case !strings.HasPrefix(template, "/"):
		return `the path must start with "/" (it is appended to the base address)`
	case strings.ContainsAny(template, "?#"):
		return "the path must carry no query (?) and no fragment (#)"
	case strings.Contains(template, `\`):
		return `the path must not contain a backslash`
	}
	literal := placeholder.ReplaceAllString(template, "x")
	if strings.ContainsAny(literal, "{}") {
		return "a brace in the path is not part of a placeholder like {id}"
	}
	decoded, err := url.PathUnescape(literal)
	if err != nil {
		return "the path contains a percent sign that is not an escape"
	}
	if strings.ContainsFunc(decoded, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return "the path must hold no control characters"
	}
	segments := strings.Split(strings.TrimSuffix(decoded[1:], "/"), "/")
	for _, segment := range segments {
		switch segment {
		case "":
			return "the path holds an empty segment"
		case ".", "..":
			return fmt.Sprintf("the path must not contain a %q segment", segment)
		}
	}
	return ""
}

// checkPlaceholders compares the placeholders of a path with those of the operation.
func checkPlaceholders(template, documented string) string {
	have, want := placeholders(template), placeholders(documented)
	for _, name := range want {
		if !slices.Contains(have, name) {
			return fmt.Sprintf("the placeholder {%s} is missing from the path", name)
		}
	}
	for _, name := range have {
		if !slices.Contains(want, name) {
			if len(want) == 0 {
				return "unknown placeholder: this operation has none"
			}
			return fmt.Sprintf("unknown placeholder: this operation has {%s}", strings.Join(want, "}, {"))
		}
	}
	return ""
}

func placeholders(template string) []string {
	var names []string
	for _, match := range placeholder.FindAllStringSubmatch(template, -1) {
		names = append(names, match[1])
	}
	return names
}

// Nearest returns up to n of names, the most similar to name.
func Nearest(name string, names []string, n int) []string {
	names = slices.Clone(names)
	slices.SortStableFunc(names, func(a, b string) int { return Distance(name, a) - Distance(name, b) })
	return names[:min(n, len(names))]
}

// Distance is the Levenshtein distance. It uses only the start of long names, because the cost is the product of the
// lengths.
func Distance(a, b string) int { return levenshtein.Distance(a[:min(len(a), 64)], b, nil) }

func quoteList(names []string) string {
	quoted := make([]string, len(names))
	for i, name := range names {
		quoted[i] = fmt.Sprintf("%q", name)
	}
	return strings.Join(quoted, ", ")
}

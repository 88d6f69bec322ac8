package object

import (
	"maps"
	"net/http"
	"slices"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
)

// ErrorAttributes maps the fields that the service rejects in an operation to the argument that requires it, because
// the fields of an operation and the arguments have different names.
type ErrorAttributes struct {
	// Argument is the argument that requires the operation. Rejections without a field are reported at it; optional.
	Argument string
	// Fields maps the operation's own fields to arguments, such as resumes_at: pause.resumes_at.
	Fields map[string]string
}

// Arguments returns all mapped arguments.
func (a ErrorAttributes) Arguments() []string {
	names := slices.Sorted(maps.Values(a.Fields))
	if a.Argument != "" {
		names = append(names, a.Argument)
	}
	return names
}

// On maps the fields of err to arguments. An unknown outcome is returned unchanged.
func (a ErrorAttributes) On(err error) error {
	e, ok := api.AsError(err)
	if _, ambiguous := api.AsAmbiguous(err); !ok || ambiguous || a.Argument == "" && len(a.Fields) == 0 {
		return err
	}
	blamed := *e
	blamed.Field = a.name(e.Field)
	blamed.Fields = make(map[string]string, len(e.Fields))
	for field, wrong := range e.Fields {
		blamed.Fields[a.name(field)] = wrong
	}
	if e.Status == http.StatusUnprocessableEntity && blamed.Field == "" && len(e.Fields) == 0 {
		blamed.Field = a.Argument
	}
	return &blamed
}

func (a ErrorAttributes) name(field string) string {
	if known, ok := a.Fields[field]; ok {
		return known
	}
	return field
}

package object

import (
	"net/http"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
)

// Blame maps what the service rejects about an operation to the argument that asked for it: the fields of an
// operation are not named as the arguments are.
type Blame struct {
	// Argument is the one that asks for the operation. A rejection that names no field is about it; "" is no argument.
	Argument string
	// Fields are the operation's own fields, each as the configuration calls it, such as resumes_at: pause.resumes_at.
	Fields map[string]string
}

// On is err, speaking of the arguments. An outcome that is not known stays as it is.
func (b Blame) On(err error) error {
	e, ok := api.AsError(err)
	if _, ambiguous := api.AsAmbiguous(err); !ok || ambiguous || b.Argument == "" && len(b.Fields) == 0 {
		return err
	}
	blamed := *e
	blamed.Field = b.name(e.Field)
	if len(e.Fields) > 0 {
		blamed.Fields = make(map[string]string, len(e.Fields))
		for field, wrong := range e.Fields {
			blamed.Fields[b.name(field)] = wrong
		}
	}
	if e.Status == http.StatusUnprocessableEntity && blamed.Field == "" && len(e.Fields) == 0 {
		blamed.Field = b.Argument
	}
	return &blamed
}

func (b Blame) name(field string) string {
	if known, ok := b.Fields[field]; ok {
		return known
	}
	return field
}

// Package apidiag turns errors of the services into diagnostics on the rejected argument, with the next step, the
// service's code and the Request-Id.
package apidiag

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/value"
)

// verbCreate is the verb of creations. An object with an external_id has advice of its own.
const verbCreate = "create"

// Operation describes a failed operation for the message "Could not <Verb> <Object>".
type Operation struct {
	// Verb is an infinitive: create, read, update, delete.
	Verb string
	// Object names the object for the user: `customer "Acme" (id …)`.
	Object string
	// TypeName is the Terraform type for an import block in the message; "" omits the block.
	TypeName string
	// Keys maps error codes that come without a field to attributes.
	Keys map[string]string
	// Model is the object that was sent, a struct with tfsdk tags: an error in one of its attributes is reported there,
	// with its value. Other errors are about the whole object.
	Model any
	// Created returns the name of an object that this run has created, by its id, or "". It is optional.
	Created func(id string) string
	// Choices returns a sentence with the accepted values of an argument, such as the existing plans, or "". It is called
	// once, for the rejected argument. It is optional.
	Choices func(argument string) string
}

// Of returns the operation with the model that was sent, if that differs from the one that names the object.
func (operation Operation) Of(model any) Operation {
	operation.Model = model
	return operation
}

// report is a diagnostic.
type report struct {
	what  string // what failed, and for which object
	why   string // the service's message, if any
	where string // the top-level argument; "" is the whole object
	do    string // what to do next
	// evidence identifies the request for support.
	evidence string
}

func (r report) add(diags *diag.Diagnostics) {
	text := sentences(r.why, r.do)
	if r.evidence != "" {
		text += "\n\n" + r.evidence
	}
	if r.where == "" {
		diags.AddError(r.what, text)
		return
	}
	diags.AddAttributeError(path.Root(r.where), r.what, text)
}

// sentences joins the non-empty texts.
func sentences(texts ...string) string {
	return strings.Join(slices.DeleteFunc(texts, func(text string) bool { return text == "" }), " ")
}

// Add reports err. All errors of the services become diagnostics here.
func Add(diags *diag.Diagnostics, err error, operation Operation) {
	what := fmt.Sprintf("Could not %s %s", operation.Verb, operation.Object)
	var taken *api.TakenError
	if errors.As(err, &taken) {
		report{what: what + ": the external_id is taken", where: "external_id",
			do: takenText(&api.Error{ExistingID: taken.ID}, operation), evidence: sentence(taken.Error())}.add(diags)
		return
	}
	if ambiguous, ok := api.AsAmbiguous(err); ok {
		unknown := report{what: what + ": the outcome is unknown", why: sentence(ambiguous.Error())}
		if len(ambiguous.Candidates) > 0 && operation.TypeName != "" {
			unknown.do, unknown.evidence = takeOver(operation.TypeName, ambiguous.Candidates...), withExternalID(operation)
		} else {
			unknown.do = withExternalID(operation)
		}
		unknown.add(diags)
		return
	}
	if same := shared(err); same != nil {
		if _, explained := sourceOf(same).explained.LoadOrStore(same, true); explained {
			Again(diags, operation, cause(same))
			return
		}
	}
	var earlier *api.EarlierError
	if errors.As(err, &earlier) {
		err = earlier.First // the first request with this error has not reported it, or not yet
	}
	var transport *api.TransportError
	var other *api.OtherObjectError
	e, structured := api.AsError(err)
	switch {
	case errors.As(err, &transport):
		report{what: what, do: unreachable(transport), evidence: sentence(transport.Error())}.add(diags)
	case errors.As(err, &other):
		report{what: what + ": the response shows another object", do: otherText(other),
			evidence: evidence(other.Err)}.add(diags)
	case structured:
		addRejection(diags, e, operation, what)
	default:
		report{what: what, why: plainText(err)}.add(diags)
	}
}

// Again reports a failure with the same cause as another error of the run. It is one line, because the other error
// explains what to do, and a run may have thousands of these.
func Again(diags *diag.Diagnostics, operation Operation, cause string) {
	diags.AddError(fmt.Sprintf("Could not %s %s", operation.Verb, operation.Object),
		"Another error of this run has the same cause and explains what to do: "+cause+".")
}

// Unreadable reports a response that does not match the service's description.
func Unreadable(diags *diag.Diagnostics, err error) {
	diags.AddError("Unreadable response from the service", err.Error())
}

// addRejection reports a rejection by the service: one diagnostic per rejected field, or one for the whole object.
func addRejection(diags *diag.Diagnostics, e *api.Error, operation Operation, what string) {
	fields := e.Fields
	if len(fields) == 0 && e.Field != "" {
		fields = map[string]string{e.Field: e.Message}
	}
	blamed, known := operation.Keys[e.Code]
	switch {
	case e.Code == "external_id_taken":
		report{what: what + ": the external_id is taken", where: "external_id", do: takenText(e, operation),
			evidence: evidence(e)}.add(diags)
	case e.Status == http.StatusUnauthorized:
		report{what: what, do: remedy(e), evidence: evidence(e)}.add(diags)
	case known || len(fields) == 0:
		report{what: what, why: sentence(e.Message), where: blamed, do: remedy(e), evidence: evidence(e)}.add(diags)
	default:
		for _, name := range slices.Sorted(maps.Keys(fields)) {
			rejected(name, fields[name], operation, what, e).add(diags)
		}
	}
}

// evidence identifies the request.
func evidence(e *api.Error) string {
	code := e.Code
	if code == "" {
		code = "none"
	}
	id := e.RequestID
	if id == "" {
		id = "none"
	}
	return fmt.Sprintf("Operation: %s (%s %s)\nStatus: %d, code: %s\nRequest-Id: %s", e.Operation, e.Method, e.Path,
		e.Status, code, id)
}

// takenText returns advice for an external_id that another object has. A creation suggests importing that object.
// Whether this configuration manages the other object is not known.
func takenText(e *api.Error, operation Operation) string {
	if operation.Created != nil {
		if name := operation.Created(e.ExistingID); name != "" {
			return fmt.Sprintf("This run has just created %s with this external_id, from another resource. Two resources of "+
				"this configuration have the same external_id, which must be unique: give each its own.", name)
		}
	}
	other := "Another object"
	if e.ExistingID != "" {
		other += " (id " + e.ExistingID + ")"
	}
	other += " of this organization already has this external_id, which must be unique. "
	if operation.Verb != verbCreate {
		return other + "The external_id was not changed. If two objects of this configuration swap theirs, clear one of " +
			"them or give it a temporary value, apply, " +
			"and then write both. Otherwise use another external_id, or change that of the other object first."
	}
	other += "Nothing was created. It may be:\n\n" +
		"  - the object that this resource replaces under create_before_destroy: remove that setting\n" +
		"  - this resource under an old address: add a moved block from there, and plan again\n" +
		"  - an object that this plan destroys: it may be gone by now, apply again\n" +
		"  - the object of another resource or configuration: use another external_id\n" +
		"  - an object in no state: use another external_id, or import it"
	if e.ExistingID != "" && operation.TypeName != "" {
		other += " with this block (put this resource's name after the type):\n\n" +
			ImportBlocks(operation.TypeName, e.ExistingID)
	}
	return other
}

func otherText(e *api.OtherObjectError) string {
	return fmt.Sprintf("The provider requested the %s %q, but the response contains the %s %q. The response was "+
		"discarded, and no further requests are sent to that object. A cache or proxy between here and the service "+
		"probably mixes up responses: fix "+
		"or bypass it, check %s, and run again.", e.Noun, e.Asked, e.Noun, e.Shown, placeOf(e.Err).addressArgument())
}

// takeOver explains how to import one of several existing objects.
func takeOver(typeName string, ids ...string) string {
	text := "If it is the one you mean, import it with this block"
	if len(ids) > 1 {
		text = "Find out which one you mean, and import it with one of these blocks"
	}
	return text + " (put this resource's name after the type):\n\n" + ImportBlocks(typeName, ids...)
}

// ImportBlocks returns an import block for each existing object.
func ImportBlocks(typeName string, ids ...string) string {
	blocks := make([]string, len(ids))
	for i, id := range ids {
		blocks[i] = fmt.Sprintf("  import {\n    to = %s.this\n    id = %q\n  }", typeName, id)
	}
	return strings.Join(blocks, "\n\n")
}

// Text formats an error for a warning that is not about the request itself.
func Text(err error) string {
	if e, ok := api.AsError(err); ok {
		return sentence(e.Message) + "\n\n" + evidence(e)
	}
	return plainText(err)
}

// Capitalize capitalizes the first letter of a text, to begin a sentence.
func Capitalize(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(first)) + text[size:]
}

func plainText(err error) string {
	if errors.Is(err, context.Canceled) {
		return "The run was interrupted before the service responded. The state contains everything that is known to exist."
	}
	return sentence(err.Error())
}

func sentence(text string) string {
	text = strings.TrimSpace(text)
	if text == "" {
		return "The service gives no reason."
	}
	text = Capitalize(text)
	if strings.ContainsAny(text[len(text)-1:], ".!?") {
		return text
	}
	return text + "."
}

// withExternalID advises to set external_id, so that the next creation with a lost response is found.
func withExternalID(operation Operation) string {
	if value := value.Field(operation.Model, "external_id"); value == nil || !value.IsNull() ||
		operation.Verb != verbCreate {
		return ""
	}
	return "Set external_id: then the provider finds the object automatically if a response is lost."
}

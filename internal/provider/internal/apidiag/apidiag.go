// Package apidiag turns errors of the services into diagnostics: on the argument that the service blames, with what to
// do next, the service's code and the Request-Id.
package apidiag

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/value"
)

// verbCreate is the verb of the creation of an object that has an external_id.
const verbCreate = "create"

// Operation is what failed when an error came, in words that make a sentence: "Could not <Verb> <Object>".
type Operation struct {
	// Verb is an infinitive: create, read, update, delete.
	Verb string
	// Object names the object for the user: `customer "Acme" (id …)`.
	Object string
	// TypeName is the Terraform type, for the ready-made import block; empty where there is none to offer.
	TypeName string
	// Keys are the attributes that the service's codes speak of, for codes that come without a field.
	Keys map[string]string
	// Model is the object as it was sent, a struct with tfsdk tags: an error in one of its attributes is reported there,
	// with its value. Any other one is about the whole object.
	Model any
	// Choices says which values an argument could have, such as the plans that exist, as a sentence; "" where it knows
	// none. It is asked once, for the argument that the service rejects. It is optional.
	Choices func(argument string) string
}

// Of is operation with the model that was sent, where that is not the one that names the object.
func (operation Operation) Of(model any) Operation {
	operation.Model = model
	return operation
}

// report is a diagnostic.
type report struct {
	what  string // what failed, and for which object
	why   string // in the words of the service, where it has any
	where string // the top-level argument; "" is the whole object
	do    string // what to do next
	// evidence is what support needs to find the request again.
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

// sentences are texts one after the other, without the empty ones.
func sentences(texts ...string) string {
	return strings.Join(slices.DeleteFunc(texts, func(text string) bool { return text == "" }), " ")
}

// Add reports err. It is the one place where errors of the services become diagnostics.
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
		err = earlier.First // the request that met it first has reported nothing, or nothing yet
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
		refused(diags, e, operation, what)
	default:
		report{what: what, why: plainText(err)}.add(diags)
	}
}

// Again reports that something has failed for a cause that another error of the run explains. It is one line: the other
// error says what to do, and a run may have thousands of these.
func Again(diags *diag.Diagnostics, operation Operation, cause string) {
	diags.AddError(fmt.Sprintf("Could not %s %s", operation.Verb, operation.Object),
		"The cause is the same as in another error of this run, which says what to do: "+cause+".")
}

// Unreadable reports a response that does not fit the description of the service.
func Unreadable(diags *diag.Diagnostics, err error) {
	diags.AddError("Unreadable response of the service", err.Error())
}

// refused reports a response of the service: one diagnostic for each field it blames, or one for the whole object.
func refused(diags *diag.Diagnostics, e *api.Error, operation Operation, what string) {
	fields := e.Fields
	if len(fields) == 0 && e.Field != "" {
		fields = map[string]string{e.Field: e.Message}
	}
	blamed, known := operation.Keys[e.Code]
	switch {
	case e.Code == "external_id_taken":
		report{what: what + ": the external_id is taken", where: "external_id", do: takenText(e, operation),
			evidence: evidence(e)}.add(diags)
	case known || len(fields) == 0:
		report{what: what, why: sentence(e.Message), where: blamed, do: remedy(e), evidence: evidence(e)}.add(diags)
	default:
		for _, name := range slices.Sorted(maps.Keys(fields)) {
			rejected(name, fields[name], operation, what, e).add(diags)
		}
	}
}

// evidence names the request.
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

// takenText tells a creation, which may take the other object over, from a change of an object that exists already.
// Neither knows whether this configuration manages the other object too.
func takenText(e *api.Error, operation Operation) string {
	other := "Another object"
	if e.ExistingID != "" {
		other += " (id " + e.ExistingID + ")"
	}
	other += " of this organization already has this external_id, and no two objects can have it at the same time. "
	if operation.Verb != verbCreate {
		return other + "The external_id was not changed. Where two objects of this configuration swap theirs, clear one of " +
			"them or give it a temporary value, apply, " +
			"and then write both. Otherwise use another external_id, or change that of the other object first."
	}
	other += "Nothing was created. If this resource was renamed or moved, add a moved block from its old address, and " +
		"plan again. If this plan destroys the other object, it may already be gone: apply again. Otherwise use another " +
		"external_id, or, where no address of this state and no other configuration has the other object, import it"
	if e.ExistingID != "" && operation.TypeName != "" {
		other += " with this block (put this resource's name after the type):\n\n" +
			ImportBlocks(operation.TypeName, e.ExistingID) + "\n\n"
	} else {
		other += ". "
	}
	return other + "If this plan replaces the other object under create_before_destroy, remove that setting."
}

func otherText(e *api.OtherObjectError) string {
	return fmt.Sprintf("The provider asked for the %s %q, and the response shows the %s %q. Nothing of that object was "+
		"stored, and nothing is sent to it. A cache or proxy between here and the service probably mixes up responses: fix "+
		"or bypass it, check %s, and run again.", e.Noun, e.Asked, e.Noun, e.Shown, placeOf(e.Err).addressArgument())
}

// takeOver says how one of several existing objects is imported.
func takeOver(typeName string, ids ...string) string {
	text := "If it is the one you mean, take it over with this block"
	if len(ids) > 1 {
		text = "Find out which one you mean, and take it over with one of these blocks"
	}
	return text + " (put this resource's name after the type):\n\n" + ImportBlocks(typeName, ids...)
}

// ImportBlocks is configuration that takes existing objects over, each with a block.
func ImportBlocks(typeName string, ids ...string) string {
	blocks := make([]string, len(ids))
	for i, id := range ids {
		blocks[i] = fmt.Sprintf("  import {\n    to = %s.this\n    id = %q\n  }", typeName, id)
	}
	return strings.Join(blocks, "\n\n")
}

// Text words an error for a warning that is about something else than the request.
func Text(err error) string {
	if e, ok := api.AsError(err); ok {
		return sentence(e.Message) + "\n\n" + evidence(e)
	}
	return plainText(err)
}

// Capitalize begins a sentence with a text, such as the name of an object.
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

// withExternalID says how the next lost response of a creation is found.
func withExternalID(operation Operation) string {
	if value := value.Field(operation.Model, "external_id"); value == nil || !value.IsNull() ||
		operation.Verb != verbCreate {
		return ""
	}
	return "Set external_id: with it the provider finds the object itself when a response is lost."
}

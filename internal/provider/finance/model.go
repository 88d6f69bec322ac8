package finance

import (
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api/finance"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/same"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/apidiag"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/metadata"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/object"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/value"
)

type model struct {
	ID                  types.String   `tfsdk:"id"`
	Collection          types.String   `tfsdk:"collection"`
	Body                metadata.Value `tfsdk:"body"`
	IgnoreRemoteChanges types.Bool     `tfsdk:"ignore_remote_changes"`
	IdempotencyKey      types.String   `tfsdk:"idempotency_key"`
	DeletionPolicy      types.String   `tfsdk:"deletion_policy"`
	Response            types.String   `tfsdk:"response"`
}

// ofService are the service-managed keys. An import omits them from the body: updated_at changes with every update, so
// configuring it would cause a diff in every plan.
var ofService = []string{"id", "created_at", "updated_at"}

// fromAPI builds the whole model of a record, as for an import: the body is the record without service-managed keys.
func fromAPI(collection types.String, record *finance.Record) (model, error) {
	parsed, err := metadata.Parse(record.Raw)
	if err != nil {
		return model{}, err
	}
	body := metadata.Merge(nil, parsed)
	for _, key := range ofService {
		delete(body, key)
	}
	return model{
		ID:                  types.StringValue(record.ID),
		Collection:          collection,
		Body:                metadata.FromObject(body),
		IgnoreRemoteChanges: types.BoolValue(false),
		IdempotencyKey:      types.StringNull(),
		DeletionPolicy:      types.StringValue(object.PolicyDelete),
		Response:            value.JSONText(record.Raw),
	}, nil
}

// keep returns the plan m with the values of a response. A body that cannot be read is as planned.
func (m model) keep(record *finance.Record) model {
	state := m
	if state.Response = value.JSONText(record.Raw); state.ID.IsUnknown() {
		state.ID = types.StringValue(record.ID)
	}
	shape, err := m.Body.Object()
	now, unread := state.lastResponse()
	if err == nil && unread == nil && !m.IgnoreRemoteChanges.ValueBool() {
		if shown := seen(shape, shape, now, now); !metadata.EqualKnowing(shape, shown, shape) {
			state.Body = metadata.FromObject(shown)
		}
	}
	return state
}

// owned returns the keys that the configuration owns after a creation: all that it sets. Of a record of an earlier
// creation, it owns only those that the record shows: the others were removed. A Date may be wrong, so a different
// value in the record proves an earlier creation too.
func (m model) owned(record *finance.RecordCreated, desired metadata.Object) metadata.Object {
	now, _ := m.lastResponse()
	shown := metadata.Project(desired, withoutAdditions(desired, now))
	if !record.Existed && same.WordedJSON(metadata.Payload(shown), metadata.Payload(metadata.Project(shown, desired))) {
		return metadata.Merge(nil, desired)
	}
	return shown
}

// refreshed returns the state m after a refresh: the body has the keys of m that the record shows, and the owned ones
// that the service never returns.
func (m model) refreshed(record *finance.Record, owned metadata.Object, diags *diag.Diagnostics) model {
	shape, err := m.Body.Object()
	before, unread := m.lastResponse()
	state := m
	state.Response = value.JSONText(record.Raw)
	now, unreadable := state.lastResponse()
	if err := errors.Join(err, unread, unreadable); err != nil {
		apidiag.Unreadable(diags, err)
		return state
	}
	state.IdempotencyKey = value.Known(m.IdempotencyKey)
	if shown := seen(shape, owned, before, now); !m.IgnoreRemoteChanges.ValueBool() && !same.JSON(shape, shown) {
		state.Body = metadata.FromObject(shown)
	}
	return state
}

// imported returns the state after an import: the whole record.
func imported(m model, record *finance.Record, diags *diag.Diagnostics) model {
	whole, err := fromAPI(m.Collection, record)
	if err != nil {
		apidiag.Unreadable(diags, err)
	}
	whole.ID = m.ID // the id in requests, even if the service spells it differently
	return whole
}

func (m model) lastResponse() (metadata.Object, error) {
	return metadata.Parse([]byte(m.Response.ValueString()))
}

// stored returns the service's body, reduced to the keys of desired. Keys that are not in the state's body come from
// the last response, so that adding a key with the service's value sends nothing. ignores is the planned
// ignore_remote_changes: if it is switched off, all keys come from the response, because the state has ignored their
// changes. record is that of the last response.
func (m model) stored(desired metadata.Object, ignores bool, diags *diag.Diagnostics) (body, record metadata.Object,
	ok bool) {
	body, ok = m.object(diags)
	record, err := m.lastResponse()
	if err != nil {
		diags.AddAttributeError(path.Root("response"), "Unreadable state of the "+m.displayName(),
			fmt.Sprintf("response cannot be read: %s. Restore the state from a backup, or remove the record from the "+
				"state and import it.", err))
	}
	if m.IgnoreRemoteChanges.ValueBool() && !ignores {
		body = seen(body, nil, nil, record) // what is not in the response may have been removed
	}
	if !ignores {
		body = metadata.Merge(metadata.Project(desired, withoutAdditions(desired, record)), body)
	}
	return body, record, ok && err == nil
}

// object converts the body; it returns false after it has reported an error on the attribute.
func (m model) object(diags *diag.Diagnostics) (metadata.Object, bool) {
	object, err := m.Body.Object()
	if err != nil {
		diags.AddAttributeError(path.Root(attrBody), "Invalid body", fmt.Sprintf("The body cannot be sent: %s.", err))
	}
	return object, err == nil
}

func place(collection, id string) string { return collection + "/" + id }

// displayName names the record in a sentence, after "the".
func (m model) displayName() string {
	if id := m.ID.ValueString(); id != "" {
		return fmt.Sprintf("record %s in %s", id, m.Collection.ValueString())
	}
	return "record in " + m.Collection.ValueString()
}

// Policy is the deletion_policy of the object.
func (m model) Policy() object.Policy {
	return object.Policy{Value: m.DeletionPolicy, Object: "the " + m.displayName(), Own: object.PolicyDelete}
}

package object

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/metadata"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/value"
)

// CustomMetadataOf reads and writes the custom_metadata of a kind of object. S is the service's client, T the client's
// type of the object, U the body of an update.
type CustomMetadataOf[S, T, U any] struct {
	Get    func(client S, ctx context.Context, id string) (*T, error)
	Update func(client S, ctx context.Context, id string, body U) (*T, error)
	// Of returns the object's custom_metadata.
	Of func(*T) json.RawMessage
	// Put adds custom_metadata and its mode to a body.
	Put func(body *U, payload json.RawMessage, mode string)
}

// planOwn plans a free-form object as configured if anything changes. Only an unchanged object may keep the value in
// state: if a value was unknown in the plan and turns out equal to the state's, its type during apply would differ from
// the planned one.
func (r *Resource[S, T, M]) planOwn(ctx context.Context, p *Plan[M], name string, defaults metadata.Defaults) {
	config, has := value.Field(p.Config, name).(metadata.Value)
	if !has || config.IsAbsent() || p.Diags.HasError() {
		return
	}
	planned, _ := value.At(&p.Planned, name).Addr().Interface().(*metadata.Value)
	configured, err := config.ToTerraformValue(ctx)
	current, other := planned.ToTerraformValue(ctx)
	if err != nil || other != nil || !configured.IsFullyKnown() || configured.Type().Equal(current.Type()) ||
		!p.Applying && !p.Changes(ctx, p.Planned) {
		return
	}
	if !p.Applying {
		defaults.WarnImported(path.Root(name), config, *planned, policyOf(p.State).Object, p.Diags)
	}
	*planned = config
}

// MetadataChange is a planned change of custom_metadata.
type MetadataChange struct {
	// From and To are effective_custom_metadata in the state and in the plan.
	From, To types.String
	// Owner is what the configuration owned so far, Desired what it will own, with the defaults.
	Owner   metadata.Ownership
	Desired metadata.Object
}

// MetadataChangeOf returns the change from the state to the plan. own is what the configuration owned so far, next what
// it will own.
func MetadataChangeOf(state, plan metadata.Attributes, own, next metadata.Owned) MetadataChange {
	return MetadataChange{From: state.EffectiveCustomMetadata, To: plan.EffectiveCustomMetadata,
		Owner: own.Under(plan.CustomMetadataMode), Desired: next.Object}
}

// AddUnreadMetadata reports a response with a custom_metadata that is not an object. name names the object.
func AddUnreadMetadata(name string, err error, diags *diag.Diagnostics) {
	diags.AddError("Unreadable response about "+name, err.Error()+". The state keeps its "+
		"custom_metadata. Correct it at the service. If the provider argument operations is set, check its path.")
}

// Send updates the object with body and the change of custom_metadata, and returns the object in the response. It sends
// nothing, and returns nil, if there is no change. A response together with an error means that a first request
// succeeded and a second one failed.
func (r CustomMetadataOf[S, T, U]) Send(ctx context.Context, client S, id types.String, body U, m MetadataChange) (
	*T, error) {
	switch {
	case !m.To.Equal(m.From):
		return r.Change(ctx, client, id.ValueString(), body, m)
	case reflect.ValueOf(&body).Elem().IsZero():
		return nil, nil
	}
	return r.Update(client, ctx, id.ValueString(), body)
}

// unseen returns an error if the object has keys that the plan has not seen. Replacing the whole object would remove
// them.
func unseen(raw json.RawMessage, seen metadata.Object) error {
	if twins := metadata.Twins(raw); len(twins) > 0 {
		return fmt.Errorf("the custom_metadata has keys that are one key in Terraform (%s, in two Unicode forms), so "+
			"custom_metadata_mode = \"replace\" cannot write the object. Nothing was sent. Remove one of each pair at the "+
			"service, or use the mode merge, which leaves both", strings.Join(twins, ", "))
	}
	remote, err := metadata.Parse(raw)
	if err == nil && metadata.Removes(remote, seen) {
		return errors.New("another system has added keys to custom_metadata since the plan, and custom_metadata_mode = " +
			"\"replace\" would remove them. Nothing was sent. Run terraform plan again, with a refresh: it shows what it " +
			"removes")
	}
	return err
}

// Change sends body and the change of custom_metadata, see Send.
func (r CustomMetadataOf[S, T, U]) Change(ctx context.Context, client S, id string, body U, m MetadataChange) (
	*T, error) {
	owner, desired := m.Owner, m.Desired
	known, err := metadata.Parse([]byte(m.From.ValueString()))
	if err != nil {
		return nil, err
	}
	read := sync.OnceValues(func() (json.RawMessage, error) {
		current, err := r.Get(client, ctx, id)
		if err != nil {
			return nil, err
		}
		return r.Of(current), nil
	})
	// Only changes shown in the plan are sent. An unchanged key may have been changed by another system since, and that
	// value is kept.
	changing := metadata.Difference(known, desired, owner.Owned)
	payload, mode := changing, metadata.ModeMerge
	switch {
	case owner.Whole():
		raw, err := read()
		if err == nil {
			err = unseen(raw, metadata.Merge(known, desired))
		}
		if err != nil {
			return nil, err
		}
		payload, mode = desired, metadata.ModeReplace
	case metadata.Removes(known, owner.Result(known, desired, desired)):
		// The service's merge never deletes a key (Recurring billing §4), so the object is read again and the whole object is
		// sent.
		raw, err := read()
		if err != nil {
			return nil, err
		}
		remote, err := metadata.Parse(raw)
		if err != nil {
			return nil, err
		}
		payload, mode = owner.Result(remote, desired, changing), metadata.ModeReplace
	}
	payload, err = metadata.Respelled(payload, mode == metadata.ModeReplace, read)
	if err != nil {
		return nil, err
	}
	r.Put(&body, metadata.Payload(payload), mode)
	response, err := r.Update(client, ctx, id, body)
	if err != nil {
		return nil, err
	}
	remote, err := metadata.Parse(r.Of(response))
	if result := owner.Result(remote, desired, changing); err == nil && !metadata.Taken(result, remote, known, desired) {
		// The service's merge dropped a part of it, as some do with nulls: the whole object is sent.
		var alone U
		r.Put(&alone, metadata.Payload(metadata.Spelled(result, r.Of(response), true)), metadata.ModeReplace)
		second, err := r.Update(client, ctx, id, alone)
		if err == nil {
			return second, nil
		}
		return response, err
	}
	return response, err
}

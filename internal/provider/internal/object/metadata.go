package object

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/metadata"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/value"
)

// CustomMetadataOf is how custom_metadata of a kind of object is read and written. S is the client of the service, T
// the client's type of the object, U the body of an update.
type CustomMetadataOf[S, T, U any] struct {
	Get    func(client S, ctx context.Context, id string) (*T, error)
	Update func(client S, ctx context.Context, id string, body U) (*T, error)
	// Of is the object's custom_metadata.
	Of func(*T) json.RawMessage
	// Put adds custom_metadata and its mode to a body.
	Put func(body *U, payload json.RawMessage, mode string)
}

// planOwn plans custom_metadata as it is configured where the object changes. The value of the state may stand for it
// only as long as nothing does: a value that was unknown in the plan, and means what the state has, would be of another
// type in the apply than the plan has shown.
func (r *Resource[S, T, M]) planOwn(ctx context.Context, p *Plan[M], applying bool) {
	config, has := value.Field(p.Config, "custom_metadata").(metadata.Value)
	if !has || config.IsAbsent() || p.Diags.HasError() {
		return
	}
	planned, _ := value.At(&p.Planned, "custom_metadata").Addr().Interface().(*metadata.Value)
	configured, err := config.ToTerraformValue(ctx)
	current, other := planned.ToTerraformValue(ctx)
	if err != nil || other != nil || !configured.IsFullyKnown() || configured.Type().Equal(current.Type()) ||
		!applying && !p.Changes(ctx, p.Planned) {
		return
	}
	if !applying {
		r.Defaults().WarnImported(config, *planned, policyOf(p.State).Object, p.Diags)
	}
	*planned = config
}

// MetadataChange is a planned change of custom_metadata.
type MetadataChange struct {
	// From and To are effective_custom_metadata in the state and in the plan.
	From, To types.String
	// Owner is what the configuration owns so far, Desired what it wants to own, with the defaults.
	Owner   metadata.Ownership
	Desired metadata.Object
}

// MetadataStep is the step that sends body to the object with the id, and with it the change of custom_metadata. An
// empty one is not sent.
func MetadataStep[S, T any, U interface{ IsEmpty() bool }](r CustomMetadataOf[S, T, U], client S, id types.String,
	body U, m MetadataChange) Step[T] {
	if m.To.Equal(m.From) {
		return Change(id, body, func(ctx context.Context, id string, body U) (*T, error) {
			return r.Update(client, ctx, id, body)
		})
	}
	return Step[T]{Verb: "update", Send: func(ctx context.Context) (*T, error) {
		return r.Change(ctx, client, id.ValueString(), body, m)
	}}
}

// remote is custom_metadata as the service has it.
func (r CustomMetadataOf[S, T, U]) remote(ctx context.Context, client S, id string) (metadata.Object, error) {
	current, err := r.Get(client, ctx, id)
	if err != nil {
		return nil, err
	}
	return metadata.Parse(r.Of(current))
}

// unseen is an error if the object has keys that the plan has not seen, which replacing the whole object would remove.
func (r CustomMetadataOf[S, T, U]) unseen(ctx context.Context, client S, id string, seen metadata.Object) error {
	remote, err := r.remote(ctx, client, id)
	if err == nil && metadata.Removes(remote, seen) {
		return errors.New("another system has added keys to custom_metadata since the plan, and custom_metadata_mode = " +
			"\"replace\" would remove them. Nothing was sent. Run terraform plan again, with a refresh: it shows what it " +
			"removes")
	}
	return err
}

// Change sends body, and with it the change of custom_metadata. A response beside an error means that a first request
// has been carried out and a second one has not.
func (r CustomMetadataOf[S, T, U]) Change(ctx context.Context, client S, id string, body U, m MetadataChange) (
	*T, error) {
	owner, desired := m.Owner, m.Desired
	known, err := metadata.Parse([]byte(m.From.ValueString()))
	if err != nil {
		return nil, err
	}
	// Only what the plan showed as changing is sent. A key that stays may have another value by now, and belongs to
	// whoever wrote it.
	changing := metadata.Difference(known, desired, owner.Owned)
	payload, mode := changing, metadata.ModeMerge
	switch {
	case owner.Whole():
		if err := r.unseen(ctx, client, id, metadata.Merge(known, desired)); err != nil {
			return nil, err
		}
		payload, mode = desired, metadata.ModeReplace
	case metadata.Removes(known, owner.Result(known, desired, desired)):
		// The service's merge never deletes a key (Recurring billing §4), so the object is read again and sent whole.
		remote, err := r.remote(ctx, client, id)
		if err != nil {
			return nil, err
		}
		payload, mode = owner.Result(remote, desired, changing), metadata.ModeReplace
	}
	r.Put(&body, metadata.Payload(payload), mode)
	response, err := r.Update(client, ctx, id, body)
	if err != nil {
		return nil, err
	}
	remote, err := metadata.Parse(r.Of(response))
	if result := owner.Result(remote, desired, changing); err == nil && !metadata.EqualKnowing(result, remote, desired) {
		// The service's merge has left out a part of it, as some do with nulls: the object is sent whole.
		var alone U
		r.Put(&alone, metadata.Payload(result), metadata.ModeReplace)
		second, err := r.Update(client, ctx, id, alone)
		if err == nil {
			return second, nil
		}
		return response, err
	}
	return response, err
}

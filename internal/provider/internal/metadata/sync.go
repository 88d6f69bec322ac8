package metadata

import (
	"context"
	"encoding/json"
)

// Remote is how custom_metadata of a kind of object is read and written. S is the client of the service, T the client's
// type of the object, U the body of an update.
type Remote[S, T, U any] struct {
	Get    func(client S, ctx context.Context, id string) (*T, error)
	Update func(client S, ctx context.Context, id string, body U) (*T, error)
	// Of is the object's custom_metadata.
	Of func(*T) json.RawMessage
	// Put adds custom_metadata and its mode to a body.
	Put func(body *U, payload json.RawMessage, mode string)
}

// Change sends body, and with it the change of custom_metadata to desired, which has the defaults in it. effective is
// the whole object as the state has it. A response beside an error means that a first request has been carried out and
// a second one has not.
func (r Remote[S, T, U]) Change(ctx context.Context, client S, id string, body U, owner Ownership, desired Object,
	effective string) (*T, error) {
	known, err := Parse([]byte(effective))
	if err != nil {
		return nil, err
	}
	// Only what the plan showed as changing is sent. A key that stays may have another value by now, and belongs to
	// whoever wrote it.
	changing := Difference(known, desired, owner.Owned)
	payload, mode := changing, ModeMerge
	switch {
	case owner.whole():
		payload, mode = desired, ModeReplace
	case Removes(known, owner.Result(known, desired, desired)):
		// The service's merge never deletes a key (Recurring billing §4), so the object is read again and sent whole.
		current, err := r.Get(client, ctx, id)
		if err != nil {
			return nil, err
		}
		remote, err := Parse(r.Of(current))
		if err != nil {
			return nil, err
		}
		payload, mode = owner.Result(remote, desired, changing), ModeReplace
	}
	r.Put(&body, Payload(payload), mode)
	response, err := r.Update(client, ctx, id, body)
	if err != nil {
		return nil, err
	}
	remote, err := Parse(r.Of(response))
	if result := owner.Result(remote, desired, changing); err == nil && !EqualKnowing(result, remote, desired) {
		// The service's merge has left out a part of it, as some do with nulls: the object is sent whole.
		var alone U
		r.Put(&alone, Payload(result), ModeReplace)
		second, err := r.Update(client, ctx, id, alone)
		if err == nil {
			return second, nil
		}
		return response, err
	}
	return response, err
}

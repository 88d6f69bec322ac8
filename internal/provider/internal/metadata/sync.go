package metadata

import (
	"context"
	"encoding/json"
)

// Sync carries a planned change of custom_metadata out, on an object of the client's type T.
type Sync[T any] struct {
	Ownership
	// Desired is what the plan asks for, defaults included.
	Desired Object
	// Read returns the object as it is now.
	Read func(ctx context.Context) (*T, error)
	// Of is the object's custom_metadata.
	Of func(*T) json.RawMessage
	// Send updates custom_metadata alone.
	Send func(ctx context.Context, payload json.RawMessage, mode string) (*T, error)
}

// Update changes custom_metadata together with the rest of the object: send puts payload and mode into the update's
// body, and sends it. effective is the whole object as the state has it. A response beside an error means that a first
// request has been carried out and a second one has not.
func (s Sync[T]) Update(ctx context.Context, effective string, send func(ctx context.Context, payload json.RawMessage,
	mode string) (*T, error)) (*T, error) {
	known, err := Parse([]byte(effective))
	if err != nil {
		return nil, err
	}
	// Only what the plan showed as changing is sent. A key that stays may have another value by now, and belongs to
	// whoever wrote it.
	changing := Difference(known, s.Desired, s.Owned)
	payload, mode, err := s.payload(ctx, known, changing)
	if err != nil {
		return nil, err
	}
	response, err := send(ctx, payload, mode)
	if err != nil {
		return nil, err
	}
	return s.complete(ctx, response, changing)
}

// payload decides between the service's two modes. Its merge never deletes a key (Recurring billing §4), so an object
// that loses keys is read again and sent whole. known is the whole object as the state has it.
func (s Sync[T]) payload(ctx context.Context, known, changing Object) (payload json.RawMessage, mode string,
	err error) {
	switch {
	case s.Mode == ModeReplace && s.Owned != nil:
		return Payload(s.Desired), ModeReplace, nil
	case !Removes(known, s.Result(known, s.Desired)):
		return Payload(changing), ModeMerge, nil
	}
	current, err := s.Read(ctx)
	if err != nil {
		return nil, "", err
	}
	remote, err := Parse(s.Of(current))
	if err != nil {
		return nil, "", err
	}
	return Payload(s.resultOf(remote, changing)), ModeReplace, nil
}

// complete sends the object whole when the service's merge has left out a part of it, as some do with nulls. It returns
// the object as it is afterwards; with an error, as it was before.
func (s Sync[T]) complete(ctx context.Context, response *T, changing Object) (*T, error) {
	remote, err := Parse(s.Of(response))
	if err != nil {
		return response, err
	}
	result := s.resultOf(remote, changing)
	if EqualKnowing(result, remote, s.Desired) {
		return response, nil
	}
	second, err := s.Send(ctx, Payload(result), ModeReplace)
	if err != nil {
		return response, err
	}
	return second, nil
}

// resultOf is what remote, which may have changed since the plan, becomes by the planned change.
func (s Sync[T]) resultOf(remote, changing Object) Object {
	switch {
	case s.Mode == ModeReplace && s.Owned != nil:
		return s.Desired
	case s.Mode == ModeReplace:
		return Merge(remote, changing)
	default:
		return Merge(Release(remote, s.Owned, s.Desired), changing)
	}
}

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

// Change sends body, and with it the planned change of custom_metadata. effective is the whole object as the state has
// it. A response beside an error means that a first request has been carried out and a second one has not.
func (r Remote[S, T, U]) Change(ctx context.Context, client S, id string, body U, owner Ownership, desired Object,
	effective string) (*T, error) {
	with := func(body U) func(context.Context, json.RawMessage, string) (*T, error) {
		return func(ctx context.Context, payload json.RawMessage, mode string) (*T, error) {
			r.Put(&body, payload, mode)
			return r.Update(client, ctx, id, body)
		}
	}
	var alone U
	sync := Sync[T]{Ownership: owner, Desired: desired, Of: r.Of, Send: with(alone),
		Read: func(ctx context.Context) (*T, error) { return r.Get(client, ctx, id) }}
	return sync.Update(ctx, effective, with(body))
}

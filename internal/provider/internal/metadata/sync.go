package metadata

import (
	"context"
	"encoding/json"
)

// Sync carries a planned change of custom_metadata out, on an object of the client's type T.
type Sync[T any] struct {
	Ownership
	// Desired is what the configuration asks for, defaults included.
	Desired Object
	// Read answers the object as it is now.
	Read func(ctx context.Context) (*T, error)
	// Of is the object's custom_metadata.
	Of func(*T) json.RawMessage
	// Send updates custom_metadata alone.
	Send func(ctx context.Context, payload json.RawMessage, mode string) (*T, error)
}

// Update changes custom_metadata together with the rest of the object: send puts payload and mode into the update's body, and sends it.
// effective is the whole object as the state has it. An answer beside an error means that a first request has been carried out and a
// second one has not.
func (s Sync[T]) Update(ctx context.Context, effective string, send func(ctx context.Context, payload json.RawMessage, mode string) (*T, error)) (*T, error) {
	payload, mode, err := s.payload(ctx, effective)
	if err != nil {
		return nil, err
	}
	answer, err := send(ctx, payload, mode)
	if err != nil {
		return nil, err
	}
	return s.insist(ctx, answer)
}

// payload decides between the service's two modes. Its merge never deletes a key (Recurring billing §4), so an object that loses
// keys is read anew and sent whole. effective is the whole object as the state has it.
func (s Sync[T]) payload(ctx context.Context, effective string) (payload json.RawMessage, mode string, err error) {
	remote, err := Parse([]byte(effective))
	if err != nil {
		return nil, "", err
	}
	switch {
	case s.Mode == ModeReplace && s.Owned != nil:
		return Payload(s.Desired), ModeReplace, nil
	case !Removes(remote, s.Result(remote, s.Desired)):
		return Payload(s.Desired), ModeMerge, nil
	}
	current, err := s.Read(ctx)
	if err != nil {
		return nil, "", err
	}
	if remote, err = Parse(s.Of(current)); err != nil {
		return nil, "", err
	}
	return Payload(s.Result(remote, s.Desired)), ModeReplace, nil
}

// insist sends the object whole when the service's merge has left out a part of it, as some do with nulls. It answers the object as
// it is afterwards; with an error, as it was before.
func (s Sync[T]) insist(ctx context.Context, answer *T) (*T, error) {
	remote, err := Parse(s.Of(answer))
	if err != nil {
		return answer, err
	}
	result := s.Result(remote, s.Desired)
	if EqualKnowing(result, remote, s.Desired) {
		return answer, nil
	}
	second, err := s.Send(ctx, Payload(result), ModeReplace)
	if err != nil {
		return answer, err
	}
	return second, nil
}

package collections

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
)

// LostTokenError ends a rotation of an API key that has happened, and whose
// successor's token was lost with the answer. It wraps the *api.AmbiguousError
// that tells the user what exists and how to go on.
type LostTokenError struct {
	KeyID string
	// SuccessorIDs is the successor; several: one of them is.
	SuccessorIDs []string
	// GraceUntil is when KeyID stops working; "": not known.
	GraceUntil string
	Err        error
}

func (e *LostTokenError) Error() string { return e.Err.Error() }

func (e *LostTokenError) Unwrap() error { return e.Err }

// rotateBody is the body of api_keys.rotate.
type rotateBody struct {
	GraceDays int64 `json:"graceDays"`
}

// RotateAPIKey makes a successor of a key and returns it with its token, which
// is shown this once (wire contract: api_keys.rotate). The key itself keeps
// working for graceDays, 0 to 30. A key that was rotated before, or revoked,
// refuses with the status 409 and the code key_not_active.
//
// It is never sent twice. When the answer is lost, the successor is looked for:
// one that is found has lost its token, which is a *LostTokenError that names it,
// so that it can be rotated in turn. Where none is found, the error is an
// *api.AmbiguousError that says what the key looks like now.
func (s *Service) RotateAPIKey(ctx context.Context, id string, graceDays int64) (*APIKey, error) {
	r := &rotation{service: s, id: id, graceDays: graceDays}
	successor, adopted, err := api.Settle(ctx, api.Settlement[*APIKey]{
		Create: r.send, Lookup: r.successors,
		Same:     func(*APIKey) bool { return true },
		ID:       func(k *APIKey) string { return k.ID },
		Describe: fmt.Sprintf("successor of the API key %q", id),
	})
	var several *api.ConflictError
	switch {
	case adopted:
		s.claims.take(successor.ID)
		return nil, r.lostToken(successor.ID)
	case errors.As(err, &several):
		return nil, r.lostToken(several.IDs...)
	case r.lost != nil:
		return nil, r.undecided()
	case err != nil:
		return nil, err
	}
	s.claims.take(successor.ID)
	return s.completedKey(ctx, successor), nil
}

// rotation is one rotation of an API key, and what was found out about it.
type rotation struct {
	service   *Service
	id        string
	graceDays int64

	lost    *api.AmbiguousError // the answer was lost
	key     *APIKey             // the rotated key as it was read after that; nil: it was not
	failure error               // of the last lookup
}

func (r *rotation) send(ctx context.Context) (*APIKey, error) {
	successor, err := r.service.oneKey(ctx, api.Request{
		Operation: "api_keys.rotate", Path: map[string]string{"id": r.id}, Body: rotateBody{GraceDays: r.graceDays},
	})
	r.lost, _ = api.AsAmbiguous(err)
	return successor, err
}

// successors finds what may have come of the rotation. A successor says whose it
// is, or has at least the name of its predecessor.
func (r *rotation) successors(ctx context.Context) (found []*APIKey, err error) {
	defer func() { r.failure = err }()
	if r.key, err = r.service.GetAPIKey(ctx, r.id); err != nil {
		return nil, err
	}
	return r.service.newKeys(ctx, r.lost.SentAt, func(k APIKey) bool {
		if k.PredecessorID != nil {
			return *k.PredecessorID == r.id
		}
		return k.Name == r.key.Name && k.ID != r.id
	})
}

// newKeys lists the keys that work, are new since a moment, belong to no other
// create or rotation of this process, and fit.
func (s *Service) newKeys(ctx context.Context, sentAt time.Time, fits func(APIKey) bool) (found []*APIKey, err error) {
	for key, err := range s.ListAPIKeys(ctx) {
		if err != nil {
			return nil, err
		}
		if key.RevokedAt == nil && sinceSent(key.CreatedAt, sentAt) && !s.claims.has(key.ID) && fits(key) {
			found = append(found, &key)
		}
	}
	return found, nil
}

// graceUntil is the expiry of the rotated key if it is where this rotation would
// have moved it to, and "" otherwise.
func (r *rotation) graceUntil() string {
	if r.key == nil {
		return ""
	}
	expiry, ok := api.Moment(text(r.key.ExpiresAt))
	grace := time.Duration(r.graceDays) * 24 * time.Hour
	if !ok || expiry.Before(r.lost.SentAt.Add(grace-clockSkew)) || expiry.After(time.Now().Add(grace+clockSkew)) {
		return ""
	}
	return *r.key.ExpiresAt
}

func (r *rotation) lostToken(ids ...string) error {
	e := &LostTokenError{KeyID: r.id, SuccessorIDs: ids, GraceUntil: r.graceUntil()}
	found := fmt.Sprintf("its successor is %q", ids[0])
	if len(ids) > 1 {
		found = fmt.Sprintf("its successor is one of %q", ids)
	}
	e.Err = outlook(r.lost, "The API key %q was rotated, and %s, whose token was lost with the answer and cannot be shown again.%s "+
		"Rotate the successor to get a token; do not rotate %q again", r.id, found, until(e.GraceUntil), r.id)
	return e
}

// undecided says what is known where no successor was found.
func (r *rotation) undecided() error {
	grace := r.graceUntil()
	switch {
	case r.failure != nil:
		return outlook(r.lost, "The API key %q may or may not have been rotated, and looking for its successor failed: %s. "+
			"Look at the list of keys before it is rotated again", r.id, r.failure)
	case grace != "":
		return outlook(r.lost, "The API key %q was rotated, but the list of keys shows no successor of it.%s "+
			"The successor's token was lost with the answer: rotate the successor as soon as it is listed, or create another key", r.id, until(grace))
	}
	return outlook(r.lost, "There is no sign that the API key %q was rotated: its expiry is not that of a key in its grace, and the list of keys shows no successor of it. "+
		"Look at the list of keys once more before it is rotated again", r.id)
}

func until(moment string) string {
	if moment == "" {
		return ""
	}
	return fmt.Sprintf(" The rotated key works until %s.", moment)
}

// outlook says of a lost answer what is known and what to do.
func outlook(lost *api.AmbiguousError, format string, values ...any) error {
	e := *lost
	e.Outlook = strings.TrimSuffix(fmt.Sprintf(format, values...), ".")
	return &e
}

package collections

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
)

// graceSlack is how far the end of a grace period may be from where it is expected:
// the service may have processed the request late.
const graceSlack = time.Minute

// CodeKeyNotActive is the code of the 409 that rejects the rotation of a key that was rotated or revoked, or
// has expired (wire contract: api_keys.rotate).
const CodeKeyNotActive = "key_not_active"

// LostTokenError ends a rotation of an API key that has happened, and whose
// successor's token was lost with the response. It wraps the *api.AmbiguousError
// that tells the user what exists and how to continue.
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
// rejects with the status 409 and the code key_not_active.
//
// It is never sent twice. When the response is lost, the successor is looked for
// among the keys that did not exist before: one that is found has lost its token,
// which is a *LostTokenError that names it, so that it can be rotated in turn. A key
// that may as well be another system's is only named. Where none is found, the error
// is an *api.AmbiguousError that says what the key looks like now.
func (s *Service) RotateAPIKey(ctx context.Context, id string, graceDays int64) (*APIKey, error) {
	before, err := s.keysBefore(ctx)
	if err != nil {
		return nil, err
	}
	r := &rotation{service: s, id: id, graceDays: graceDays, before: before}
	successor, adopted, err := api.Settle(ctx, api.Settlement[*APIKey]{
		Create: r.send, Lookup: r.successors,
		Same: func(*APIKey) bool { return true }, Doubt: r.doubt,
		Patient:  true,
		ID:       func(k *APIKey) string { return k.ID },
		Describe: fmt.Sprintf("successor of the API key %q", id),
	})
	var found *api.ConflictError
	isFound := errors.As(err, &found)
	switch {
	case adopted:
		return nil, r.lostToken(successor.ID)
	case isFound && found.Doubt == "" && r.rotated():
		return nil, r.lostToken(found.IDs...)
	case isFound:
		return nil, r.doubtful(found)
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
	before    *image[APIKey]

	lost    *api.AmbiguousError // the response was lost
	lostAt  time.Time           // by the service's clock
	key     *APIKey             // the rotated key as it was read after that; nil: it was not
	failure error               // of the last lookup
}

func (r *rotation) send(ctx context.Context) (*APIKey, error) {
	successor, err := r.service.oneKey(ctx, api.Request{
		Operation: "api_keys.rotate", Path: map[string]string{"id": r.id}, Body: rotateBody{GraceDays: r.graceDays},
	})
	r.lost, _ = api.AsAmbiguous(err)
	r.lostAt = r.service.shownTime(ctx)
	return successor, err
}

// successors finds what may have come of the rotation. A successor says whose it
// is, or has at least the name of its predecessor.
func (r *rotation) successors(ctx context.Context) (found []*APIKey, err error) {
	defer func() { r.failure = err }()
	if r.key, err = r.service.GetAPIKey(ctx, r.id); err != nil {
		return nil, err
	}
	return r.service.newKeys(ctx, r.before, func(k APIKey) bool {
		if k.PredecessorID != nil {
			return *k.PredecessorID == r.id
		}
		return k.Name == r.key.Name && k.ID != r.id
	})
}

// doubt says why a new key need not be the successor; "": it is, and is claimed. A
// list need not show whose successor a key is. Then the rotated key has to show that
// it was rotated: another system may have created a key of the same name.
func (r *rotation) doubt(_ context.Context, found *APIKey) string {
	if found.PredecessorID == nil && !r.rotated() {
		return fmt.Sprintf("the expiry of the key %q does not show that it was rotated", r.id)
	}
	return r.service.doubtKey(found, r.before, r.lostAt)
}

// rotated reports whether the key shows the rotation: its expiry was moved earlier,
// to the end of the grace period.
func (r *rotation) rotated() bool {
	if r.graceUntil() == "" {
		return false
	}
	earlier, listed := r.before.objects[r.id]
	return !listed || !sameMoment(earlier.ExpiresAt, r.key.ExpiresAt)
}

// graceUntil is the expiry of the rotated key if it is where this rotation would
// have moved it to, by the service's clock, and "" otherwise.
func (r *rotation) graceUntil() string {
	if r.key == nil {
		return ""
	}
	expiry, ok := api.Moment(text(r.key.ExpiresAt))
	grace := time.Duration(r.graceDays) * 24 * time.Hour
	earliest, latest := r.before.at.Add(grace-graceSlack), r.lostAt.Add(grace+graceSlack)
	switch {
	case !ok,
		!r.before.at.IsZero() && expiry.Before(earliest),
		!r.lostAt.IsZero() && expiry.After(latest):
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
	e.Err = outlook(r.lost,
		"The API key %q was rotated, and %s. The token was lost with the response and cannot be shown again.%s "+
			"Rotate the successor to get a token; do not rotate %q again", r.id, found, until(e.GraceUntil), r.id)
	return e
}

// doubtful names new keys that may be the successor, and may not.
func (r *rotation) doubtful(found *api.ConflictError) error {
	doubt := found.Doubt
	if doubt == "" {
		doubt = fmt.Sprintf("the expiry of the key %q does not show that it was rotated", r.id)
	}
	return outlook(r.lost, "The API key %q may or may not have been rotated. The list of keys shows %q, which may be "+
		"its successor, and may be another system's: %s. "+
		"Nothing was done with it. Look at the list of keys before %[1]q is rotated again", r.id, found.IDs, doubt)
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
			"The successor's token was lost with the response: rotate the successor as soon as it is listed, or create "+
			"another key", r.id, until(grace))
	}
	return outlook(r.lost, "There is no sign that the API key %q was rotated: its expiry is not that of a key in its "+
		"grace period, and the list of keys shows no successor of it. "+
		"Look at the list of keys once more before it is rotated again", r.id)
}

func until(moment string) string {
	if moment == "" {
		return ""
	}
	return fmt.Sprintf(" The rotated key works until %s.", moment)
}

// outlook adds to the error for a lost response what is known and what to do.
func outlook(lost *api.AmbiguousError, format string, values ...any) error {
	e := *lost
	e.Outlook = strings.TrimSuffix(fmt.Sprintf(format, values...), ".")
	return &e
}

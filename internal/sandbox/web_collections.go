package sandbox

import (
	"strings"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/page"
)

func (r endpointRow) age() (time.Time, int64) { return r.Endpoint.CreatedAt.Time, r.Number }

func (v viewer) viewEndpoint(row endpointRow) page.Endpoint {
	e := row.Endpoint
	// The query of an address is where receivers like to have a password.
	address, _, cut := strings.Cut(e.URL, "?")
	if cut {
		address += "?…"
	}
	return page.Endpoint{
		Organization: row.Organization, ID: e.ID, URL: address, Description: textOf(e.Description),
		Authentication: e.Authentication.Type, Events: e.Events, Active: e.Active, Created: e.CreatedAt.Time,
		Deliveries: newest(v.collections.deliveriesOf.All(v.tx, e.ID), shownDeliveries, func(d deliveryRow) page.Delivery {
			return d.view(strings.NewReplacer(e.URL, address))
		}),
	}
}

func (r deliveryRow) age() (time.Time, int64) { return r.CreatedAt, r.Number }

// view is the delivery with its attempts, whose errors may name the endpoint's
// address.
func (r deliveryRow) view(mask *strings.Replacer) page.Delivery {
	shown := page.Delivery{ID: r.ID, Event: r.Event, Status: string(r.State.Status), Created: r.CreatedAt}
	if r.State.Due != nil {
		shown.Next = *r.State.Due
	}
	for _, a := range r.State.Trail {
		shown.Attempts = append(shown.Attempts, page.Attempt{
			Number: a.Number, Cycle: a.Cycle, HTTPCode: a.HTTPCode, At: a.At, Error: mask.Replace(a.Error),
		})
	}
	return shown
}

func (r keyRow) age() (time.Time, int64) { return r.Key.CreatedAt.Time, r.Number }

func (v viewer) viewKey(row keyRow) page.Key {
	key := row.Key
	shown := page.Key{
		Organization: row.Organization, ID: key.ID, Name: key.Name, Prefix: key.KeyPrefix, Status: row.status(v.now),
		Scopes: key.Scopes, Created: key.CreatedAt.Time, Expires: timeOf(key.ExpiresAt),
		LastUsed: timeOf(key.LastUsedAt), Revoked: timeOf(key.RevokedAt),
	}
	if row.SuccessorID != "" {
		successor, _ := v.collections.keys.Get(v.tx, row.SuccessorID) // keys are never removed
		shown.Successor, shown.Grace = successor.Key.KeyPrefix, shown.Expires
	}
	return shown
}

package page

import (
	"strings"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/collections"
)

func endpointAge(r collections.EndpointRow) (time.Time, int64) {
	return r.Endpoint.CreatedAt.Time, r.Number
}

func (v viewer) viewEndpoint(row collections.EndpointRow) Endpoint {
	e := row.Endpoint
	address := withoutQuery(e.URL)
	return Endpoint{
		Organization: row.Organization, ID: e.ID, URL: address, Description: textOf(e.Description),
		Authentication: e.Authentication.Type, Events: e.Events, Active: e.Active, Created: e.CreatedAt.Time,
		Deliveries: newest(v.Collections.DeliveriesOf.All(v.tx, e.ID), shownDeliveries, deliveryAge,
			func(d collections.DeliveryRow) Delivery {
				return viewDelivery(d, strings.NewReplacer(e.URL, address))
			}),
	}
}

func deliveryAge(r collections.DeliveryRow) (time.Time, int64) { return r.CreatedAt, r.Number }

// viewDelivery is the delivery with its attempts, whose errors may name the endpoint's
// address.
func viewDelivery(r collections.DeliveryRow, mask *strings.Replacer) Delivery {
	shown := Delivery{ID: r.ID, Event: r.Event, Status: string(r.State.Status), Created: r.CreatedAt}
	if r.State.Due != nil {
		shown.Next = *r.State.Due
	}
	for _, a := range r.State.Trail {
		shown.Attempts = append(shown.Attempts, Attempt{
			Number: a.Number, Cycle: a.Cycle, HTTPCode: a.HTTPCode, At: a.At, Error: mask.Replace(a.Error),
		})
	}
	return shown
}

func keyAge(r collections.KeyRow) (time.Time, int64) { return r.Key.CreatedAt.Time, r.Number }

func (v viewer) viewKey(row collections.KeyRow) Key {
	key := row.Key
	shown := Key{
		Organization: row.Organization, ID: key.ID, Name: key.Name, Prefix: key.KeyPrefix, Status: row.Status(v.now),
		Scopes: key.Scopes, Created: key.CreatedAt.Time, Expires: timeOf(key.ExpiresAt),
		LastUsed: timeOf(key.LastUsedAt), Revoked: timeOf(key.RevokedAt),
	}
	if row.SuccessorID != "" {
		successor, _ := v.Collections.Keys.Get(v.tx, row.SuccessorID) // keys are never removed
		shown.Successor, shown.GraceUntil = successor.Key.KeyPrefix, shown.Expires
	}
	return shown
}

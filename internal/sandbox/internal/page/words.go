package page

import (
	"fmt"
	"strings"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/collections/delivery"
)

// moment is a time.Time or a server.Timestamp.
type moment interface{ UTC() time.Time }

// clock is a time for people, in UTC to the second.
func clock(t moment) string { return t.UTC().Format("2006-01-02 15:04:05") }

func day(t moment) string { return t.UTC().Format(time.DateOnly) }

func iso(t moment) string { return t.UTC().Format(time.RFC3339) }

func took(d time.Duration) string {
	switch {
	case d < time.Millisecond:
		return "<1 ms"
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	default:
		return fmt.Sprintf("%.1f s", d.Seconds())
	}
}

// left says how long it is from now until then, in its two largest units.
func left(now, then time.Time) string {
	minutes := int(then.Sub(now).Round(time.Minute) / time.Minute)
	switch hours := minutes / 60; {
	case !then.After(now):
		return "over"
	case hours >= 24:
		return fmt.Sprintf("%d d %d h left", hours/24, hours%24)
	case hours > 0:
		return fmt.Sprintf("%d h %d min left", hours, minutes%60)
	default:
		return fmt.Sprintf("%d min left", minutes)
	}
}

// ago is how far a time is from now, in its largest unit.
func ago(now, then time.Time) string {
	const day = 24 * time.Hour
	distance := then.Sub(now).Abs()
	length, name := time.Minute, "minute"
	switch {
	case distance < time.Minute:
		return "now"
	case distance >= 365*day:
		length, name = 365*day, "year"
	case distance >= 60*day:
		length, name = 30*day, "month"
	case distance >= day:
		length, name = day, "day"
	case distance >= time.Hour:
		length, name = time.Hour, "hour"
	}
	text := fmt.Sprintf("%d %s", distance/length, name)
	if distance/length > 1 {
		text += "s"
	}
	if then.After(now) {
		return "in " + text
	}
	return text + " ago"
}

// amount is an amount as people write it.
func amount(cents int64, currency string) string {
	sign := ""
	if cents < 0 {
		sign, cents = "-", -cents
	}
	return fmt.Sprintf("%s%d.%02d %s", sign, cents/100, cents%100, currency)
}

// clientName is a client without its version.
func clientName(client string) string {
	name, _, _ := strings.Cut(client, "/")
	return name
}

// short is as much of an id as is enough to see.
func short(id string) string { return id[:min(len(id), 8)] }

// withoutQuery is an address without its query, which is where receivers like to have a password.
func withoutQuery(address string) string {
	address, _, cut := strings.Cut(address, "?")
	if cut {
		address += "?…"
	}
	return address
}

// attempts are equal attempts of a delivery in a row.
type attempts struct {
	First, Last delivery.Attempt
	Times       int
}

// fold puts equal attempts in a row together.
func fold(trail []delivery.Attempt) []attempts {
	var folded []attempts
	for _, a := range trail {
		if n := len(folded) - 1; n >= 0 && folded[n].Last.HTTPCode == a.HTTPCode && folded[n].Last.Error == a.Error &&
			folded[n].Last.Cycle == a.Cycle {
			folded[n].Last = a
			folded[n].Times++
			continue
		}
		folded = append(folded, attempts{First: a, Last: a, Times: 1})
	}
	return folded
}

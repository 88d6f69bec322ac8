package api

import "time"

// Moment reads a DateTime of a service: a date with time and zone, or a date,
// which is its midnight in UTC (service description, Recurring billing §1). It
// is false for anything else.
func Moment(text string) (time.Time, bool) {
	for _, layout := range []string{time.RFC3339Nano, time.DateOnly} {
		if at, err := time.Parse(layout, text); err == nil {
			return at, true
		}
	}
	return time.Time{}, false
}

// IsDate reports whether a time that a service shows has no time of the day.
func IsDate(text string) bool {
	_, err := time.Parse(time.DateOnly, text)
	return err == nil
}

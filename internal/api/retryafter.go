package api

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// maxRetryAfter bounds what is believed of a Retry-After. It is far beyond any
// wait that is ever made, and keeps the arithmetic from overflowing.
const maxRetryAfter = 365 * 24 * time.Hour

// retryAfter reads the header Retry-After: whole seconds or an HTTP date. A
// date counts from the response's own Date, so that a clock that is off on either
// side does not matter, or from now when there is none. Absent, malformed and
// negative values, and dates in the past, are zero.
func retryAfter(header http.Header, now time.Time) time.Duration {
	value := strings.TrimSpace(header.Get("Retry-After"))
	if value == "" {
		return 0
	}
	if strings.Trim(value, "0123456789") == "" {
		seconds, err := strconv.ParseInt(value, 10, 64)
		if err != nil || seconds > int64(maxRetryAfter/time.Second) {
			return maxRetryAfter // digits that do not fit are a very long time
		}
		return time.Duration(seconds) * time.Second
	}
	until, err := http.ParseTime(value)
	if err != nil {
		return 0
	}
	if date, err := http.ParseTime(header.Get("Date")); err == nil {
		now = date
	}
	return min(max(until.Sub(now), 0), maxRetryAfter)
}

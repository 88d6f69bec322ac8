package api

import (
	"net/http"
	"testing"
	"time"
)

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	tests := map[string]struct {
		value, date string
		want        time.Duration
	}{
		"absent":                        {"", "", 0},
		"seconds":                       {"120", "", 2 * time.Minute},
		"blanks":                        {" 7 ", "", 7 * time.Second},
		"zero":                          {"0", "", 0},
		"negative":                      {"-5", "", 0},
		"fraction":                      {"1.5", "", 0},
		"garbage":                       {"soon", "", 0},
		"very large":                    {"99999999999", "", maxRetryAfter},
		"beyond 64 bits":                {"99999999999999999999999", "", maxRetryAfter},
		"date without Date":             {"Wed, 04 Mar 2026 05:07:07 GMT", "", time.Minute},
		"date by the service's clock":   {"Wed, 04 Mar 2026 09:00:30 GMT", "Wed, 04 Mar 2026 09:00:00 GMT", 30 * time.Second},
		"date in the past":              {"Wed, 04 Mar 2026 05:00:00 GMT", "", 0},
		"date with a broken Date":       {"Wed, 04 Mar 2026 05:07:07 GMT", "yesterday", time.Minute},
		"far date":                      {"Wed, 04 Mar 2999 05:07:07 GMT", "", maxRetryAfter},
		"date in the format of asctime": {"Wed Mar  4 05:07:07 2026", "", time.Minute},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			header := http.Header{}
			header.Set("Retry-After", test.value)
			header.Set("Date", test.date)
			if got := retryAfter(header, now); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

func FuzzRetryAfter(f *testing.F) {
	for _, seed := range []string{"", "1", "-1", "1e9", "999999999999999999999", "Wed, 04 Mar 2026 05:07:07 GMT", "\x00"} {
		f.Add(seed, seed)
	}
	now := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	f.Fuzz(func(t *testing.T, value, date string) {
		header := http.Header{"Retry-After": {value}, "Date": {date}}
		if got := retryAfter(header, now); got < 0 || got > maxRetryAfter {
			t.Errorf("%q, %q: %s", value, date, got)
		}
	})
}

package api

import (
	"testing"
	"time"
)

func TestMoment(t *testing.T) {
	t.Parallel()
	want := time.Date(2025, 5, 6, 14, 22, 9, 318e6, time.UTC)
	for text, same := range map[string]bool{
		"2025-05-06T14:22:09.318Z": true, "2025-05-06T11:22:09.318-03:00": true, "2025-05-06T14:22:09.318000Z": true,
		"2025-05-06T14:22:09Z": false, "2025-05-06": false,
	} {
		if got, ok := Moment(text); !ok || got.Equal(want) != same {
			t.Errorf("%q is %s, %t", text, got, ok)
		}
	}
	if got, ok := Moment("2025-05-06"); !ok || !got.Equal(time.Date(2025, 5, 6, 0, 0, 0, 0, time.UTC)) {
		t.Errorf("a date is %s, %t", got, ok)
	}
	for _, text := range []string{"", "now", "2025-05-06 14:22:09", "2025-05-06T14:22:09", "2025-13-01"} {
		if got, ok := Moment(text); ok {
			t.Errorf("%q is %s", text, got)
		}
	}
}

package api

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// FuzzAge: an object of another system that was created a second or more before the request is never newer, and an
// object of the request is never older, however long responses take and whenever their Date is written.
func FuzzAge(f *testing.F) {
	f.Add(int64(8000), uint32(0), uint32(11100), uint32(0), uint32(11100), uint32(0), false)
	f.Add(int64(10000), uint32(300), uint32(20000), uint32(20000), uint32(40), uint32(900), false)
	f.Add(int64(-40), uint32(100), uint32(120), uint32(60), uint32(0), uint32(7), true)
	f.Add(int64(1000), uint32(0), uint32(0), uint32(0), uint32(3000), uint32(2000), true)
	f.Fuzz(func(t *testing.T, before int64, phase, took, written, tookNext, writtenNext uint32, earlier bool) {
		const ms = time.Millisecond
		limit := func(n uint32) time.Duration { return time.Duration(n%60_000) * ms }
		created := -time.Duration(before%60_000) * ms // after the request
		synctest.Test(t, func(t *testing.T) {
			c := &Client{}
			time.Sleep(time.Duration(phase%1000) * ms)
			answer := func(took, written time.Duration) {
				sent := time.Now()
				time.Sleep(min(written, took))
				date := time.Now().UTC().Format(http.TimeFormat)
				time.Sleep(took - min(written, took))
				c.clock.note(http.StatusOK, http.Header{"Content-Type": {"application/json"}, "Date": {date}}, sent)
			}
			if earlier {
				answer(limit(tookNext), limit(writtenNext))
			}
			request := time.Now()
			answer(limit(took), limit(written))
			answer(limit(tookNext), limit(writtenNext))
			if created > 0 {
				created = min(created, time.Since(request))
			}
			switch age := c.age(request.Add(created).UTC().Format(time.RFC3339Nano), request); {
			case created <= -time.Second && age == newer:
				t.Errorf("created %s before the request: newer", -created)
			case created >= 0 && age == older:
				t.Errorf("created %s after the request: older", created)
			case age == ageUnknown:
				t.Error("the clocks are the same, and differ")
			}
		})
	})
}

// FuzzInside: the field that an identity is compared by is the one that the decoder of objects finds.
func FuzzInside(f *testing.F) {
	for _, seed := range []string{`{"id":"a"}`, `{"ID":"a","id":"b"}`, `{"id":"a","Id":null}`, `{"id":null,"id":"b"}`, `{}`,
		`{"i\u0064":"a"}`, `{"id":7}`, `{"id":"a"`, `[]`, `{"id":{"id":"a"}}`, `{"ıd":"a"}`, `{"K":1}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var decoded struct {
			ID string `json:"id"`
		}
		if decodeInto(text, &decoded) != nil || checkJSON(text) != nil {
			return
		}
		if have := idIn(text, "id"); have != decoded.ID {
			t.Errorf("%s: %q is compared, and %q is decoded", text, have, decoded.ID)
		}
	})
}

// FuzzMaskEscaped: a token is masked in every text, however JSON, or JSON inside of JSON, escapes its characters.
func FuzzMaskEscaped(f *testing.F) {
	for _, seed := range []string{"", `{"error":{"message":"`, `\`, `<p>`, `\\u00`, `"`} {
		f.Add(seed, seed, uint32(5), uint8(1))
		f.Add(seed, seed, uint32(1<<20-1), uint8(2))
	}
	f.Fuzz(func(t *testing.T, before, after string, escapes uint32, depth uint8) {
		c := newClient(t, play(ok("{}")))
		text := before + escapedToken(escapes, int(depth%4)) + after
		for _, shown := range []string{c.scrub(text), string(c.scrubBody([]byte(text)))} {
			if plain := unescaped(shown); strings.Contains(plain, testToken) {
				t.Errorf("%q is shown as %q", text, shown)
			}
		}
	})
}

// escapedToken is the test's token with some characters escaped, as deep as that.
func escapedToken(escapes uint32, depth int) (text string) {
	for i, c := range testToken {
		if depth == 0 || escapes>>(i%32)&1 == 0 {
			text += string(c)
			continue
		}
		text += strings.Repeat(`\`, 1<<(depth-1)) + fmt.Sprintf("u%04x", c)
	}
	return text
}

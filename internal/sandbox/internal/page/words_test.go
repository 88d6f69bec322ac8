package page

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/collections/delivery"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/server"
)

const day24 = 24 * time.Hour

func TestTimes(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 5, 4, 12, 0, 0, 0, time.FixedZone("BRT", -3*60*60))
	for distance, want := range map[time.Duration]string{
		0: "now", 59 * time.Second: "now", time.Minute: "in 1 minute", -90 * time.Minute: "1 hour ago",
		time.Hour: "in 1 hour", day24: "in 1 day", 47 * time.Hour: "in 1 day", -59 * day24: "59 days ago",
		60 * day24: "in 2 months", 70 * day24: "in 2 months", 365 * day24: "in 1 year", -366 * day24: "1 year ago",
		-800 * day24: "2 years ago",
	} {
		if got := ago(now, now.Add(distance)); got != want {
			t.Errorf("%v from now: %q, want %q", distance, got, want)
		}
	}
	for distance, want := range map[time.Duration]string{
		7 * day24: "7 d 0 h left", 25*time.Hour + 29*time.Minute: "1 d 1 h left", day24 - time.Second: "1 d 0 h left",
		23*time.Hour + 59*time.Minute: "23 h 59 min left", time.Hour: "1 h 0 min left", time.Minute: "1 min left",
		time.Second: "0 min left", 0: "over", -time.Hour: "over",
	} {
		if got := left(now, now.Add(distance)); got != want {
			t.Errorf("%v before the end: %q, want %q", distance, got, want)
		}
	}
	for d, want := range map[time.Duration]string{999 * time.Microsecond: "<1 ms", time.Millisecond: "1 ms",
		999 * time.Millisecond: "999 ms", time.Second: "1.0 s", 1450 * time.Millisecond: "1.4 s"} {
		if got := took(d); got != want {
			t.Errorf("%v: %q, want %q", d, got, want)
		}
	}
	if got := clock(now) + " " + iso(now) + " " + day(now); got != "2026-05-04 15:00:00 2026-05-04T15:00:00Z 2026-05-04" {
		t.Error(got)
	}
	for cents, want := range map[int64]string{0: "0.00 BRL", 5: "0.05 BRL", 123456: "1234.56 BRL", -1: "-0.01 BRL"} {
		if got := amount(cents, "BRL"); got != want {
			t.Errorf("%d: %q, want %q", cents, got, want)
		}
	}
}

// A body is shown without the query of a url, however it is escaped. Text that only resembles a url is unchanged.
func TestReadable(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{"url":"https://a/?key=1"}`: `"https://a/?…"`, `{"data":{"url":"https:\/\/a/\u003fkey=\"1"}}`: `"https://a/?…"`,
		`{"url":"https://a/"}`: `"https://a/"`, `{"notes":"\"url\": \"https://a/?b"}`: `https://a/?b"`, `{"url`: `{"url`,
	} {
		if got := readable([]byte(body)); !strings.Contains(got, want) || strings.Contains(got, "key") {
			t.Errorf("%s is shown as %s", body, got)
		}
	}
}

// TestFold checks that only consecutive equal attempts are merged.
func TestFold(t *testing.T) {
	t.Parallel()
	refused := delivery.Attempt{Number: 1, HTTPCode: 503, Error: "refused"}
	again := refused
	again.Number = 2
	other, silent, resent := refused, refused, refused
	other.Error, silent.HTTPCode, resent.Cycle = "other", 0, 1
	want := []attempts{{refused, again, 2}, {other, other, 1}, {silent, silent, 1}, {resent, resent, 1},
		{refused, refused, 1}}
	if got := fold([]delivery.Attempt{refused, again, other, silent, resent, refused}); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v", got)
	}
}

func TestOutcome(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		request server.Request
		want    string
	}{
		{server.Request{Status: 200}, "ok"}, {server.Request{Status: 304}, "ok"}, {server.Request{Status: 400}, "rejected"},
		{server.Request{Status: 429}, "rejected"}, {server.Request{Status: 500}, "failed"},
		{server.Request{Status: 201, Dropped: true}, "dropped"}, {server.Request{Dropped: true}, "dropped"},
	} {
		if got := outcome(c.request); got != c.want {
			t.Errorf("%+v: %s, want %s", c.request, got, c.want)
		}
	}
}

// TestApply checks that a run is labeled an apply only when it certainly is one: a plan also creates and revokes the
// keys of ephemeral resources.
func TestApply(t *testing.T) {
	t.Parallel()
	request := func(client, method, operation string) server.Request {
		return server.Request{Client: client, Method: method, Operation: operation, Status: 200}
	}
	const terraform = "terraform-provider-billing/1.0.0"
	for _, c := range []struct {
		requests []server.Request
		want     bool
	}{
		{[]server.Request{request(terraform, "GET", "customers.get")}, false},
		{[]server.Request{request(terraform, "POST", "api_keys.create"), request(terraform, "DELETE", "api_keys.revoke")}, false},
		{[]server.Request{request("crm/3", "PATCH", "customers.update")}, false},
		{[]server.Request{request(terraform, "PATCH", "customers.update"), request(terraform, "GET", "me.get")}, true},
	} {
		var o run
		for _, r := range c.requests {
			o.add(r)
		}
		if o.isApply != c.want || o.Total != len(c.requests) {
			t.Errorf("%+v: apply %v", c.requests, o.isApply)
		}
	}
}

// TestAbbreviate checks that each id is shown just long enough to be unambiguous.
func TestAbbreviate(t *testing.T) {
	t.Parallel()
	all := []string{
		"10000000-0000-4000-8000-000000000000", "20000000-0000-4000-8000-00000000aa01", "20000000-0000-4000-8000-00000000aa02",
		"30000000-1000-4000-8000-000000000000", "30000000-2000-4000-8000-000000000000", "short",
	}
	for id, want := range map[string]string{
		all[0]: "10000000", all[1]: "20000000…aa01", all[2]: "20000000…aa02", all[3]: "30000000-1", all[4]: "30000000-2",
		"short": "short", "": "",
	} {
		got := abbreviate(id, all)
		if got.String() != want || got.Head+got.Middle+got.Tail != id {
			t.Errorf("%s is shown as %s (%+v), want %s", id, got, got, want)
		}
	}
	// Many ids with the same prefix and any suffix.
	hard := []string{"aaaaaaaabbbbbbbbbb1111", "aaaaaaaabbbbbbbbbb2111", "aaaaaaaacbbbbbbbbb1111"}
	seen := map[string]bool{}
	for _, id := range hard {
		seen[abbreviate(id, hard).String()] = true
	}
	if len(seen) != len(hard) {
		t.Errorf("not distinguished: %v", seen)
	}
}

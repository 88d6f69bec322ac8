package page_test

import (
	"errors"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/page"
)

var noon = time.Date(2026, 5, 4, 12, 0, 0, 0, time.FixedZone("BRT", -3*60*60))

// render answers the page.
func render(t *testing.T, v page.View) string {
	t.Helper()
	var out strings.Builder
	if err := page.Render(&out, v); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// hostile is a view whose every text is out to be markup.
func hostile(text string) page.View {
	account := page.Account{Organization: text, ID: text, ExternalID: text, Customer: text, Status: text, Reason: text, Balance: text, Email: text, Created: noon}
	return page.View{
		Now:           noon,
		Organizations: []page.Organization{{ID: text, Name: text}, {ID: text, Name: text}},
		Customers: one(page.Customer{Organization: text, ID: text, Name: text, ExternalID: text, Document: text, Email: text,
			Created: noon, Accounts: []page.Account{account}}),
		Accounts: one(account),
		Subscriptions: one(page.Subscription{Organization: text, ID: text, ExternalID: text, Customer: text, Account: text, Status: text,
			Cycle: text, Plan: text, PendingPlan: text, Amount: text, Timeline: []page.Moment{{At: noon, What: text, Detail: text}}}),
		Endpoints: one(page.Endpoint{Organization: text, ID: text, URL: text, Description: text, Authentication: text, Events: []string{text},
			Deliveries: one(page.Delivery{ID: text, Event: text, Status: text, Attempts: []page.Attempt{{Number: 1, At: noon, Error: text}}})}),
		Keys: one(page.Key{Organization: text, ID: text, Name: text, Prefix: text, Status: text, Successor: text, Scopes: []string{text}}),
		Collections: []page.Collection{{Organization: text, Name: text,
			Records: one(page.Record{ID: text, Name: text, Amount: text, Type: text, Occurred: text, Status: text})}},
		Requests: one(page.Request{At: noon, Service: text, Operation: text, Method: text, Address: text, RequestID: text, Token: text, Fault: text}),
	}
}

func one[T any](object T) page.List[T] { return page.List[T]{Shown: []T{object}, Total: 1} }

var (
	element = regexp.MustCompile(`<[^>]*>`)
	quoted  = regexp.MustCompile(`"[^"]*"`)
	leads   = regexp.MustCompile(`\s(?:href|src|action|content)="([^"]*)"`)
)

// skeleton is the page's elements with the names of their attributes.
func skeleton(document string) string {
	return quoted.ReplaceAllString(strings.Join(element.FindAllString(document, -1), "\n"), "")
}

// Whatever somebody has written is text: it makes no element and no attribute,
// and leads nowhere.
func TestNothingIsMarkup(t *testing.T) {
	t.Parallel()
	want := skeleton(render(t, hostile("plain")))
	for _, text := range []string{
		`<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `javascript:alert(1)`, `https://elsewhere.example/`,
		`" onclick="alert(1)`, `' onclick='alert(1)`, `</main><base href="//x">`, `{{.}}`, `<!--`,
	} {
		out := render(t, hostile(text))
		if skeleton(out) != want {
			t.Errorf("%s changes the elements of the page", text)
		}
		for _, found := range leads.FindAllStringSubmatch(out, -1) {
			if !regexp.MustCompile(`^(#[a-z]+|/style\.css|/page\.js|5|width=device-width, initial-scale=1)$`).MatchString(found[1]) {
				t.Errorf("%s: the page leads to %s", text, found[1])
			}
		}
	}
}

// Each object names its organization only when there is more than one.
func TestOrganizations(t *testing.T) {
	t.Parallel()
	v := hostile("plain")
	if out := render(t, v); strings.Count(out, ">Organization<") != 5 || !strings.Contains(out, `aria-label="Organizations"`) {
		t.Error("with two organizations, objects do not name theirs")
	}
	v.Organizations = v.Organizations[:1]
	if out := render(t, v); strings.Contains(out, "Organization") {
		t.Error("the only organization is named")
	}
}

func TestWhatIsNotThere(t *testing.T) {
	t.Parallel()
	out := render(t, page.View{Now: noon})
	for _, kind := range []string{"customers", "billing accounts", "subscriptions", "webhook endpoints", "API keys", "records", "requests"} {
		if !strings.Contains(out, `<p class="empty">No `+kind+" yet. ") {
			t.Errorf("an empty page says nothing of %s", kind)
		}
	}
	if strings.Contains(out, "<table") || strings.Contains(out, "0001-01-01") {
		t.Error("an empty page shows something")
	}
}

// A part of a list says how much is left out.
func TestMore(t *testing.T) {
	t.Parallel()
	v := page.View{Now: noon, Customers: page.List[page.Customer]{Shown: []page.Customer{{Name: "Ana"}, {Name: "Bia"}}, Total: 5}}
	if out := render(t, v); !strings.Contains(out, ">3 older not shown.<") || !strings.Contains(out, `Customers <span class="count">5<`) {
		t.Errorf("%s", out)
	}
	v.Customers.Total = 2
	if out := render(t, v); strings.Contains(out, "not shown") {
		t.Error("all are shown, and it says that some are not")
	}
}

// Times are in UTC, for people and for machines; the clock says how it goes.
func TestClock(t *testing.T) {
	t.Parallel()
	const at = `<strong><time datetime="2026-05-04T15:00:00Z">2026-05-04 15:00:00</time></strong> UTC`
	if out := render(t, page.View{Now: noon}); !strings.Contains(out, "runs; it is "+at) {
		t.Error("a running clock is not told")
	}
	if out := render(t, page.View{Now: noon, Fixed: true}); !strings.Contains(out, "stands still at "+at) {
		t.Error("a fixed clock is not told")
	}
}

// Of a rotated key the page says how long it still works.
func TestGrace(t *testing.T) {
	t.Parallel()
	for left, want := range map[time.Duration]string{
		7 * 24 * time.Hour: "7 d 0 h left", 25*time.Hour + 29*time.Minute: "1 d 1 h left", 24*time.Hour - time.Second: "1 d 0 h left",
		23*time.Hour + 59*time.Minute: "23 h 59 min left", time.Minute: "1 min left", time.Second: "0 min left", 0: "over", -time.Hour: "over",
	} {
		v := page.View{Now: noon, Keys: one(page.Key{Status: "rotated", Grace: noon.Add(left)})}
		if out := render(t, v); !strings.Contains(out, "grace: "+want+"<") {
			t.Errorf("%v before the end of the grace the page does not say %q", left, want)
		}
	}
	if out := render(t, page.View{Now: noon, Keys: one(page.Key{Status: "expired", Grace: noon})}); strings.Contains(out, "grace") {
		t.Error("an expired key has a grace")
	}
}

func TestOutcome(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		request page.Request
		want    string
	}{
		{page.Request{Status: 200}, "ok"}, {page.Request{Status: 304}, "ok"}, {page.Request{Status: 404}, "refused"}, {page.Request{Status: 429}, "refused"},
		{page.Request{Status: 500}, "failed"}, {page.Request{Status: 201, Dropped: true}, "dropped"}, {page.Request{Dropped: true}, "dropped"},
	} {
		if got := c.request.Outcome(); got != c.want {
			t.Errorf("%+v: %s, want %s", c.request, got, c.want)
		}
	}
}

func TestFile(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"style.css": "text/css; charset=utf-8", "page.js": "text/javascript; charset=utf-8"} {
		if content, kind, ok := page.File(name); !ok || kind != want || len(content) == 0 {
			t.Errorf("%s: %d bytes of %q, %v", name, len(content), kind, ok)
		}
	}
	for _, name := range []string{"", "layout.html", "templates/layout.html", "page.go", "../page/page.js"} {
		if _, _, ok := page.File(name); ok {
			t.Errorf("%q is a file of the page", name)
		}
	}
}

type broken struct{}

var errBroken = errors.New("broken")

func (broken) Write([]byte) (int, error) { return 0, errBroken }

func TestRenderFailsWithItsWriter(t *testing.T) {
	t.Parallel()
	if err := page.Render(broken{}, page.View{}); !errors.Is(err, errBroken) {
		t.Errorf("error %v", err)
	}
}

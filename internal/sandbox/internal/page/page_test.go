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

// render returns the page.
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
	ref, owners := page.Ref{ID: text, Text: text}, []page.Owner{{Client: text, Token: text, Keys: []string{text}}}
	account := page.Account{Organization: text, ID: text, ExternalID: text, Customer: ref, Status: text, Reason: text,
		Balance: text, Email: text, Created: noon, Subscriptions: []page.Ref{ref}, Metadata: owners}
	return page.View{
		Now:           noon,
		Organizations: []page.Organization{{ID: text, Name: text}, {ID: text, Name: text}},
		Faults:        []page.Fault{{ID: text, Spec: text}},
		Customers: one(page.Customer{Organization: text, ID: text, Name: text, ExternalID: text, Document: text, Email: text,
			Created: noon, Accounts: []page.Ref{ref}, Metadata: owners}),
		Accounts: one(account),
		Subscriptions: one(page.Subscription{Organization: text, ID: text, ExternalID: text, Customer: ref,
			Account: ref, Status: text, Cycle: text, Plan: page.Plan{ID: text, Name: text},
			PendingPlan: page.Plan{ID: text, Name: text}, Amount: text, Metadata: owners,
			Timeline: []page.Moment{{At: noon, What: text, Detail: text, By: text}}}),
		Invoices: one(page.Invoice{Organization: text, ID: text, Number: text, Status: text, Amount: text,
			Reason: text, Customer: text, Account: ref, Subscription: ref, Due: text, Created: noon}),
		Endpoints: one(page.Endpoint{Organization: text, ID: text, URL: text, Description: text, Authentication: text,
			Events: []string{text},
			Deliveries: one(page.Delivery{ID: text, Event: text, Status: text,
				Attempts: []page.Attempt{{Number: 1, At: noon, Error: text}}})}),
		Keys: one(page.Key{Organization: text, ID: text, Name: text, Prefix: text, Status: text, Successor: text,
			Scopes: []string{text}}),
		Tokens: []page.Token{{Organization: text, Service: text, Prefix: text, Scopes: []string{text}, Expires: noon}},
		Collections: []page.Collection{{Organization: text, Name: text,
			Records: one(page.Record{ID: text, Name: text, Amount: text, Type: text, Occurred: text, Status: text})}},
		Requests: one(page.Request{Sequence: 7, At: noon, Service: text, Operation: text, Method: text, Address: text,
			RequestID: text, Token: text, Client: text, Fault: text}),
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

// Everything that users have written is text: it makes no element and no attribute,
// and leads nowhere.
func TestNothingIsMarkup(t *testing.T) {
	t.Parallel()
	want := skeleton(render(t, hostile("plain")))
	var plain strings.Builder
	if err := page.RenderDetail(&plain, page.Detail{Title: "x", Facts: [][2]string{{"x", "x"}},
		Parts: []page.Part{{Heading: "x", Text: "x"}}}); err != nil {
		t.Fatal(err)
	}
	wantDetail := skeleton(plain.String())
	for _, text := range []string{
		`<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `javascript:alert(1)`, `https://elsewhere.example/`,
		`" onclick="alert(1)`, `' onclick='alert(1)`, `</main><base href="//x">`, `{{.}}`, `<!--`,
	} {
		out := render(t, hostile(text))
		if skeleton(out) != want {
			t.Errorf("%s changes the elements of the page", text)
		}
		var detail strings.Builder
		if err := page.RenderDetail(&detail, page.Detail{Title: text, Facts: [][2]string{{text, text}},
			Parts: []page.Part{{Heading: text, Text: text}}}); err != nil {
			t.Fatal(err)
		}
		if skeleton(detail.String()) != wantDetail {
			t.Errorf("%s changes the elements of the page of an object", text)
		}
		for _, found := range leads.FindAllStringSubmatch(out+detail.String(), -1) {
			if !regexp.MustCompile(
				`^(#[a-z]+(-[^\s"<>]*)?|/(object\?type=[a-z]+&amp;id=[\w%.-]*|request\?sequence=7)?|/style\.css|/page\.js|/favicon\.svg|5|width=device-width, initial-scale=1)$`).MatchString(found[1]) {
				t.Errorf("%s: the page leads to %s", text, found[1])
			}
		}
	}
}

// Each object names its organization only when there is more than one.
func TestOrganizations(t *testing.T) {
	t.Parallel()
	v := hostile("plain")
	if out := render(t, v); strings.Count(out, ">Organization<") != 7 ||
		!strings.Contains(out, `aria-label="Organizations"`) {
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
	for _, kind := range []string{"customers", "billing accounts", "subscriptions", "invoices", "webhook endpoints",
		"API keys", "records", "requests"} {
		if !strings.Contains(out, `<p class="empty">No `+kind+" yet. ") || strings.Contains(out, `id="faults"`) {
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
	v := page.View{Now: noon, Customers: page.List[page.Customer]{Shown: []page.Customer{{Name: "Ana"}, {Name: "Bia"}},
		Total: 5}}
	if out := render(t, v); !strings.Contains(out, ">3 older not shown.<") ||
		!strings.Contains(out, `Customers <span class="count">5<`) {
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
	if out := render(t, page.View{Now: noon}); !strings.Contains(out, "is running: "+at) {
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
		7 * 24 * time.Hour: "7 d 0 h left", 25*time.Hour + 29*time.Minute: "1 d 1 h left",
		24*time.Hour - time.Second: "1 d 0 h left", 23*time.Hour + 59*time.Minute: "23 h 59 min left",
		time.Minute: "1 min left", time.Second: "0 min left", 0: "over", -time.Hour: "over",
	} {
		v := page.View{Now: noon, Keys: one(page.Key{Status: "rotated", GraceUntil: noon.Add(left)})}
		if out := render(t, v); !strings.Contains(out, "grace period: "+want+"<") {
			t.Errorf("%v before the end of the grace the page does not say %q", left, want)
		}
	}
	if out := render(t,
		page.View{Now: noon, Keys: one(page.Key{Status: "expired", GraceUntil: noon})}); strings.Contains(out,
		"grace") {
		t.Error("an expired key has a grace")
	}
}

// TestRelativeTimes requires times in the largest unit, before and after the clock.
func TestRelativeTimes(t *testing.T) {
	t.Parallel()
	for distance, want := range map[time.Duration]string{
		0: "now", 59 * time.Second: "now", time.Minute: "in 1 minute", -90 * time.Minute: "1 hour ago",
		47 * time.Hour: "in 1 day", -59 * 24 * time.Hour: "59 days ago", 70 * 24 * time.Hour: "in 2 months",
		-366 * 24 * time.Hour: "1 year ago",
	} {
		v := page.View{Now: noon, Tokens: []page.Token{{Prefix: "p", Expires: noon.Add(distance)}}}
		if out := render(t, v); !strings.Contains(out, `<span class="ago">`+want+`</span>`) {
			t.Errorf("%v: not %q", distance, want)
		}
	}
}

// TestFilters requires rows to have the classes that the filters hide by: a request can be a write, failed and older.
func TestFilters(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		request page.Request
		want    string
	}{
		{page.Request{Method: "GET", Status: 200}, "read successful"},
		{page.Request{Method: "PATCH", Status: 200, Older: true}, "write successful older"},
		{page.Request{Method: "GET", Dropped: true}, "read unsuccessful"}, {page.Request{Method: "DELETE", Status: 404},
			"write unsuccessful"},
	} {
		if out := render(t, page.View{Now: noon, Requests: one(c.request)}); !strings.Contains(out,
			`<tr class="`+c.want+`">`) {
			t.Errorf("%+v: not %q", c.request, c.want)
		}
	}
}

func TestOutcome(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		request page.Request
		want    string
	}{
		{page.Request{Status: 200}, "ok"}, {page.Request{Status: 304}, "ok"}, {page.Request{Status: 404}, "rejected"},
		{page.Request{Status: 429}, "rejected"}, {page.Request{Status: 500}, "failed"},
		{page.Request{Status: 201, Dropped: true}, "dropped"}, {page.Request{Dropped: true}, "dropped"},
	} {
		if got := c.request.Outcome(); got != c.want {
			t.Errorf("%+v: %s, want %s", c.request, got, c.want)
		}
	}
}

func TestFile(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"style.css": "text/css; charset=utf-8",
		"page.js": "text/javascript; charset=utf-8", "favicon.svg": "image/svg+xml"} {
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

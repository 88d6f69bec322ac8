// Package page serves the sandbox's web page, which shows its data.
// serve.go serves it; viewer.go and a file for each service read plain data from
// the tables into the types of view.go, none of which may be a credential; page.go
// writes them and escapes whatever it writes.
package page

import (
	"embed"
	"fmt"
	"html/template"
	"io"
	"strings"
	"time"
)

//go:embed templates
var templates embed.FS

//go:embed style.css page.js favicon.svg
var files embed.FS

// kinds are the files that the page refers to, and their media types.
var kinds = map[string]string{
	"style.css": "text/css; charset=utf-8",
	"page.js":   "text/javascript; charset=utf-8",

	"favicon.svg": "image/svg+xml",
}

// layouts is never executed itself: each page has its own functions.
var layouts = template.Must(template.New("").Funcs(functions(time.Time{})).ParseFS(templates, "templates/*.html"))

// functions are those of the templates, for a page that is rendered at this time of the sandbox.
func functions(now time.Time) template.FuncMap {
	return template.FuncMap{
		"clock": clock, "iso": iso, "left": left, "join": strings.Join, "name": clientName,
		"ago": func(t time.Time) string { return ago(now, t) },
	}
}

// Render writes the whole page. It fails as w does.
func Render(w io.Writer, v View) error { return render(w, "layout.html", v.Now, v) }

// RenderDetail writes the page of one object or request.
func RenderDetail(w io.Writer, shown Detail) error {
	return render(w, "detail.html", time.Time{}, shown)
}

func render(w io.Writer, name string, now time.Time, content any) error {
	layout, err := layouts.Clone()
	if err == nil {
		err = layout.Funcs(functions(now)).ExecuteTemplate(w, name, content)
	}
	if err != nil {
		return fmt.Errorf("render the page: %w", err)
	}
	return nil
}

// File is a file that the page refers to by this name, and its media type; ok
// is false when there is none.
func File(name string) (content []byte, kind string, ok bool) {
	if kind, ok = kinds[name]; !ok {
		return nil, "", false
	}
	content, err := files.ReadFile(name)
	return content, kind, err == nil
}

// clock is a time for people, in UTC to the second.
func clock(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05") }

func iso(t time.Time) string { return t.UTC().Format(time.RFC3339) }

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

// ago is how far a time is from now, in words.
func ago(now, then time.Time) string {
	distance := then.Sub(now)
	text := distanceText(distance.Abs())
	switch {
	case then.IsZero() || text == "":
		return "now"
	case distance > 0:
		return "in " + text
	default:
		return text + " ago"
	}
}

// distanceText is a duration in its largest unit; empty below a minute.
func distanceText(d time.Duration) string {
	const day = 24 * time.Hour
	for _, unit := range []struct {
		length time.Duration
		name   string
	}{{365 * day, "year"}, {60 * day, ""}, {day, "day"}, {time.Hour, "hour"}, {time.Minute, "minute"}} {
		n := int(d / unit.length)
		switch {
		case n == 0:
			continue
		case unit.name == "": // two months and more
			return fmt.Sprintf("%d months", int(d/(30*day)))
		case n == 1:
			return "1 " + unit.name
		default:
			return fmt.Sprintf("%d %ss", n, unit.name)
		}
	}
	return ""
}

// clientName is a client without its version.
func clientName(client string) string {
	name, _, _ := strings.Cut(client, "/")
	return name
}

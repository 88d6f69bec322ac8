// Package page serves the sandbox's web page, which shows its data to people.
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

//go:embed style.css page.js
var files embed.FS

// kinds are the files that the page refers to, and their media types.
var kinds = map[string]string{
	"style.css": "text/css; charset=utf-8",
	"page.js":   "text/javascript; charset=utf-8",
}

var layout = template.Must(template.New("layout.html").Funcs(template.FuncMap{
	"clock": clock, "iso": iso, "left": left, "join": strings.Join,
}).ParseFS(templates, "templates/*.html"))

// Render writes the whole page. It fails as w does.
func Render(w io.Writer, v View) error {
	if err := layout.Execute(w, v); err != nil {
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

// clock is a moment for people, in UTC to the second.
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

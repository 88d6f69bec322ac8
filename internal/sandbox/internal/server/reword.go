package server

import (
	"fmt"
	"html"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/recurring-billing/terraform-provider-billing/internal/evidence"
)

// rewording is a kind of difference between a text that was sent and the one that a service stores.
type rewording func(field, text string) string

// rewordings are the kinds by name. Fills is played by the objects themselves.
var rewordings = map[string]rewording{
	"trim":     func(_, text string) string { return strings.TrimSpace(text) },
	"collapse": func(_, text string) string { return strings.Join(strings.Fields(text), " ") },
	"crlf": func(_, text string) string {
		return strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\n", "\r\n")
	},
	"line-end": func(_, text string) string { return strings.TrimSuffix(text, "\n") + "\n" },
	"escape":   func(_, text string) string { return html.EscapeString(html.UnescapeString(text)) },
	"lower":    func(_, text string) string { return strings.ToLower(text) },
	"nfd":      func(_, text string) string { return norm.NFD.String(text) },
	"cut": func(_, text string) string {
		return string([]rune(text)[:min(len([]rune(text)), longestText)])
	},
	"url": func(_, text string) string {
		u, err := url.Parse(text)
		if err != nil || u.Host == "" {
			return text
		}
		if u.Host = strings.ToLower(u.Host); u.Path == "" {
			u.Path = "/"
		}
		return u.String()
	},
	"phone": func(_, text string) string {
		if !phoneNumber.MatchString(text) {
			return text
		}
		return notDigit.ReplaceAllString(text, "")
	},
	fills: func(_, text string) string { return text },
}

const (
	// fills fills fields of nested objects and arguments that were left out.
	fills = "fill"
	// longestText is the length to which "cut" cuts texts.
	longestText = 12
)

var (
	phoneNumber = regexp.MustCompile(`^\+?[0-9 ()-]{8,}$`)
	noText      = regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$|^-?[0-9]+[.][0-9]+$|^\d{4}-\d\d-\d\d`)
	notDigit    = regexp.MustCompile(`[^0-9]`)
)

// RewordKinds returns the kinds of rewording, sorted.
func RewordKinds() []string { return slices.Sorted(maps.Keys(rewordings)) }

// ParseRewords parses kinds separated by commas; errors list the valid ones.
func ParseRewords(kinds string) ([]string, error) {
	var all []string
	for kind := range strings.SplitSeq(kinds, ",") {
		if _, known := rewordings[kind]; !known {
			return nil, fmt.Errorf("no kind of rewording %q: use %s", kind, strings.Join(RewordKinds(), ", "))
		}
		all = append(all, kind)
	}
	return all, nil
}

// reworded rewords a response.
func reworded(body []byte, kinds []string, records bool) ([]byte, error) {
	tree, err := Decode(body)
	if err != nil {
		return nil, err
	}
	return Encode(reword(tree, kinds, "", records))
}

// reword returns a response with the texts as a service shows them that stores them otherwise than they were sent.
// free is set in free-form objects, in which every text is one.
func reword(value any, kinds []string, field string, free bool) any {
	switch value := value.(type) {
	case []any:
		for i := range value {
			value[i] = reword(value[i], kinds, field, free)
		}
	case map[string]any:
		for name, part := range value {
			if !decides(name) {
				value[name] = reword(part, kinds, name, free || name == "custom_metadata")
			}
		}
		if slices.Contains(kinds, fills) {
			fill(value)
		}
	case string:
		if free || slices.Contains(evidence.FreeTexts, field) {
			return rewordText(value, kinds, field)
		}
	}
	return value
}

// decides reports whether a field decides something, so that services store it as it was sent.
func decides(name string) bool {
	return slices.Contains([]string{"id", "authentication", "next_cursor"}, name) ||
		strings.HasSuffix(name, "_at") || strings.HasSuffix(name, "At")
}

func rewordText(text string, kinds []string, field string) string {
	if text == "" || noText.MatchString(text) {
		return text
	}
	for _, kind := range kinds {
		text = rewordings[kind](field, text)
	}
	return text
}

// fill fills what was left out.
func fill(object map[string]any) {
	_, isAddress := object["postal_code"]
	if _, has := object["street"]; (has || isAddress) && object["country"] == nil {
		object["country"] = "BR"
	}
	if _, isContact := object["value"]; isContact && object["kind"] == nil {
		object["kind"] = "other"
	}
	if _, isCustomer := object["legal_name"]; isCustomer && object["legal_name"] == nil {
		object["legal_name"] = "not given"
	}
}

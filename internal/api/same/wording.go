package same

import (
	"html"
	"net/url"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/net/idna"
	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Wording reports whether two texts have the same letters and digits in the same order, ignoring case, compatibility
// forms (NFKC), and the ways in which services escape texts and write internationalized hosts. A text without letters
// and digits is only compared without its white space.
func Wording(a, b string) bool {
	if a == b {
		return true
	}
	forms := readings(b)
	for _, one := range readings(a) {
		for _, other := range forms {
			if one == other {
				return true
			}
		}
	}
	return false
}

// Less reports whether a text shows less than the one that was sent: fewer letters and digits, in any reading.
func Less(shown, sent string) bool {
	if Wording(shown, sent) {
		return false
	}
	return len([]rune(letters(shown))) < len([]rune(letters(sent)))
}

// Cut reports whether a text begins like the one that was sent and is shorter.
func Cut(shown, sent string) bool {
	begins := letters(shown)
	return begins != "" && strings.HasPrefix(letters(sent), begins)
}

var unescapes = []func(string) string{html.UnescapeString, withoutPercents, withoutBackslashes, withoutPunycode}

// readings are the letters and digits of a text as it is, and unescaped.
func readings(text string) []string {
	all := []string{letters(text)}
	for _, unescape := range unescapes {
		if plain := unescape(text); plain != text {
			all = append(all, letters(plain))
		}
	}
	return all
}

// letters returns the letters and digits of a text in one form.
func letters(text string) string {
	folded := cases.Fold().String(norm.NFKC.String(text))
	only := strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r) {
			return r
		}
		return -1
	}, folded)
	if only == "" {
		return strings.Join(strings.Fields(folded), "")
	}
	return only
}

// withoutPercents decodes percent-encoding; an invalid one is not decoded.
func withoutPercents(text string) string {
	if plain, err := url.PathUnescape(text); err == nil {
		return plain
	}
	return text
}

// withoutBackslashes decodes the escapes of a JSON string; invalid ones are not decoded.
func withoutBackslashes(text string) string {
	if !strings.Contains(text, `\`) {
		return text
	}
	quoted := `"` + strings.NewReplacer(`\/`, "/", `\'`, "'").Replace(text) + `"`
	if plain, err := strconv.Unquote(quoted); err == nil {
		return plain
	}
	return text
}

// withoutPunycode decodes internationalized labels, such as those of a host.
func withoutPunycode(text string) string {
	if !strings.Contains(strings.ToLower(text), "xn--") {
		return text
	}
	labels := strings.FieldsFunc(text, func(r rune) bool {
		return r != '-' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
	for _, label := range labels {
		if plain, err := idna.ToUnicode(label); err == nil {
			text = strings.Replace(text, label, plain, 1)
		}
	}
	return text
}

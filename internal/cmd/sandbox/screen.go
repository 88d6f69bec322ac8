package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// screen escapes control characters as JSON and HCL do. All output passes through it, because names, notes and
// responses come from other systems, and a terminal obeys such characters.
type screen struct {
	io.Writer
	mu   sync.Mutex
	rest []byte // beginning of a character
}

func (s *screen) Write(text []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := append(s.rest, text...)
	end := len(all)
	for n := 1; n < utf8.UTFMax && n <= end; n++ {
		if utf8.RuneStart(all[end-n]) {
			if !utf8.FullRune(all[end-n:]) {
				end -= n
			}
			break
		}
	}
	s.rest = slices.Clone(all[end:])
	if _, err := io.WriteString(s.Writer, printable(string(all[:end]))); err != nil {
		return 0, err
	}
	return len(text), nil
}

// colored writes a line that has passed through printable, and color sequences.
func colored(out io.Writer, line string) error {
	if s, ok := out.(*screen); ok {
		s.mu.Lock()
		defer s.mu.Unlock()
		out = s.Writer
	}
	_, err := io.WriteString(out, line+"\n")
	return err
}

// printable escapes control characters, but tabs and line breaks, and characters that change the direction of text.
func printable(text string) string {
	if !strings.ContainsFunc(text, isObeyed) {
		return text
	}
	var out strings.Builder
	for _, r := range text {
		if isObeyed(r) {
			fmt.Fprintf(&out, `\u%04x`, r)
		} else {
			out.WriteRune(r)
		}
	}
	return out.String()
}

func isObeyed(r rune) bool {
	return unicode.IsControl(r) && r != '\t' && r != '\n' || unicode.Is(unicode.Bidi_Control, r)
}

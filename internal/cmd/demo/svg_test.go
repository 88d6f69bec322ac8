package main

import (
	"encoding/xml"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestSpans(t *testing.T) {
	t.Parallel()
	got := spans("\x1b[0m\x1b[1mPlan:\x1b[0m 1 to \x1b[33m~\x1b[0m\x1b[38;5;9m!")
	plain := colors[""]
	want := []span{{plain, "Plan:", true}, {plain, " 1 to ", false}, {colors["33"], "~", false}, {plain, "!", false}}
	if !slices.Equal(got, want) {
		t.Errorf("spans = %v", got)
	}
}

func TestWrap(t *testing.T) {
	t.Parallel()
	if got := wrap(""); !slices.Equal(got, []string{""}) {
		t.Errorf("wrap of nothing = %q", got)
	}
	got := wrap("\x1b[1m" + strings.Repeat("á", columns+1))
	if want := []string{"\x1b[1m" + strings.Repeat("á", columns), "\x1b[1má"}; !slices.Equal(got, want) {
		t.Errorf("wrap = %q", got)
	}
}

// The picture is well-formed, escapes what Terraform prints, and shows the end of a film that is longer than the screen
// to readers without animations.
func TestRender(t *testing.T) {
	t.Parallel()
	var lines []line
	for i := range rows + 2 {
		lines = append(lines, line{at: time.Duration(i) * time.Second, text: "<a> & \"b\""})
	}
	var out strings.Builder
	if err := render(&out, "a & b", lines, time.Minute); err != nil {
		t.Fatal(err)
	}
	decoder := xml.NewDecoder(strings.NewReader(out.String()))
	for {
		if _, err := decoder.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("it is not well-formed: %v\n%s", err, out.String())
		}
	}
	if !strings.Contains(out.String(), "#page{transform:translateY(-38.0px)") {
		t.Errorf("the page does not end two lines further down:\n%s", out.String())
	}
}

func TestScaled(t *testing.T) {
	t.Parallel()
	f := film{now: 10 * time.Second, lines: []line{{0, "a"}, {5 * time.Second, "b"}}}
	if got := f.scaled(time.Minute); got[0].at != 0 || got[1].at != 30*time.Second {
		t.Errorf("scaled = %v", got)
	}
}

package main

import (
	"fmt"
	"html"
	"io"
	"regexp"
	"strings"
	"time"
)

// Size of the terminal in characters, and of a character in pixels.
const (
	columns, rows         = 94, 27
	charWidth, lineHeight = 8.4, 19.0
	margin, titleHeight   = 16.0, 34.0
)

// line is a line of the terminal with the time at which it appears.
type line struct {
	at   time.Duration
	text string // with SGR escape sequences
}

// colors are those of the SGR codes that Terraform uses; the empty code is the color of plain text.
var colors = map[string]string{"": "#d6deeb", "31": "#ff6b6b", "32": "#7fd88f", "33": "#f0c674", "36": "#6cc7e0",
	"90": "#8b98ad", "1": "#ffffff"}

var sequence = regexp.MustCompile("\x1b\\[([0-9;]*)m")

// span is text of one color.
type span struct {
	color, text string
	bold        bool
}

// spans splits a line at its escape sequences. Unknown codes are ignored.
func spans(text string) []span {
	var all []span
	current := span{color: colors[""]}
	add := func(text string) {
		if text != "" {
			current.text = text
			all = append(all, current)
		}
	}
	for {
		found := sequence.FindStringSubmatchIndex(text)
		if found == nil {
			add(text)
			return all
		}
		add(text[:found[0]])
		for code := range strings.SplitSeq(text[found[2]:found[3]], ";") {
			switch {
			case code == "0" || code == "":
				current = span{color: colors[""]}
			case code == "1":
				current.bold = true
			case colors[code] != "":
				current.color = colors[code]
			}
		}
		text = text[found[1]:]
	}
}

// wrap breaks a line after the last column. The parts keep the color.
func wrap(text string) []string {
	var parts []string
	var part, style strings.Builder
	width := 0
	for len(text) > 0 {
		if found := sequence.FindStringIndex(text); found != nil && found[0] == 0 {
			part.WriteString(text[:found[1]])
			style.WriteString(text[:found[1]])
			text = text[found[1]:]
			continue
		}
		r := []rune(text)[0]
		if width == columns {
			parts = append(parts, part.String())
			part.Reset()
			part.WriteString(style.String())
			width = 0
		}
		part.WriteRune(r)
		text = text[len(string(r)):]
		width++
	}
	return append(parts, part.String())
}

// render writes the lines as an animated picture that takes total and then begins again. A reader who prefers no motion
// sees the end of it.
func render(out io.Writer, title string, lines []line, total time.Duration) error {
	width := columns*charWidth + 2*margin
	height := rows*lineHeight + 2*margin + titleHeight
	percent := func(at time.Duration) float64 { return min(100*at.Seconds()/total.Seconds(), 99.99) }
	last := max(len(lines)-rows, 0)

	var s strings.Builder
	fmt.Fprintf(&s, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %.0f" role="img" aria-label="%s">`+"\n",
		width, height, html.EscapeString(title))
	s.WriteString("<style>\ntext{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans " +
		"Mono',monospace;white-space:pre}\n")
	fmt.Fprintf(&s,
		"g g{animation-duration:%.1fs;animation-timing-function:step-end;animation-iteration-count:infinite}\n",
		total.Seconds())
	fmt.Fprintf(&s, "#page{transform:translateY(%.1fpx);animation-name:scroll}\n", -float64(last)*lineHeight)
	s.WriteString("@keyframes scroll{0%{transform:translateY(0)}")
	for i := rows; i < len(lines); i++ {
		if i+1 == len(lines) || lines[i+1].at != lines[i].at {
			fmt.Fprintf(&s, "%.2f%%{transform:translateY(%.1fpx)}", percent(lines[i].at), -float64(i+1-rows)*lineHeight)
		}
	}
	fmt.Fprintf(&s, "100%%{transform:translateY(%.1fpx)}}\n", -float64(last)*lineHeight)
	// Lines that appear together share an animation.
	var body strings.Builder
	for i, l := range lines {
		if i == 0 || lines[i-1].at != l.at {
			if i > 0 {
				body.WriteString("</g>\n")
			}
			fmt.Fprintf(&s, "@keyframes a%d{0%%{opacity:0}%.2f%%,100%%{opacity:1}}\n", i, percent(l.at))
			fmt.Fprintf(&body, `<g style="animation-name:a%d">`+"\n", i)
		}
		fmt.Fprintf(&body, `<text y="%.1f">`, float64(i+1)*lineHeight)
		for _, part := range spans(l.text) {
			weight := ""
			if part.bold {
				weight = ` font-weight="bold"`
			}
			fmt.Fprintf(&body, `<tspan fill="%s"%s>%s</tspan>`, part.color, weight, html.EscapeString(part.text))
		}
		body.WriteString("</text>\n")
	}
	if len(lines) > 0 {
		body.WriteString("</g>\n")
	}
	s.WriteString("@media (prefers-reduced-motion:reduce){g g{animation:none}}\n</style>\n")
	fmt.Fprintf(&s, `<rect width="%.0f" height="%.0f" rx="8" fill="#10151f"/>`+"\n", width, height)
	for i, color := range []string{"#ff6b6b", "#f0c674", "#7fd88f"} {
		fmt.Fprintf(&s, `<circle cx="%d" cy="17" r="5.5" fill="%s"/>`+"\n", 20+18*i, color)
	}
	fmt.Fprintf(&s, `<text x="%.0f" y="22" fill="%s" text-anchor="middle">%s</text>`+"\n", width/2, colors["90"],
		html.EscapeString(title))
	fmt.Fprintf(&s, `<clipPath id="screen"><rect x="0" y="%.0f" width="%.0f" height="%.0f"/></clipPath>`+"\n",
		titleHeight+6, width, rows*lineHeight+margin)
	fmt.Fprintf(&s, `<g clip-path="url(#screen)"><g transform="translate(%.0f %.0f)"><g id="page">`+
		"\n%s</g></g></g>\n</svg>\n", margin, titleHeight, body.String())
	_, err := io.WriteString(out, s.String())
	return err
}

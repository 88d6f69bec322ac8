package life

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"
)

// smallestTime limits the time for making a failure smaller.
const smallestTime = 20 * time.Second

// smallest removes everything from a failing life that the failure does not need: commands and their flags, then blocks
// and arguments, first from all files. It returns no violation if the life does not fail again.
func smallest(t *testing.T, text string, bad *violation) (string, *violation) {
	t.Helper()
	end, kind, archive, files := time.Now().Add(smallestTime), bad.kind(), txtar.Parse([]byte(text)), map[string]string{}
	lines := strings.Split(strings.TrimSpace(string(archive.Comment)), "\n")
	for _, file := range archive.Files {
		files[file.Name] = string(file.Data)
	}
	fails := func(lines []string, files map[string]string) bool {
		if time.Now().After(end) {
			return false
		}
		now := relive(t, scenarioOf(lines, files))
		if now == nil || now.kind() != kind {
			return false
		}
		bad = now
		return true
	}
	if !fails(lines, files) {
		return text, nil
	}
	for again := true; again; {
		again = false
		for size := max(len(lines)/2, 1); size > 0; size /= 2 {
			for at := 0; at+size <= len(lines); {
				if fewer := slices.Delete(slices.Clone(lines), at, at+size); fails(fewer, files) {
					lines, again = fewer, true
				} else {
					at += size
				}
			}
		}
		for i, line := range lines {
			words := strings.Split(line, " ")
			for at, word := range words {
				fewer := slices.Clone(lines)
				fewer[i] = strings.Join(slices.Delete(slices.Clone(words), at, at+1), " ")
				if strings.HasPrefix(word, "-") && fails(fewer, files) {
					lines, again = fewer, true
				}
			}
		}
		for _, part := range parts(files) {
			for _, name := range append([]string{""}, slices.Sorted(maps.Keys(files))...) {
				if fewer := lacking(files, name, part); !maps.Equal(fewer, files) && fails(lines, fewer) {
					files, again = fewer, true
				}
			}
		}
	}
	return scenarioOf(lines, files), bad
}

// parts matches what may be removed from files: blocks, and the lines in them. What stays is the first group.
func parts(files map[string]string) (all []*regexp.Regexp) {
	for _, name := range slices.Sorted(maps.Keys(files)) {
		block := ""
		for line := range strings.Lines(files[name]) {
			switch {
			case line == "}\n":
				block = ""
			case block != "":
				all = append(all, regexp.MustCompile(`(?m)^(`+block+`(?:[^}].*\n)*?)`+regexp.QuoteMeta(line)))
			case strings.HasSuffix(line, " {\n"):
				block = regexp.QuoteMeta(line)
				all = append(all, regexp.MustCompile(`(?m)^()`+block+`(?:[^}].*\n)*}\n`))
			}
		}
	}
	return all
}

// lacking removes a part from a file, or from all.
func lacking(files map[string]string, name string, part *regexp.Regexp) map[string]string {
	fewer := maps.Clone(files)
	for file, text := range files {
		if name == "" || name == file {
			fewer[file] = part.ReplaceAllString(text, "$1")
		}
	}
	return fewer
}

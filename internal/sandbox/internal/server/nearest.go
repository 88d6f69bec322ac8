package server

import (
	"cmp"
	"slices"
	"strings"
)

// Named finds an operation.
func Named(routes []Route, name string) (Route, bool) {
	for _, r := range routes {
		if r.Name == name {
			return r, true
		}
	}
	return Route{}, false
}

// Nearest returns the word of which the given one is most likely a
// misspelling, and whether it is near enough: about a third of its
// letters may differ, and one always.
func Nearest(word string, words []string) (string, bool) {
	if len(words) == 0 {
		return "", false
	}
	near := slices.MinFunc(words, func(a, b string) int {
		return cmp.Or(edits(word, a)-edits(word, b), strings.Compare(a, b))
	})
	return near, edits(word, near) <= max(1, (len(near)+1)/3)
}

// edits counts the letters to insert, remove or replace to make b of a
// (the Levenshtein distance), in bytes.
func edits(a, b string) int {
	row := make([]int, len(b)+1) // of a[:i], to every b[:j]
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replaced := diagonal
			if a[i] != b[j] {
				replaced++
			}
			diagonal = row[j+1]
			row[j+1] = min(replaced, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

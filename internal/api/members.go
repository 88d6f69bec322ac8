package api

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf8"
)

// members calls visit for each member of a JSON object, with the name as it is between its quotes and the value without
// copying it. It returns false for anything but an object. The text has to be valid JSON: for other text it returns
// without an error what it finds.
func members(object []byte, visit func(name, value []byte)) bool {
	rest := bytes.TrimLeft(object, jsonSpace)
	if len(rest) == 0 || rest[0] != '{' {
		return false
	}
	for {
		if rest = bytes.TrimLeft(rest[1:], jsonSpace); len(rest) == 0 || rest[0] != '"' {
			return true
		}
		end := endOfValue(rest)
		name := rest[:end]
		if rest = bytes.TrimLeft(rest[end:], jsonSpace); len(name) < 2 || len(rest) == 0 {
			return true
		}
		rest = bytes.TrimLeft(rest[1:], jsonSpace)
		end = endOfValue(rest)
		visit(name[1:len(name)-1], rest[:end])
		if rest = bytes.TrimLeft(rest[end:], jsonSpace); len(rest) == 0 {
			return true
		}
	}
}

// jsonSpace is what may stand between the tokens of JSON.
const jsonSpace = " \t\r\n"

// endOfValue is the length of the value that a JSON text begins with.
func endOfValue(text []byte) int {
	depth, quoted, escaped := 0, false, false
	for i, c := range text {
		switch {
		case escaped:
			escaped = false
		case quoted:
			escaped = c == '\\'
			quoted = c != '"'
			if !quoted && depth == 0 {
				return i + 1
			}
		case c == '"':
			quoted = true
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			if depth--; depth < 0 {
				return i // of what holds the value
			}
			if depth == 0 {
				return i + 1
			}
		case depth == 0 && (c == ',' || c == ':' || strings.IndexByte(jsonSpace, c) >= 0):
			return i
		}
	}
	return len(text)
}

// plain is the name of a member without escapes.
func plain(name []byte) []byte {
	var text string
	if bytes.IndexByte(name, '\\') < 0 && utf8.Valid(name) || json.Unmarshal([]byte(`"`+string(name)+`"`), &text) != nil {
		return name
	}
	return []byte(text)
}

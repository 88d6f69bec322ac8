package acctest

import (
	"regexp"
	"strings"
)

var importBlock = regexp.MustCompile(`import\s*\{\s*to\s*=\s*(\S+)\s*id\s*=\s*"([^"]+)"\s*\}`)

// Suggested returns the import blocks in a message about an address: ids, and the addresses to import them to.
func Suggested(about, text string) map[string]string {
	blocks := map[string]string{}
	for _, block := range importBlock.FindAllStringSubmatch(text, -1) {
		address, id := block[1], block[2]
		if kind, label, _ := strings.Cut(address, "."); label == "this" && strings.HasPrefix(about, kind+".") {
			address = about
		}
		blocks[id] = address
	}
	return blocks
}

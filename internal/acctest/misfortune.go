package acctest

import (
	"regexp"
	"strings"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// Reads lists operations that a plan or an apply reads with.
var Reads = []string{"me.get", "customers.get", "billing_accounts.get", "subscriptions.get", "webhook_endpoints.get",
	"api_keys.get", "finance.records.get", "customers.list", "api_keys.list", "webhook_endpoints.list",
	"finance.records.list"}

// Misfortune draws a fault of a write or of a read, of at most that duration. pick returns a number in [0, n).
func Misfortune(pick func(n int) int, write, read string, longest time.Duration) sandbox.Fault {
	statuses := []int{500, 502, 503, 504}
	foreign := sandbox.ForeignKinds()
	tenths := func() time.Duration { return time.Duration(1+pick(10)) * longest / 10 }
	skip, times := pick(2), 1+pick(2)
	switch pick(16) {
	case 0, 1:
		return sandbox.Fault{Operation: write, Skip: skip, Times: times, DropAfter: true}
	case 2:
		return sandbox.Fault{Operation: write, Skip: skip, Times: times, DropBefore: true}
	case 3:
		return sandbox.Fault{Operation: write, Skip: skip, Times: times, Status: statuses[pick(4)], After: true}
	case 4:
		return sandbox.Fault{Operation: write, Skip: skip, Times: times, Status: statuses[pick(4)]}
	case 5:
		return sandbox.Fault{Operation: write, Skip: skip, Times: times, TruncateBody: true}
	case 6:
		return sandbox.Fault{Operation: write, Skip: skip, Times: 1, Status: 200, Foreign: "html", After: true}
	case 7:
		return sandbox.Fault{Operation: read, Skip: skip, Times: times, Status: 503}
	case 8:
		return sandbox.Fault{Operation: read, Skip: skip, Times: 1, Other: true}
	case 9:
		return sandbox.Fault{Operation: read, Skip: skip, Times: 1, Foreign: foreign[pick(5)]}
	case 10:
		return sandbox.Fault{Operation: write, Skip: skip, Times: 1, Foreign: foreign[pick(5)]}
	case 11:
		return sandbox.Fault{Skip: pick(40), Silent: true}
	case 12:
		return sandbox.Fault{Skip: pick(40), Outage: tenths(), Status: []int{0, 503}[pick(2)]}
	case 13: // without the organization nothing is sent, and created objects are not lost
		return sandbox.Fault{Operation: "me.get", Skip: skip, Times: 1 + pick(8), Status: []int{403, 500, 503}[pick(3)]}
	case 14:
		return sandbox.Fault{Operation: "me.get", Skip: skip, Times: times, Latency: tenths()}
	default:
		delay := time.Duration(pick(1000)) * time.Millisecond
		return sandbox.Fault{Operation: write, Skip: skip, Times: times, Latency: delay}
	}
}

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

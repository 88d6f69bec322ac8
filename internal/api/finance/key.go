package finance

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"regexp"
	"strings"
)

// KeyFor derives the idempotency key of a record from what is to be made: the same
// collection and body always give the same key, so that a create can be repeated
// by another process that knows nothing of the first one. body is JSON in a form
// that does not vary: sorted keys, no white space.
//
// The key has the form of a version 4 UUID, which the service asks for (service
// description, Financial management §1); its random bits are those of a SHA-256.
func KeyFor(collection string, body json.RawMessage) string {
	return uuidOf("finance record\x00" + collection + "\x00" + string(body))
}

// successor is the key that follows one which a deleted record has used up.
func successor(key string) string { return uuidOf("successor\x00" + key) }

func uuidOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	sum[6] = sum[6]&0x0f | 0x40 // version 4
	sum[8] = sum[8]&0x3f | 0x80 // variant of RFC 9562
	digits := hex.EncodeToString(sum[:16])
	return digits[:8] + "-" + digits[8:12] + "-" + digits[12:16] + "-" + digits[16:20] + "-" + digits[20:]
}

// KeyPattern matches what can be an idempotency key: a version 4 UUID.
var KeyPattern = regexp.MustCompile(`^(?i)[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)

// SameKey reports whether two idempotency keys are the same one: they are UUIDs,
// whose case has no meaning.
func SameKey(a, b string) bool { return strings.EqualFold(a, b) }

// normalKey is the one spelling of a key.
func normalKey(key string) string { return strings.ToLower(key) }

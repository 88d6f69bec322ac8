package finance

import (
	"net/url"
	"strings"
	"testing"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/server"
)

// FuzzCursor checks that any cursor not issued for the listing is rejected.
func FuzzCursor(f *testing.F) {
	s := &Service{CursorKey: []byte("key")}
	c := &server.Call{Organization: "org", Query: url.Values{}}
	right, err := s.signCursor(c, "payables", 7)
	if err != nil {
		f.Fatal(err)
	}
	for _, seed := range []string{right, right + "=", right + "\n", strings.ToUpper(right), "", "AAAA", right[1:],
		right + right} {
		f.Add(seed, "payables")
		f.Add(seed, "receivables")
	}
	f.Fuzz(func(t *testing.T, cursor, collection string) {
		read := &server.Call{Organization: c.Organization, Query: url.Values{"cursor": {cursor}}}
		if after, err := s.readCursor(read, collection); (err == nil) != (cursor == right && collection == "payables") {
			t.Errorf("the cursor %q of %q: after %d, %v", cursor, collection, after, err)
		}
	})
}

// FuzzIdempotencyKey checks that only version 4 UUIDs in canonical form are accepted.
func FuzzIdempotencyKey(f *testing.F) {
	for _, seed := range []string{"6f1c0a52-6f2a-4b7e-9f56-0d4f0b9a7c11", "6F1C0A52-6F2A-4B7E-9F56-0D4F0B9A7C11",
		"{6f1c0a52-6f2a-4b7e-9f56-0d4f0b9a7c11}", "urn:uuid:6f1c0a52-6f2a-4b7e-9f56-0d4f0b9a7c11",
		"6f1c0a526f2a4b7e9f560d4f0b9a7c11", ""} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, key string) {
		plain := strings.Trim(strings.ToLower(key), "0123456789abcdef-") == "" && len(key) == 36 &&
			strings.Count(key, "-") == 4 && key[14] == '4'
		if key != "" && validKey(key) && !plain {
			t.Errorf("%q is a key", key)
		}
	})
}

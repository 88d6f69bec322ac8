package same

import "testing"

// TestIdentity: two texts, contacts or addresses are one only by what no service or user distinguishes.
func TestIdentity(t *testing.T) {
	t.Parallel()
	for name, same := range map[string]struct {
		is   func(a, b string) bool
		a, b string
		want bool
	}{
		"equal":                   {Text, "shop-1-12", "shop-1-12", true},
		"trimmed":                 {Text, " shop \n", "shop", true},
		"composed":                {Text, "cafe\u0301", "caf\u00e9", true},
		"separators":              {Text, "shop-1-12", "shop-11-2", false},
		"case":                    {Text, "Shop", "shop", false},
		"domain":                  {Contact, "ana@Example.COM", "ana@example.com", true},
		"mailbox":                 {Contact, "Ana@example.com", "ana@example.com", false},
		"dots":                    {Contact, "ana.silva@x.com", "anasilva@x.com", false},
		"plus":                    {Contact, "fin+acme@x.com", "finacme@x.com", false},
		"phone":                   {Contact, " +55 11 1", "+55 11 1", true},
		"host and port":           {URL, "https://Hooks.example.com:443", "https://hooks.example.com/", true},
		"another port":            {URL, "https://h.example:8443", "https://h.example", false},
		"international":           {URL, "https://caf\u00e9.example/x", "https://xn--caf-dma.example/x/", true},
		"path":                    {URL, "https://h.example/A", "https://h.example/a", false},
		"query":                   {URL, "https://h.example/?a=1", "https://h.example/?a=2", false},
		"fragment":                {URL, "https://h.example/#a", "https://h.example", true},
		"scheme":                  {URL, "http://h.example", "https://h.example", false},
		"no addresses":            {URL, "a", "A", false},
		"an address and a string": {URL, "https://h.example", "h.example", false},
	} {
		if same.is(same.a, same.b) != same.want || same.is(same.b, same.a) != same.want {
			t.Errorf("%s: %q and %q, want %t", name, same.a, same.b, same.want)
		}
	}
}

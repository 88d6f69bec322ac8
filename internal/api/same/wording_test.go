package same

import "testing"

// TestWording: what a service may make of a text is the same text, and anything else is not.
func TestWording(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		sent, shown string
		same, less  bool
	}{
		"equal":                 {"Ana", "Ana", true, false},
		"trimmed":               {" Ana\n", "Ana", true, false},
		"collapsed":             {"Ana   Lima", "Ana Lima", true, false},
		"white space added":     {"Ana", "Ana\n", true, false},
		"line ends":             {"a\nb", "a\r\nb", true, false},
		"case":                  {"Ana@Example.com", "ana@example.com", true, false},
		"case, expanding":       {"Straße", "STRASSE", true, false},
		"HTML":                  {`A & "B" <c>`, "A &amp; &quot;B&quot; &lt;c&gt;", true, false},
		"HTML, numeric":         {"D'Ávila", "D&#39;Ávila", true, false},
		"JSON":                  {"A & B <c>\n", `A \u0026 B \u003cc\u003e\n`, true, false},
		"backslashes":           {`"a" 'b'`, `\"a\" \'b\'`, true, false},
		"percents":              {"a b/ç", "a%20b/%C3%A7", true, false},
		"decomposed":            {"café", "cafe\u0301", true, false},
		"full width":            {"１２", "12", true, false},
		"ligature":              {"ﬁm", "fim", true, false},
		"punycode":              {"https://café.example/x", "https://xn--caf-dma.example/x", true, false},
		"phone":                 {"+55 (11) 91234-5678", "5511912345678", true, false},
		"url":                   {"https://Hooks.example.com", "https://hooks.example.com/", true, false},
		"only signs, trimmed":   {" — ", "—", true, false},
		"other signs":           {"—", "…", false, false},
		"escaped by the sender": {"A &amp; B", "A & B", true, false},
		"shorter":               {"Ana Lima", "Ana", false, true},
		"another":               {"Ana", "Bob", false, false},
		"longer":                {"Ana", "Anabel", false, false},
		"without accents":       {"José", "Jose", false, false},
		"transposed":            {"12", "21", false, false},
		"an invalid escape":     {`50% \q`, "50 q", true, false},
		"empty":                 {"Ana", "", false, true},
		"a sign is a digit":     {"a-1", "a1", true, false},
	} {
		if Wording(c.sent, c.shown) != c.same || Less(c.shown, c.sent) != c.less {
			t.Errorf("%s: same %t, less %t", name, Wording(c.sent, c.shown), Less(c.shown, c.sent))
		}
	}
	if !Cut("Ana Li", "Ana Lima") || Cut("Bob", "Ana") || Cut("", "Ana") || Cut("Ana Lima", "Ana") {
		t.Error("cut")
	}
}

package same

import (
	"encoding/json"
	"strings"
	"testing"
)

const anID = "8f14e45f-ceea-4e7a-9c5d-3f2b1a0d9e8c"

func TestIsUUID(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]bool{
		anID: true, strings.ToUpper(anID): true, "8F14e45f-CEEA-1e7a-9c5d-3f2b1a0d9e8c": true,
		"00000000-0000-0000-0000-000000000000": true, "": false, "x": false, "null": false, "not-a-uuid": false,
		"{" + anID + "}": false, "urn:uuid:" + anID: false, strings.ReplaceAll(anID, "-", ""): false, anID + "\n": false,
		" " + anID: false, anID + "0": false, anID[:35] + "g": false,
	} {
		if have := IsUUID(id); have != want {
			t.Errorf("IsUUID(%q) = %v", id, have)
		}
	}
}

// TestID: only UUIDs compare without case; an external code is compared as it is.
func TestID(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{anID, strings.ToUpper(anID), true}, {anID, anID, true}, {anID, anID[:35] + "d", false},
		{"crm-1", "crm-1", true}, {"crm-1", "CRM-1", false}, {"", "", true}, {anID, "", false},
	} {
		if have := ID(c.a, c.b); have != c.want {
			t.Errorf("ID(%q, %q) = %v", c.a, c.b, have)
		}
	}
}

func TestPlainDocument(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"": "", "529.982.247-25": "52998224725", " 11.222.333/0001-81 ": "11222333000181",
		"12.ABC.345/01DE-35": "12ABC34501DE35", "AZ.az": "AZAZ", "09": "09", "12abc34501de35": "12ABC34501DE35", "..-/": "", "٣1４": "1",
		"ſ\u212a": "", "é": "",
	} {
		if have := PlainDocument(in); have != want {
			t.Errorf("PlainDocument(%q) = %q, want %q", in, have, want)
		}
	}
}

// TestJSON: whole numbers compare by their exact value, whatever their exponent, fractions by their double, and objects
// without order.
func TestJSON(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{`1`, `1.0`, true}, {`100`, `1e2`, true}, {`0`, `-0.00`, true}, {`0.5`, `5E-1`, true}, {`0.0125`, `1.25e-2`, true},
		{`-12.340`, `-1234e-2`, true}, {`1e999999999`, `10e999999998`, true}, {`1e99999999999`, `1e99999999999`, true},
		{`1`, `-1`, false}, {`9007199254740993`, `9007199254740992`, false}, {`1`, `10`, false}, {`1`, `"1"`, false},
		{`0.1`, `0.10000000000000000001`, true}, {`0.1`, `0.1000000000000001`, false}, {`1e99999999999`, `1e99999999998`, false},
		{`{"a":1,"b":2}`, ` {"b":2.0,"a":1}`, true}, {`{"a":1}`, `{"a":1,"b":null}`, false}, {`{"a":null}`, `{"b":null}`, false},
		{`{"a":null}`, `{"a":{}}`, false}, {`{"a":[]}`, `{"a":{}}`, false}, {`null`, `[]`, false}, {`true`, `"true"`, false},
		{`null`, `null`, true}, {`[1,[{"b":2}]]`, `[1.0,[{"b":2.0}]]`, true}, {`[1,2]`, `[2,1]`, false}, {`[1]`, `[1,2]`, false},
		{`{"a":{"b":{"c":1}}}`, `{"a":{"b":{"c":1,"d":null}}}`, false}, {``, ``, false}, {`{`, `{`, false}, {`null`, ``, false},
	} {
		if JSONText([]byte(c.a), []byte(c.b)) != c.want || JSONText([]byte(c.b), []byte(c.a)) != c.want {
			t.Errorf("%s and %s: want %v", c.a, c.b, c.want)
		}
		if WordedJSON([]byte(c.a), []byte(c.b)) != c.want {
			t.Errorf("worded, %s and %s: want %v", c.a, c.b, c.want)
		}
	}
	a, b := []byte(`{"a":["X & ",{"b":"é"}]}`), []byte(`{"a":["x &amp;",{"b":"e\u0301"}]}`)
	if JSONText(a, b) || !WordedJSON(a, b) || WordedJSON(a, []byte(`{"a":["X & Y",{"b":"é"}]}`)) {
		t.Error("only the wording differs")
	}
	if !JSON(map[string]any(nil), map[string]any{}) || JSON(map[string]any(nil), nil) {
		t.Error("an object that is nil is an empty one, and not null")
	}
}

// FuzzJSON: a text equals itself, and the comparison does not depend on the order of its sides.
func FuzzJSON(f *testing.F) {
	for _, seed := range [][2]string{{`1.50`, `15e-1`}, {`{"a":[1,null]}`, `{"a":[1.0,null]}`}, {`1e999999999`, `1`},
		{`-0`, `0`}, {`0e9`, `0`}, {``, `null`}, {`"1"`, `1`}, {`1e-2147483648`, `0.1e-2147483647`}} {
		f.Add([]byte(seed[0]), []byte(seed[1]))
	}
	f.Fuzz(func(t *testing.T, a, b []byte) {
		if json.Valid(a) && !JSONText(a, a) {
			t.Errorf("%q is not itself", a)
		}
		if JSONText(a, b) != JSONText(b, a) {
			t.Errorf("%q and %q are the same one way only", a, b)
		}
	})
}

package api

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
)

func TestMaskJSON(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ in, want string }{
		"nothing secret": {`{"name":"x","n":9007199254740993,"f":1.50,"l":[true,null]}`,
			`{"f":1.50,"l":[true,null],"n":9007199254740993,"name":"x"}`},
		"named": {`{"token":"a","secret":"b","password":"c","Authorization":"d","api_key":"e","apiKey":"f"}`,
			`{"Authorization":"(masked)","apiKey":"(masked)","api_key":"(masked)","password":"(masked)","secret":"(masked)","token":"(masked)"}`},
		"compounds": {`{"access_token":"a","webhookSecret":"b","X-Api-Key":"c","client_credentials":{"id":"d"}}`,
			`{"X-Api-Key":"(masked)","access_token":"(masked)","client_credentials":"(masked)","webhookSecret":"(masked)"}`},
		"not secrets": {`{"key_prefix":"bk_1","keyPrefix":"bk_2","secretary":"Ana","tokenizer":"t"}`,
			`{"keyPrefix":"bk_2","key_prefix":"bk_1","secretary":"Ana","tokenizer":"t"}`},
		"null and numbers": {`{"secret":null,"token":12,"password":false}`,
			`{"password":"(masked)","secret":null,"token":"(masked)"}`},
		"nested": {`[{"a":{"b":[{"token":"x"}]}}]`, `[{"a":{"b":[{"token":"(masked)"}]}}]`},
		"authentication": {`{"authentication":{"type":"header","name":"X","value":"v"},"emails":[{"value":"a@b.c"}]}`,
			`{"authentication":{"name":"X","type":"header","value":"(masked)"},"emails":[{"value":"a@b.c"}]}`},
		"authentication, nested": {
			`{"authentication":{"header":{"name":"X","value":"v"},"more":[{"value":"w"},[{"value":{"a":"b"}}]]}}`,
			`{"authentication":{"header":{"name":"X","value":"(masked)"},"more":[{"value":"(masked)"},[{"value":"(masked)"}]]}}`},
		"authentication, list": {`{"authentication":[{"value":"v"}]}`, `{"authentication":[{"value":"(masked)"}]}`},
		"basic": {`{"authentication":{"type":"basic","username":"u","password":"p"}}`,
			`{"authentication":{"password":"(masked)","type":"basic","username":"u"}}`},
		"looks like one": {
			`{"note":"use whsec_aB3/+= now","jwt":"eyJhbGciOiJIUzUxMiJ9.eyJzdWIiOiIxIn0.c2ln","whsec_key":1}`,
			`{"(masked)":1,"jwt":"(masked)","note":"use (masked) now"}`},
		"header in a text": {`{"log":"sent Authorization: Basic dTpw to x"}`, `{"log":"sent (masked) to x"}`},
		"words that are no": {`{"log":"bearer authentication and basic knowledge"}`,
			`{"log":"bearer authentication and basic knowledge"}`},
		"JSON in a string": {`{"requestBody":"{\"data\":{\"secret\":\"s\",\"id\":1}}"}`,
			`{"requestBody":"{\"data\":{\"id\":1,\"secret\":\"(masked)\"}}"}`},
		"HTML stays":         {`{"a":"<b>&"}`, `{"a":"<b>&"}`},
		"scalar":             {`"whsec_abc"`, `"(masked)"`},
		"no JSON":            {`token=abc`, `[9 bytes not JSON]`},
		"cut":                {`{"token":"abc`, `[13 bytes not JSON]`},
		"two documents":      {`{"a":1} {"token":"x"}`, `[21 bytes not JSON]`},
		"empty":              {``, `[0 bytes not JSON]`},
		"too deep":           {strings.Repeat("[", 600), `[600 bytes not JSON]`},
		"brackets in a text": {`{"a":"\"` + strings.Repeat("[", 600) + `"}`, `{"a":"\"` + strings.Repeat("[", 600) + `"}`},
		"repeated key":       {`{"token":"a","token":"b"}`, `{"token":"(masked)"}`},
	}
	for name, test := range tests {
		if got := MaskJSON([]byte(test.in)); got != test.want {
			t.Errorf("%s:\ngot  %s\nwant %s", name, got, test.want)
		}
	}
}

// TestTooDeep: many values side by side are no nesting, nor are brackets in a text.
func TestTooDeep(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"[" + strings.Repeat("[],", 2*maxNesting) + "{}]":  false,
		"[" + strings.Repeat("{},", 2*maxNesting) + "[]]":  false,
		`["` + strings.Repeat("[", 2*maxNesting) + `\"["]`: false,
		strings.Repeat("[", maxNesting) + "]":              false,
		strings.Repeat(`{"a":`, maxNesting+1):              true,
		strings.Repeat("[{}", maxNesting) + "[":            true,
	} {
		if tooDeep([]byte(text)) != want {
			t.Errorf("%.40s…: want %v", text, want)
		}
	}
}

func FuzzMaskJSON(f *testing.F) {
	for _, seed := range []string{
		``, `{}`, `null`, `{"a":{"token":"hush-hush-42"}}`, `[[[{"authentication":{"value":"hush-hush-42"}}]]]`,
		`{"a":"{\"secret\":\"hush-hush-42\"}"}`, `{"":"\u0000"}`, "\xff", strings.Repeat("[", 2000),
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		MaskJSON(body)
		var inner any
		if json.Unmarshal(body, &inner) != nil {
			return
		}
		wrapped, err := json.Marshal(map[string]any{"outer": []any{inner, map[string]any{"api_key": "hush-hush-42",
			"authentication": map[string]any{"value": "hush-hush-42", "x": inner}}}})
		if err != nil || strings.Contains(string(body), "hush") || tooDeep(wrapped) {
			return
		}
		shown := MaskJSON(wrapped)
		if strings.Contains(shown, "hush-hush-42") {
			t.Errorf("a secret is shown: %s", shown)
		}
		if !json.Valid([]byte(shown)) {
			t.Errorf("masked JSON is no JSON: %s", shown)
		}
	})
}

// BenchmarkMaskJSON says how much dearer masking is than only parsing.
func BenchmarkMaskJSON(b *testing.B) {
	body := []byte(`{"data":[` +
		strings.TrimSuffix(
			strings.Repeat(
				`{"id":"43b4343a-65c4-4556-a059-d121c7fd99d7","name":"Padaria","secret":"s","emails":[{"value":"a@b.c"}],"n":12},`,
				100), ",") + `]}`)
	compare(b, len(body), "x-parsing", func() {
		MaskJSON(body)
	}, func() {
		if _, err := decodeAny(body); err != nil {
			b.Fatal(err)
		}
	})
}

// BenchmarkListDecode says how much dearer a page is, with its envelope, caps
// and exact numbers, than decoding its items alone.
func BenchmarkListDecode(b *testing.B) {
	items := strings.TrimSuffix(
		strings.Repeat(`{"id":"43b4343a-65c4-4556-a059-d121c7fd99d7","count":12,"tags":["a","b"],"free":{"k":[1,2,3]}},`,
			100), ",")
	body, alone := []byte(`{"data":[`+items+`],"meta":{"total":100,"page":1,"per_page":100,"total_pages":1}}`),
		[]byte("["+items+"]")
	response := &Response{Status: 200, Header: map[string][]string{"Content-Type": {"application/json"}}, Body: body}
	compare(b, len(body), "x-items-alone", func() {
		if err := checkJSON(body); err != nil {
			b.Fatal(err)
		}
		if _, err := decodePage[thing](response); err != nil {
			b.Fatal(err)
		}
	}, func() {
		var v []thing
		if err := json.Unmarshal(alone, &v); err != nil {
			b.Fatal(err)
		}
	})
}

// compare runs both in turn, so that their ratio holds on a busy machine too.
func compare(b *testing.B, size int, unit string, whole, part func()) {
	b.Helper()
	var wholeTime, partTime time.Duration
	for b.Loop() {
		start := time.Now()
		whole()
		middle := time.Now()
		part()
		wholeTime += middle.Sub(start)
		partTime += time.Since(middle)
	}
	b.SetBytes(int64(size))
	b.ReportMetric(float64(wholeTime)/float64(partTime), unit)
}

package api

import (
	"encoding/json"
	"strings"
	"testing"
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

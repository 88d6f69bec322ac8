package functions

import (
	"bytes"
	"encoding/hex"
	"go/ast"
	"go/parser"
	"go/token"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/evidence"
)

const secret = "whsec_EXAMPLE_not_a_secret_0001"

// at is the time that the tests sign at.
const at = int64(1749054000)

// call runs a function on known arguments. The error is a text, so that cases can name a part of it.
func call(t *testing.T, f function.Function, result attr.Value,
	arguments ...attr.Value) (attr.Value, *function.FuncError) {
	t.Helper()
	resp := function.RunResponse{Result: function.NewResultData(result)}
	f.Run(t.Context(), function.RunRequest{Arguments: function.NewArgumentsData(arguments)}, &resp)
	return resp.Result.Value(), resp.Error
}

func signature(t *testing.T, secret string, timestamp int64, body string) (string, *function.FuncError) {
	t.Helper()
	value, err := call(t, NewSignature(), types.StringUnknown(), types.StringValue(secret), types.Int64Value(timestamp),
		types.StringValue(body))
	if err != nil {
		return "", err
	}
	return value.(types.String).ValueString(), nil
}

func verify(t *testing.T, secret, header, body string, now, tolerance int64) (bool, *function.FuncError) {
	t.Helper()
	value, err := call(t, NewVerifySignature(), types.BoolUnknown(), types.StringValue(secret), types.StringValue(header),
		types.StringValue(body), types.Int64Value(now), types.Int64Value(tolerance))
	if err != nil {
		return false, err
	}
	return value.(types.Bool).ValueBool(), nil
}

// TestSignature_vectors: what a tool outside of this project has computed is what is signed, and what is accepted.
func TestSignature_vectors(t *testing.T) {
	t.Parallel()
	for _, v := range evidence.Signatures() {
		t.Run(v.Name, func(t *testing.T) {
			t.Parallel()
			if header, err := signature(t, v.Secret, v.Timestamp, v.Body); err != nil || header != v.Header {
				t.Errorf("signed as %q (%v), want %q", header, err, v.Header)
			}
			if ok, err := verify(t, v.Secret, v.Header, v.Body, v.Timestamp, 0); err != nil || !ok {
				t.Errorf("not accepted (%v)", err)
			}
			for wrong, ok := range map[string]func() (bool, *function.FuncError){
				"body":   func() (bool, *function.FuncError) { return verify(t, v.Secret, v.Header, v.Body+" ", v.Timestamp, 300) },
				"secret": func() (bool, *function.FuncError) { return verify(t, v.Secret+"x", v.Header, v.Body, v.Timestamp, 300) },
			} {
				if accepted, err := ok(); err != nil || accepted {
					t.Errorf("accepted with another %s (%v)", wrong, err)
				}
			}
		})
	}
}

// TestVerify_tolerance: the difference may be as large as the tolerance, to either side, and no second more.
func TestVerify_tolerance(t *testing.T) {
	t.Parallel()
	header, _ := signature(t, secret, at, "{}")
	for name, c := range map[string]struct {
		now, tolerance int64
		want           bool
	}{
		"the same second":          {at, 300, true},
		"the last second":          {at + 300, 300, true},
		"too late":                 {at + 301, 300, false},
		"the first second":         {at - 300, 300, true},
		"from the future":          {at - 301, 300, false},
		"no tolerance":             {at, 0, true},
		"no tolerance, late":       {at + 1, 0, false},
		"no tolerance, early":      {at - 1, 0, false},
		"before all time":          {math.MinInt64, 300, false},
		"after all time":           {lastSecond, 300, false},
		"any time":                 {lastSecond, math.MaxInt64, true},
		"further than any can say": {math.MinInt64, math.MaxInt64, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if ok, err := verify(t, secret, header, "{}", c.now, c.tolerance); err != nil || ok != c.want {
				t.Errorf("accepted: %v (%v), want %v", ok, err, c.want)
			}
		})
	}
}

// TestVerify_malformed: what is not a header of this form is not valid, and not an error. Each one carries a right
// signature as far as its form allows it, so that it is the form that is rejected.
func TestVerify_malformed(t *testing.T) {
	t.Parallel()
	signed := func(t string) string { return hex.EncodeToString(sign(secret, t, "{}")) }
	right := signed("1749054000")
	for name, header := range map[string]string{
		"empty":                   "",
		"no v1":                   "t=1749054000",
		"no t":                    "v1=" + right,
		"the other way round":     "v1=" + right + ",t=1749054000",
		"a blank between":         "t=1749054000, v1=" + right,
		"a blank before":          " t=1749054000,v1=" + right,
		"a line feed after":       "t=1749054000,v1=" + right + "\n",
		"another scheme as well":  "t=1749054000,v0=00,v1=" + right,
		"v1 twice":                "t=1749054000,v1=" + right + ",v1=" + right,
		"t twice":                 "t=1749054000,t=1749054000,v1=" + right,
		"capital letters":         "t=1749054000,v1=" + strings.ToUpper(right),
		"capital names":           "T=1749054000,V1=" + right,
		"too short":               "t=1749054000,v1=" + right[:62],
		"odd":                     "t=1749054000,v1=" + right[:63],
		"too long":                "t=1749054000,v1=" + right + "00",
		"no hexadecimal":          "t=1749054000,v1=" + strings.Repeat("g", 64),
		"no v1 value":             "t=1749054000,v1=",
		"no t value":              "t=,v1=" + signed(""),
		"a sign":                  "t=+1749054000,v1=" + signed("+1749054000"),
		"a negative time":         "t=-1,v1=" + signed("-1"),
		"a fraction":              "t=1749054000.0,v1=" + signed("1749054000.0"),
		"milliseconds":            "t=1749054000000,v1=" + signed("1749054000000"),
		"hexadecimal time":        "t=0x683ff0f0,v1=" + signed("0x683ff0f0"),
		"other digits":            "t=１７４９０５４０００,v1=" + signed("１７４９０５４０００"),
		"a time beyond 64 bits":   "t=99999999999999999999,v1=" + signed("99999999999999999999"),
		"a signature of no t":     "t=1749054000,v1=" + hex.EncodeToString(sign(secret, "", "{}")),
		"a signature of the body": "t=1749054001,v1=" + right,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if ok, err := verify(t, secret, header, "{}", at, 300); ok || err != nil {
				t.Errorf("accepted: %v (%v)", ok, err)
			}
		})
	}
	if ok, err := verify(t, secret, "t=1749054000,v1="+right, "{}", at, 300); !ok || err != nil {
		t.Errorf("the right header is not accepted: %v (%v)", ok, err)
	}
}

// TestVerify_everyDigit: each single digit of the signature counts.
func TestVerify_everyDigit(t *testing.T) {
	t.Parallel()
	header, _ := signature(t, secret, at, "{}")
	start := strings.Index(header, "v1=") + len("v1=")
	for i := start; i < len(header); i++ {
		other := byte('0')
		if header[i] == other {
			other = '1'
		}
		if ok, _ := verify(t, secret, header[:i]+string(other)+header[i+1:], "{}", at, 300); ok {
			t.Errorf("accepted with another digit %d", i-start)
		}
	}
}

// TestArguments: arguments that make no sense are errors that name the argument and what to write instead.
func TestArguments(t *testing.T) {
	t.Parallel()
	_, noSecret := signature(t, "", at, "{}")
	_, noSecretToVerify := verify(t, "", "t=1,v1=", "{}", at, 300)
	_, negative := signature(t, secret, -1, "{}")
	_, milliseconds := signature(t, secret, lastSecond+1, "{}")
	_, inMilliseconds := verify(t, secret, "", "{}", lastSecond+1, 300)
	_, intolerant := verify(t, secret, "", "{}", at, -1)
	for name, c := range map[string]struct {
		err      *function.FuncError
		argument int64
		says     string
	}{
		"no secret":           {noSecret, 0, "whsec_"},
		"no secret to verify": {noSecretToVerify, 0, "whsec_"},
		"negative timestamp":  {negative, 1, "unix seconds"},
		"milliseconds":        {milliseconds, 1, "divide it by 1000"},
		"now in milliseconds": {inMilliseconds, 3, "divide it by 1000"},
		"negative tolerance":  {intolerant, 4, "seconds"},
	} {
		if c.err == nil || c.err.FunctionArgument == nil || *c.err.FunctionArgument != c.argument ||
			!strings.Contains(c.err.Text, c.says) {
			t.Errorf("%s: %v, want an error on argument %d that says %q", name, c.err, c.argument, c.says)
		}
	}
}

// TestDefinitions: Terraform rejects the whole provider for one bad definition.
func TestDefinitions(t *testing.T) {
	t.Parallel()
	for _, f := range []function.Function{NewSignature(), NewVerifySignature()} {
		var meta function.MetadataResponse
		var resp function.DefinitionResponse
		f.Metadata(t.Context(), function.MetadataRequest{}, &meta)
		f.Definition(t.Context(), function.DefinitionRequest{}, &resp)
		var invalid function.DefinitionValidateResponse
		resp.Definition.ValidateImplementation(t.Context(), function.DefinitionValidateRequest{FuncName: meta.Name}, &invalid)
		if invalid.Diagnostics.HasError() || resp.Diagnostics.HasError() {
			t.Errorf("%s: %v %v", meta.Name, invalid.Diagnostics, resp.Diagnostics)
		}
	}
}

// TestGenuine_constantTime: signatures are compared by the one function of the library that takes equally long for
// each. No measurement on a busy machine could show that, so the source is looked at.
func TestGenuine_constantTime(t *testing.T) {
	t.Parallel()
	file, err := parser.ParseFile(token.NewFileSet(), "signature.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	compares := 0
	ast.Inspect(file.Scope.Lookup("isValid").Decl.(*ast.FuncDecl), func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		selector, ok := call.Fun.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if of, ok := selector.X.(*ast.Ident); ok && of.Name == "hmac" && selector.Sel.Name == "Equal" {
			compares++
		} else if ok && (of.Name == "bytes" || of.Name == "strings") {
			t.Errorf("isValid calls %s.%s", of.Name, selector.Sel.Name)
		}
		return true
	})
	if compares != 1 {
		t.Errorf("isValid calls hmac.Equal %d times, want once", compares)
	}
}

// FuzzParseHeader: what is accepted as a header is exactly t and v1 in their one form, and what was signed is accepted.
func FuzzParseHeader(f *testing.F) {
	for _, v := range evidence.Signatures() {
		f.Add(v.Header)
	}
	f.Add("t=1,v1=")
	f.Add("v1=00,t=1")
	f.Fuzz(func(t *testing.T, header string) {
		at, v1, ok := parseHeader(header)
		if !ok {
			if isValid(secret, header, "{}", 1, math.MaxInt64) {
				t.Fatalf("%q is not a header, but was accepted", header)
			}
			return
		}
		raw, err := hex.DecodeString(v1)
		if err != nil || len(raw) != 32 || hex.EncodeToString(raw) != v1 || header != "t="+at+",v1="+v1 {
			t.Fatalf("%q was read as %q and %q", header, at, v1)
		}
		seconds, err := strconv.ParseInt(at, 10, 64)
		if err != nil {
			return
		}
		right := "t=" + at + ",v1=" + hex.EncodeToString(sign(secret, at, header))
		if !isValid(secret, right, header, seconds, 0) {
			t.Fatalf("%q is not valid", right)
		}
		if isValid(secret, header, header, seconds, 0) != bytes.Equal(raw, sign(secret, at, header)) {
			t.Fatalf("%q is judged wrongly", header)
		}
	})
}

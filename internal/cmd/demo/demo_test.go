package main

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestSupported(t *testing.T) {
	t.Parallel()
	for version, want := range map[string]bool{
		"1.10.9": false, "1.11.0": true, "1.11.4": true, "1.17.0-dev": true, "2.0.0": true, "0.15.5": false, "": false,
		"one.two": false,
	} {
		if supported(version) != want {
			t.Errorf("supported(%q) = %t", version, !want)
		}
	}
}

func TestParseExports(t *testing.T) {
	t.Parallel()
	env, err := parseExports("# ready\nexport A='one'\n\nexport B='it'\\''s = two'\n")
	if want := map[string]string{"A": "one", "B": "it's = two"}; err != nil || !maps.Equal(env, want) {
		t.Errorf("parseExports = %v, %v", env, err)
	}
	for _, line := range []string{"A='one'", "export A=one", "export A", "export A='"} {
		if env, err := parseExports(line); err == nil {
			t.Errorf("%q is read as %v", line, env)
		}
	}
}

func TestAtLeast(t *testing.T) {
	t.Parallel()
	for version, want := range map[string]bool{"1.13.9": false, "1.14.0": true, "1.17.0-dev": true,
		"2.1.0": true, "1": false} {
		if atLeast(version, actionMinor) != want {
			t.Errorf("atLeast(%q, %d) = %t", version, actionMinor, !want)
		}
	}
}

func TestParseRequests(t *testing.T) {
	t.Parallel()
	got, err :=
		parseRequests(`{"sequence":1,"operation":"customers.create","method":"POST","path":"/v1/customers","status":201}` +
			"\n" +
			`{"sequence":2,"operation":"customers.list","method":"GET","path":"/v1/customers","query":"page=1&per_page=100","status":200,"dropped":true}` + "\n\n")
	want := []request{{"customers.create", "POST", "/v1/customers", 201, false},
		{"customers.list", "GET", "/v1/customers", 200, true}}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("parseRequests = %v, %v", got, err)
	}
	if text := want[1].String(); !strings.HasSuffix(text, "---") || !strings.Contains(text, "customers.list") {
		t.Errorf("it is shown as %q", text)
	}
	if got, err := parseRequests("something else"); err == nil {
		t.Errorf("it is read as %v", got)
	}
}

func TestCleanEnvironment(t *testing.T) {
	t.Parallel()
	kept := cleanEnvironment([]string{"PATH=/bin", "TF_CLI_ARGS=-x", "BILLING_TOKEN=t", "HTTPS_PROXY=p", "MY_TF_X=1"})
	if want := []string{"PATH=/bin", "HTTPS_PROXY=p", "MY_TF_X=1"}; !slices.Equal(kept, want) {
		t.Errorf("kept = %v", kept)
	}
}

func TestEdit(t *testing.T) {
	t.Parallel()
	s := &stage{terraform: &terraform{dir: t.TempDir()}}
	if err := s.write("a.tf", "x = 1\ny = 2\ny = 3\n"); err != nil {
		t.Fatal(err)
	}
	if err := s.edit("a.tf", "x = 1", "x = 5"); err != nil {
		t.Error(err)
	}
	for _, from := range []string{"y = ", "z = "} {
		if err := s.edit("a.tf", from, ""); err == nil {
			t.Errorf("%q is replaced although it does not stand there once", from)
		}
	}
	if got, err := os.ReadFile(filepath.Join(s.terraform.dir, "a.tf")); err != nil ||
		string(got) != "x = 5\ny = 2\ny = 3\n" {
		t.Errorf("the file is %q, %v", got, err)
	}
}

func TestSummary(t *testing.T) {
	t.Parallel()
	broken := errors.New("it broke")
	for _, test := range []struct {
		name  string
		steps []error
		all   int
		want  error
		says  string
	}{
		{"all kept", []error{nil, nil}, 2, nil, "All 2 steps passed"},
		{"one left out", []error{nil, errLeftOut}, 2, nil, "1 of 2 steps passed, in 0.0s; 1 left out"},
		{"one failed", []error{nil, broken}, 2, errBroken, "1 of 2 steps"},
		{"not all played", []error{nil}, 2, errBroken, "1 of 2 steps"},
	} {
		var out strings.Builder
		say := &report{out: &out}
		for _, err := range test.steps {
			say.step("a step")
			if got := say.done(err); !errors.Is(got, err) && !errors.Is(err, errLeftOut) {
				t.Errorf("%s: done(%v) = %v", test.name, err, got)
			}
		}
		if err := say.summary(test.all); !errors.Is(err, test.want) {
			t.Errorf("%s: summary = %v", test.name, err)
		}
		if !strings.Contains(out.String(), test.says) {
			t.Errorf("%s: the summary does not say %q:\n%s", test.name, test.says, out.String())
		}
	}
}

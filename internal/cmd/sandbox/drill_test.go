package main

import (
	"context"
	"encoding/xml"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestDrill: each of these handlers has one defect, and fails the checks that it breaks, and no other.
func TestDrill(t *testing.T) {
	t.Parallel()
	forgeries := []string{"wrong-signature", "no-signature", "other-secret", "old", "future", "re-serialized", "truncated"}
	again := []string{"twice", atOnce, "attempts"}
	for name, c := range map[string]struct {
		defects defects
		fails   []string
	}{
		"a right one":                  {},
		"verifies nothing":             {defects{anySignature: true}, forgeries},
		"verifies the form":            {defects{otherSecrets: true}, slices.Concat(forgeries[:1], forgeries[2:])},
		"accepts unsigned ones":        {defects{noSignature: true}, forgeries[1:2]},
		"has no tolerance":             {defects{anyAge: true}, forgeries[3:5]},
		"accepts the future":           {defects{anyFuture: true}, forgeries[4:5]},
		"serializes again":             {defects{serializes: true}, []string{"raw-body", "re-serialized"}},
		"accepts incomplete ones":      {defects{ofBody: true}, forgeries[6:]},
		"parses before it verifies":    {defects{parsesFirst: true}, forgeries[6:]},
		"shows the right signature":    {defects{leaks: true}, slices.Concat(forgeries[:1], forgeries[2:])},
		"responds 403":                 {defects{isForbidden: true}, forgeries},
		"does not deduplicate":         {defects{noMemory: true}, again},
		"deduplicates by delivery":     {defects{byDelivery: true}, again[:1]},
		"deduplicates by signature":    {defects{bySignature: true}, again[2:]},
		"looks, then writes":           {defects{slowMemory: true}, again[1:2]},
		"rejects what it has":          {defects{conflicts: true}, []string{"twice", "attempts"}},
		"wants the order":              {defects{inOrder: true}, []string{"late", "redelivery"}},
		"judges the event's timestamp": {defects{byTimestamp: true}, []string{"late", "redelivery"}},
		"knows two events":             {defects{knownOnly: true}, []string{"unknown"}},
		"limits bodies to 100 KB":      {defects{longest: 100 << 10}, []string{"large"}},
		"is slow":                      {defects{sleeps: 600 * time.Millisecond}, []string{"right"}},
		"redirects":                    {defects{redirects: true}, []string{"right"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := &handler{defects: c.defects, seen: map[string]bool{}, looks: map[string]int{}}
			server := httptest.NewServer(h)
			defer server.Close()
			d := drill{url: strings.Replace(server.URL, "//", "//hooks:password@", 1), secret: handlerSecret,
				limit:   3 * time.Second,
				effects: func(context.Context) (int, error) { return h.effects(), nil }}
			if c.defects.sleeps > 0 {
				d.limit = c.defects.sleeps / 10
			}
			var failed []string
			err := d.run(t.Context(), func(r drillCheck) {
				if r.Result == "failed" {
					failed = append(failed, r.Name)
				}
				if r.Result == notJudged && !slices.Contains(c.fails, "right") {
					t.Error(r)
				}
			})
			if expected := slices.Sorted(slices.Values(c.fails)); err != nil ||
				!slices.Equal(slices.Sorted(slices.Values(failed)), expected) {
				t.Errorf("%v: failed %v, not %v", err, failed, expected)
			}
		})
	}
}

// TestDrillExamples: the handlers of the examples pass every check, as their README says.
func TestDrillExamples(t *testing.T) {
	t.Parallel()
	const folder = "../../../examples/webhook-handler"
	binary := filepath.Join(t.TempDir(), "handler.exe")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", binary, folder+"/go")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for needs, command := range map[string][]string{"go": {binary}, "python3": {"python3", "handler.py"},
		"node": {"node", "handler.mjs"}} {
		t.Run(needs, func(t *testing.T) {
			t.Parallel()
			for _, needed := range []string{needs, "curl"} {
				if _, err := exec.LookPath(needed); err != nil {
					t.Skip(err)
				}
			}
			free := httptest.NewServer(nil)
			_, port, _ := strings.Cut(strings.TrimPrefix(free.URL, "http://"), ":")
			free.Close()
			handler := exec.CommandContext(t.Context(), command[0], command[1:]...)
			handler.Dir, handler.Stderr = folder, t.Output()
			handler.Env = append(os.Environ(), "WEBHOOK_SECRET="+handlerSecret, "PORT="+port)
			if err := handler.Start(); err != nil {
				t.Fatal(err)
			}
			defer func() { _ = handler.Wait() }()
			defer func() { _ = handler.Process.Kill() }()
			s := steer{t, map[string]string{"WEBHOOK_SECRET": handlerSecret}}
			base, file := "http://127.0.0.1:"+port, filepath.Join(t.TempDir(), "drill.xml")
			code, out, complaint := exitFailure, "", ""
			for began := time.Now(); code == exitFailure && time.Since(began) < time.Minute; time.Sleep(50 * time.Millisecond) {
				code, out, complaint = s.run("drill", base+"/hooks", "--effect", "curl -fsS "+base+"/payments", "--junit", file)
			}
			if code != 0 || !strings.HasSuffix(out, "\n16 ok, 0 failed, 0 not judged\n") {
				t.Errorf("exit code %d: %s%s", code, complaint, out)
			}
			s.env["OTHER"] = "whsec_other"
			code, out, _ = s.run("drill", base+"/hooks", "--secret-env", "OTHER", "--json")
			if code != exitWrongHandler || strings.Count(out, `"result":"not judged"`) != 15 {
				t.Errorf("exit code %d: %s", code, out)
			}
			var suite struct {
				Tests int        `xml:"tests,attr"`
				Cases []struct{} `xml:"testcase"`
			}
			text, err := os.ReadFile(file)
			if err != nil || xml.Unmarshal(text, &suite) != nil || suite.Tests != len(suite.Cases) {
				t.Errorf("%v: %s", err, text)
			}
		})
	}
}

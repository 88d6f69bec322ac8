package life

import (
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// mutantOf is a change of the code that breaks a promise.
type mutantOf struct{ promise, file, code, with string }

// mutants are those that the judge must find, each within mostRuns runs.
var mutants = []mutantOf{
	{"a lost creation is looked up before it is sent again", "api/creation.go",
		"found, err := s.find(detached, ctx)", "var found []T\n\t\tvar err error"},
	{"a creation is not repeated like a read", "api/client.go",
		"row.repeatable() && to.method != http.MethodPost && !r.Once", "true"},
	{"a request without a response may have been carried out", "api/run.go",
		"a.connected && !unprocessed(a.err)", "false"},
	{"a request with half a response was carried out", "api/run.go",
		"case isSuccess(a.status):\n\t\treturn c.judgeFailure(ctx, k, a, true)",
		"case isSuccess(a.status):\n\t\treturn c.judgeFailure(ctx, k, a, false)"},
	{"an interrupt leaves time for a creation", "api/creation.go",
		"context.WithCancelCause(context.WithoutCancel(ctx))", "context.WithCancelCause(ctx)"},
	{"a creation that got a 5xx may have been carried out", "api/run.go",
		"case !k.repeatable:\n\t\treturn verdict{err: c.ambiguous(k, a, e)}", "case !k.repeatable:\n\t\treturn verdict{err: e}"},
	{"each response of an apply is saved at once", "provider/subscription/resource.go",
		"if response != nil || err == nil {", "if false {"},
	{"keys of other systems stay", "provider/internal/metadata/ownership.go",
		"return o.Mode == ModeReplace && o.Owned != nil", "return o.Owned != nil"},
	{"a token of another organization removes nothing", "provider/internal/object/organization.go",
		"if !r.bound() || private.Get", "if true || private.Get"},
	{"a 404 of a proxy proves nothing", "api/errors.go",
		"return ok && e.Missing() && e.Structured && !e.lacksRoute()", "return ok && e.Missing()"},
	{"a read that lags is repeated", "api/lag.go",
		"range LagPauses {", "range LagPauses[:1] {"},
	{"a read that lags is not taken for the object", "api/lag.go",
		"return w.after(id, updated(value)) && c.mayLag(known.updated, sent)", "return false"},
	{"a 429 is waited for", "api/run.go",
		"return verdict{err: e, again: true, throttled: true}", "return verdict{err: e}"},
	{"a change of plan is billed once", "api/billing/subscription_transitions.go",
		"Counts:   o.counts,", "Counts:   false,"},
	{"a secret whose rotation was lost leaves the state", "provider/webhookendpoint/resource.go",
		"state.setSecret(encrypt.Secret{Clear: types.StringNull(), Encrypted: types.StringNull()})", ""},
	{"a lost secret is rotated again", "provider/webhookendpoint/resource.go",
		"private.Set(ctx, op.Private, keySecretLost, lost, op.Diags)", "private.Set(ctx, op.Private, keySecretLost, false, op.Diags)"},
	{"a record is created once, by its key", "api/finance/creation.go",
		"Body: body, IdempotencyKey: key,", "Body: body, IdempotencyKey: uuidOf(key + time.Now().String()),"},
	{"a response about another object is discarded", "api/identity.go",
		`if got == "" || same.ID(asked, got) {`, "if true {"},
	{"a read that fails is repeated", "api/run.go",
		"case !now.Before(end):", "case !now.Before(end) || true:"},
	{"an object that differs is not adopted", "api/creation.go",
		"case !equal, made == older", "case !equal && false, made == older"},
}

// mostRuns is the number of runs within which each mutant is found, and the lives that have as many.
const (
	mostRuns  = 2000
	mostLives = 150
)

var plantMutants = flag.Bool("mutants", false, "plant each mutant, and live random lives until one finds it")

// TestMutants tests the judge: each mutant fails a life. By default it only checks that they still fit the code.
func TestMutants(t *testing.T) {
	for _, m := range mutants {
		path, err := filepath.Abs(filepath.Join("..", m.file))
		if err != nil {
			t.Fatal(err)
		}
		source, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(string(source), m.code); n != 1 {
			t.Errorf("%s: %s has %d times: %s", m.promise, m.file, n, m.code)
		} else if *plantMutants {
			t.Run(m.promise, func(t *testing.T) {
				lives(t, planted(t, path, strings.Replace(string(source), m.code, m.with, 1)))
			})
		}
	}
}

// planted returns a test program in which a file has another content.
func planted(t *testing.T, path, content string) string {
	t.Helper()
	folder := t.TempDir()
	file, overlay, program := filepath.Join(folder, "mutant.go"), filepath.Join(folder, "overlay.json"),
		filepath.Join(folder, "life.test")
	replaced, err := json.Marshal(map[string]map[string]string{"Replace": {path: file}})
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{file: []byte(content), overlay: replaced} {
		if err := os.WriteFile(name, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if out, err := exec.CommandContext(t.Context(), "go", "test", "-c", "-vet=off", "-overlay", overlay, "-o", program,
		".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return program
}

var (
	runsLived = regexp.MustCompile(`, (\d+) runs `)
	violated  = regexp.MustCompile(`soak_test.go:\d+: (seed .*)`)
)

// lives runs random lives of a program with a mutant, which must fail.
func lives(t *testing.T, program string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program, "-test.run=^TestSoak$", "-first", "-lives="+strconv.Itoa(mostLives),
		"-seed="+strconv.FormatUint(max(*soakSeed, 1), 10))
	cmd.Env = append(os.Environ(), "TF_ACC=")
	out, err := cmd.CombinedOutput()
	runs, found := runsLived.FindSubmatch(out), violated.FindSubmatch(out)
	if runs == nil {
		t.Fatalf("%v\n%s", err, out)
	}
	n, _ := strconv.Atoi(string(runs[1]))
	if err == nil || found == nil || n > mostRuns {
		t.Errorf("not found in %d runs (%v)", n, err)
		return
	}
	t.Logf("found in %d runs: %s", n, found[1])
}

package main

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// asCommand makes the test binary be the command itself, so that tests can
// start it as a process and kill it.
const asCommand = "BILLING_SANDBOX_TEST_AS_COMMAND"

func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		main()
	}
	os.Exit(m.Run())
}

// running is a sandbox started as a process.
type running struct {
	t       *testing.T
	command *exec.Cmd
	output  *bytes.Buffer
	envFile string
	env     map[string]string
}

// serve starts the command and waits until it says that it is ready.
func serve(t *testing.T, args ...string) *running {
	t.Helper()
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	envFile := filepath.Join(t.TempDir(), "sandbox.env")
	command := exec.CommandContext(t.Context(), binary, append([]string{"serve", "--env-file", envFile}, args...)...)
	command.Env = append(os.Environ(), asCommand+"=1")
	r := &running{t: t, command: command, output: &bytes.Buffer{}, envFile: envFile}
	command.Stderr = r.output
	out, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() && !strings.HasPrefix(lines.Text(), "The exports are in") {
	}
	r.env = readExports(t, envFile)
	return r
}

func readExports(t *testing.T, path string) map[string]string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file with tokens is %v, %v", info, err)
	}
	env := map[string]string{}
	for line := range strings.Lines(string(content)) {
		name, value, _ := strings.Cut(strings.TrimPrefix(strings.TrimSpace(line), "export "), "=")
		env[name] = strings.Trim(value, "'")
	}
	return env
}

// stop ends the process with a signal and returns what it said.
func (r *running) stop(signal os.Signal) error {
	r.t.Helper()
	if err := r.command.Process.Signal(signal); err != nil {
		r.t.Fatal(err)
	}
	return r.command.Wait()
}

// ask sends a request that must get a response.
func (r *running) ask(method, path, body string) (int, string) {
	r.t.Helper()
	status, content, err := r.try(method, path, body)
	if err != nil {
		r.t.Fatal(err)
	}
	return status, content
}

// try sends a request, and reads its response whole.
func (r *running) try(method, path, body string) (int, string, error) {
	r.t.Helper()
	pem, err := os.ReadFile(r.env["BILLING_CA_CERTIFICATE_FILE"])
	if err != nil {
		r.t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(pem)
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool},
		DisableKeepAlives: true}}
	request, err := http.NewRequestWithContext(r.t.Context(), method, r.env["BILLING_BASE_URL"]+path,
		strings.NewReader(body))
	if err != nil {
		r.t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+r.env["BILLING_TOKEN"])
	request.Header.Set("Content-Type", "application/json")
	response, err := client.Do(request)
	if err != nil {
		return 0, "", err
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	return response.StatusCode, string(content), err
}

// A confirmed write survives kill -9; the CA and the tokens hold after it.
func TestConfirmedWritesSurviveKill(t *testing.T) {
	t.Parallel()
	state := filepath.Join(t.TempDir(), "state.db")
	first := serve(t, "--state", state)
	var ids []string
	for i := range 5 {
		status, body := first.ask("POST", "/v1/customers", fmt.Sprintf(`{"name":"c%d"}`, i))
		var created struct {
			Data struct{ Customer struct{ ID string } }
		}
		if err := json.Unmarshal([]byte(body), &created); err != nil || status != 201 {
			t.Fatalf("%d %s: %v", status, body, err)
		}
		ids = append(ids, created.Data.Customer.ID)
	}
	if status, body := first.ask("DELETE", "/v1/customers/"+ids[0], ""); status != 200 {
		t.Fatalf("delete: %d %s", status, body)
	}
	if status, body := first.ask("PATCH", "/v1/customers/"+ids[1], `{"notes":"kept"}`); status != 200 {
		t.Fatalf("update: %d %s", status, body)
	}
	if err := first.stop(syscall.SIGKILL); err == nil {
		t.Error("a killed process ended well")
	}

	second := serve(t, "--state", state)
	for _, name := range []string{"BILLING_TOKEN", "BILLING_CA_CERTIFICATE_FILE", "BILLING_SANDBOX_CONTROL_TOKEN"} {
		if second.env[name] != first.env[name] {
			t.Errorf("%s changed over the restart", name)
		}
	}
	for i, id := range ids {
		status, body := second.ask("GET", "/v1/customers/"+id, "")
		if want := map[bool]int{true: 404, false: 200}[i == 0]; status != want {
			t.Errorf("customer %d: %d, want %d", i, status, want)
		}
		if i == 1 && !strings.Contains(body, `"notes":"kept"`) {
			t.Errorf("the update is lost: %s", body)
		}
	}
	if err := second.stop(syscall.SIGTERM); err != nil {
		t.Errorf("SIGTERM: %v, %s", err, second.output)
	}
}

func TestInterruptEndsCleanly(t *testing.T) {
	t.Parallel()
	r := serve(t)
	if err := r.stop(os.Interrupt); err != nil {
		t.Errorf("SIGINT: %v, %s", err, r.output)
	}
	if _, err := os.Stat(r.env["BILLING_CA_CERTIFICATE_FILE"]); !os.IsNotExist(err) {
		t.Errorf("the temporary CA file is left: %v", err)
	}
}

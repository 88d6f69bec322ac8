package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// dockerfile returns the arguments of each instruction that the image has once.
func dockerfile(t *testing.T) map[string]string {
	t.Helper()
	content, err := os.ReadFile("../../../.ci/image/Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	instructions := map[string]string{}
	for line := range strings.Lines(strings.ReplaceAll(string(content), "\\\n", "")) {
		if instruction, arguments, _ := strings.Cut(strings.TrimSpace(line), " "); instruction != "#" {
			instructions[instruction] = arguments
		}
	}
	return instructions
}

// inImage turns the JSON array of a command of the image into arguments that work here, where /sandbox is another
// folder and a port is any.
func inImage(t *testing.T, array, dir string) (arguments []string) {
	t.Helper()
	if err := json.Unmarshal([]byte(array), &arguments); err != nil {
		t.Fatalf("%s: %v", array, err)
	}
	for i, argument := range arguments {
		if argument = strings.ReplaceAll(argument, "/sandbox/", dir+"/"); regexp.MustCompile(`^844\d$`).MatchString(argument) {
			argument = "0"
		}
		arguments[i] = argument
	}
	return arguments
}

// The image runs as a user who may write to its volume alone, and Docker learns from the sandbox itself whether it is
// ready, although the exports have a name that the container cannot resolve.
func TestImage(t *testing.T) {
	t.Parallel()
	image := dockerfile(t)
	if user := image["USER"]; !regexp.MustCompile(`^[1-9]\d*:[1-9]\d*$`).MatchString(user) ||
		!strings.HasPrefix(image["COPY"], "--chown="+user+" ") || !strings.HasSuffix(image["COPY"], " /sandbox/LICENSE") ||
		image["VOLUME"] != "/sandbox" || image["ENTRYPOINT"] != `["/billing-sandbox"]` {
		t.Errorf("the image is %v", image)
	}

	dir := t.TempDir()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	serve := exec.Command(program, inImage(t, image["CMD"], dir)...)
	serve.Dir = dir
	serve.Env = []string{asCommand + "=1", "BILLING_SANDBOX_SERVE_FLAGS=--host sandbox.invalid",
		"TMPDIR=/none", "HOME=/none", "SYSTEMROOT=" + os.Getenv("SYSTEMROOT")}
	if err := serve.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := serve.Process.Kill(); err != nil {
			t.Error(err)
		}
		_ = serve.Wait() // ended by the signal
	})

	var port []string
	for begin := time.Now(); port == nil; time.Sleep(20 * time.Millisecond) {
		exports, _ := os.ReadFile(filepath.Join(dir, "sandbox.env"))
		port = regexp.MustCompile(`CONTROL_URL='https://sandbox\.invalid(:\d+)'`).FindStringSubmatch(string(exports))
		if time.Since(begin) > time.Minute {
			t.Fatalf("after a minute the exports are %q", exports)
		}
	}
	_, array, _ := strings.Cut(strings.ReplaceAll(image["HEALTHCHECK"], ":8446", port[1]), " CMD ")
	health := exec.CommandContext(t.Context(), program, inImage(t, array, dir)[1:]...)
	health.Env = []string{asCommand + "=1", "SYSTEMROOT=" + os.Getenv("SYSTEMROOT")}
	if out, err := health.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	written, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(written) != 2 {
		t.Errorf("it has written %v (%v)", written, err)
	}
}

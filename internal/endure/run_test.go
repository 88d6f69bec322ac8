//go:build unix

package endure_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
)

// pids is the file in which every process of the provider records its id.
const pids = "provider.pids"

// supervise runs the provider in a folder through a script that records the process id.
func (w *world) supervise(built string, err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
	dir := filepath.Join(w.runner.Dir, "plugins")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		w.t.Fatal(err)
	}
	script := fmt.Sprintf("#!/bin/sh\necho $$ >>'%s'\nexec '%s' \"$@\"\n", filepath.Join(w.runner.Dir, pids),
		filepath.Join(built, "terraform-provider-billing"))
	if err := os.WriteFile(filepath.Join(dir, "terraform-provider-billing"), []byte(script), 0o700); err != nil {
		w.t.Fatal(err)
	}
	w.runner.Provider(dir)
}

// terraform runs Terraform without disturbing it.
func (w *world) terraform(arguments ...string) acctest.Printed {
	return w.killed(nil, arguments...)
}

// longestRun is the time after which a run counts as stuck.
const longestRun = 4 * time.Minute

// killed runs Terraform, and signals its processes according to k.
func (w *world) killed(k *kill, arguments ...string) acctest.Printed {
	w.t.Helper()
	w.runs++
	cmd := w.runner.Command(arguments...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.WaitDelay = time.Second // a provider that outlives Terraform keeps the pipes open
	if err := os.WriteFile(filepath.Join(w.runner.Dir, pids), nil, 0o600); err != nil {
		w.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	group := cmd.Process.Pid
	var signals sync.WaitGroup
	if k != nil {
		var once sync.Once
		n := 0
		w.onRequest(func(write bool) {
			w.mu.Lock()
			defer w.mu.Unlock()
			if write || !k.writes {
				n++
			}
			if n == k.after {
				once.Do(func() { w.signals++; signals.Go(func() { time.Sleep(k.delay); w.signal(*k, group) }) })
			}
		})
	}
	stuck := time.AfterFunc(longestRun, func() { _ = syscall.Kill(-group, syscall.SIGKILL) })
	err := cmd.Wait()
	inTime := stuck.Stop()
	w.onRequest(nil)
	signals.Wait()
	w.quiet()
	// A provider outlives a killed Terraform. The group exists as long as one of its processes does.
	if k != nil {
		_ = syscall.Kill(-group, syscall.SIGKILL)
	}
	printed := acctest.ReadPrinted(stdout.Bytes())
	for _, m := range slices.Concat(printed.Errors, printed.Warnings) {
		w.named.WriteString(m.Text + "\n")
	}
	w.printed.Write(stdout.Bytes())
	w.printed.Write(stderr.Bytes())
	var exit *exec.ExitError
	switch {
	case !inTime:
		printed.Errors = append(printed.Errors, acctest.Said{Text: "the run did not end within " + longestRun.String()})
	case errors.As(err, &exit) && len(printed.Errors) == 0:
		printed.Errors = []acctest.Said{{Text: fmt.Sprintf("terraform %s: %v %s", arguments[0], err, stderr.Bytes())}}
	}
	return printed
}

// signal sends the signal.
func (w *world) signal(k kill, group int) {
	signal := map[string]syscall.Signal{"KILL": syscall.SIGKILL, "INT": syscall.SIGINT}[k.signal]
	switch k.target {
	case "both":
		_ = syscall.Kill(-group, signal)
	case "terraform":
		_ = syscall.Kill(group, signal)
	default:
		text, _ := os.ReadFile(filepath.Join(w.runner.Dir, pids))
		for _, line := range slices.Backward(strings.Fields(string(text))) {
			pid, err := strconv.Atoi(line)
			if err != nil {
				continue
			}
			if of, err := syscall.Getpgid(pid); err == nil && of == group {
				_ = syscall.Kill(pid, signal)
				return
			}
		}
	}
}

// quiet returns when the service has received no request for a short time: a provider whose Terraform has died
// completes its request.
func (w *world) quiet() {
	for before := -1; ; {
		w.mu.Lock()
		now := w.requests
		w.mu.Unlock()
		if now == before {
			return
		}
		before = now
		time.Sleep(50 * time.Millisecond)
	}
}

// follow adopts the import blocks that messages suggest, except those for objects of the other workspace, and reports
// whether there are new ones.
func (w *world) follow(p acctest.Printed) (more bool) {
	w.t.Helper()
	for _, m := range slices.Concat(p.Errors, p.Warnings) {
		for id, address := range acctest.Suggested(m.Address, m.Text) {
			if _, taken := w.imports[address]; taken || w.isForeign(id) {
				continue
			}
			w.imports[address], more = id, true
		}
	}
	text := ""
	for _, address := range slices.Sorted(maps.Keys(w.imports)) {
		text += fmt.Sprintf("import {\n  to = %s\n  id = %q\n}\n", address, w.imports[address])
	}
	if w.runner.Write("imports.tf", text); w.schedule.phase == destroy {
		return false
	}
	return more
}

// play disturbs one run according to the schedule, and lets the later runs complete.
func (w *world) play() {
	w.t.Helper()
	env := w.runner.Env
	apply := []string{"apply", "-json", "-auto-approve"}
	switch w.schedule.phase {
	case update:
		env["TF_VAR_revision"] = "2"
	case rotate:
		env["TF_VAR_rotation"] = "2"
	case renew:
		env["TF_VAR_renewal"] = "2"
	case destroy:
		apply = append(apply, "-destroy")
	}
	if w.schedule.traced {
		env["TF_LOG"], env["TF_LOG_PATH"] = "TRACE", filepath.Join(w.runner.Dir, "trace.log")
	}
	restarted := w.restarts()
	w.killed(w.kill(0), apply...)
	restarted()
	if w.cutOff() {
		return
	}
	w.settle(apply)
}

func (w *world) kill(i int) *kill {
	if i < len(w.schedule.kills) {
		return &w.schedule.kills[i]
	}
	return nil
}

// cutOff reports whether a signal has interrupted Terraform while it wrote its state file, which it does in place: the
// state is then lost with any provider, and the schedule has no result. Every first run starts with an empty file that
// was never written.
func (w *world) cutOff() bool {
	text, err := os.ReadFile(filepath.Join(w.runner.Dir, "terraform.tfstate"))
	w.lost = w.lost || err == nil && !json.Valid(text) && (len(text) > 0 || w.schedule.phase != create)
	return w.lost
}

// most is the maximum number of applies after the disturbed one: if the state is empty, the conflicts of customers,
// accounts and subscriptions occur one after the other.
const most = 4

// settle plans and applies until the plan is empty.
func (w *world) settle(apply []string) {
	w.t.Helper()
	plan := append([]string{"plan", "-json", "-out=plan"}, apply[3:]...)
	var applied acctest.Printed
	for round := range most + max(0, len(w.schedule.kills)-1) {
		if w.follow(w.terraform(plan...)) {
			w.follow(w.terraform("plan", "-json", "-out=plan"))
		}
		applied = w.killed(w.kill(round+1), apply...)
		if w.cutOff() {
			return
		}
		if len(applied.Errors) == 0 {
			break
		}
		w.follow(applied)
	}
	if len(applied.Errors) > 0 {
		w.breaks("stuck", "after %d applies: %v", most, applied.Errors)
		return
	}
	switch last := w.terraform(plan...); {
	case len(last.Errors) > 0:
		w.breaks("second plan", "the plan fails: %v", last.Errors)
	case len(last.Planned) > 0:
		w.breaks("second plan", "the plan is not empty: %v", last.Planned)
	}
}

// restarts stops and starts the service according to the schedule; done waits for it.
func (w *world) restarts() (done func()) {
	if w.schedule.restart == 0 {
		return func() {}
	}
	var wait sync.WaitGroup
	over := make(chan struct{})
	wait.Go(func() {
		for first := w.seen(); w.seen()-first < w.schedule.restart; {
			select {
			case <-over:
				return
			case <-time.After(5 * time.Millisecond):
			}
		}
		before := w.service
		w.end()
		time.Sleep(w.schedule.stopped)
		w.start(before)
	})
	return func() { close(over); wait.Wait() }
}

func (w *world) seen() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.requests
}

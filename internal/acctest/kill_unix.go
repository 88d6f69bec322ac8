//go:build unix

package acctest

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// pids is the file in which every process of the provider records its id.
const pids = "provider.pids"

// Supervise runs the provider through a script that records the id of its process.
func (c *Terraform) Supervise() {
	c.t.Helper()
	plugins, err := BuiltProvider()
	if err != nil {
		c.t.Fatal(err)
	}
	dir := filepath.Join(c.Dir, "plugins")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		c.t.Fatal(err)
	}
	script := fmt.Sprintf("#!/bin/sh\necho $$ >>'%s'\nexec '%s' \"$@\"\n", filepath.Join(c.Dir, pids),
		filepath.Join(plugins, providerName))
	if err := os.WriteFile(filepath.Join(dir, providerName), []byte(script), 0o700); err != nil {
		c.t.Fatal(err)
	}
	c.Provider(dir)
}

// longestRun is the time after which a run counts as stuck.
const longestRun = 4 * time.Minute

// Killed runs Terraform, and signals its processes when the channel is closed. A provider that outlives Terraform ends
// after quiet has returned. It needs Supervise.
func (c *Terraform) Killed(k Kill, when <-chan struct{}, quiet func(), arguments ...string) (p Printed, out []byte) {
	c.t.Helper()
	cmd := c.Command(arguments...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.WaitDelay = time.Second // a provider that outlives Terraform keeps the pipes open
	c.Write(pids, "")
	if err := cmd.Start(); err != nil {
		c.t.Fatal(err)
	}
	group, over := cmd.Process.Pid, make(chan struct{})
	var signals sync.WaitGroup
	signals.Go(func() {
		select {
		case <-when:
			time.Sleep(k.Delay)
			c.signal(k, group)
		case <-over:
		}
	})
	stuck := time.AfterFunc(longestRun, func() { _ = syscall.Kill(-group, syscall.SIGKILL) })
	err := cmd.Wait()
	inTime := stuck.Stop()
	close(over)
	signals.Wait()
	quiet()
	_ = syscall.Kill(-group, syscall.SIGKILL) // the group exists as long as one of its processes does
	p = ReadPrinted(stdout.Bytes())
	var exit *exec.ExitError
	switch {
	case !inTime:
		p.Errors = append(p.Errors, ": the run did not end within "+longestRun.String())
	case errors.As(err, &exit) && len(p.Errors) == 0:
		p.Errors = []string{fmt.Sprintf(": terraform %s: %v %s", arguments[0], err, stderr.Bytes())}
	}
	return p, slices.Concat(stdout.Bytes(), stderr.Bytes())
}

// signal sends the signal. A provider ignores SIGINT, as Terraform wants it to.
func (c *Terraform) signal(k Kill, group int) {
	signal := syscall.SIGKILL
	if k.Interrupt {
		signal = syscall.SIGINT
	}
	switch k.Target {
	case "both":
		_ = syscall.Kill(-group, signal)
	case "terraform":
		_ = syscall.Kill(group, signal)
	default:
		text, _ := os.ReadFile(filepath.Join(c.Dir, pids))
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

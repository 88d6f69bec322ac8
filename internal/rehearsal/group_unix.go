//go:build unix

package rehearsal

import (
	"os/exec"
	"syscall"
)

// newGroup starts a program in a process group of its own: a terminal's Ctrl-C reaches this process alone, which passes
// it on.
func newGroup(command *exec.Cmd) { command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

func interruptGroup(command *exec.Cmd) { signalGroup(command, syscall.SIGINT) }

func killGroup(command *exec.Cmd) { signalGroup(command, syscall.SIGKILL) }

func signalGroup(command *exec.Cmd, signal syscall.Signal) {
	_ = syscall.Kill(-command.Process.Pid, signal) // nothing of the group may be left
}

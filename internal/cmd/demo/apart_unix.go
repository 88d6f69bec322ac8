//go:build unix

package main

import (
	"os/exec"
	"syscall"
)

// setApart gives a command a process group of its own, so that a Ctrl-C in
// the terminal reaches the demo alone, which then ends things in order.
func setApart(command *exec.Cmd) {
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
}

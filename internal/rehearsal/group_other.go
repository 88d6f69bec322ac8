//go:build !unix

package rehearsal

import "os/exec"

// newGroup does nothing: there are no process groups that signals reach.
func newGroup(*exec.Cmd) {}

func interruptGroup(*exec.Cmd) {}

func killGroup(command *exec.Cmd) {
	_ = command.Process.Kill() // it may have ended
}

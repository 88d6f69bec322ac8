//go:build !unix

package main

import "os/exec"

// setApart does nothing: there are no process groups to use.
func setApart(*exec.Cmd) {}

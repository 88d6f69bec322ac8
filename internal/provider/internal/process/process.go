// Package process prepares the process that serves the provider: what it logs, and how its garbage collector works.
package process

import (
	"os"
	"strings"
	"sync/atomic"
)

// quiet are the variables that set the levels of the loggers of the SDK and of this provider. Those of two parts of the
// SDK have to be off themselves: what they write is prepared whole before the level of the SDK discards it.
var quiet = []string{"TF_LOG_SDK", "TF_LOG_SDK_FRAMEWORK", "TF_LOG_SDK_PROTO", "TF_LOG_PROVIDER_BILLING"}

// Prepare sets up the process. debugging says that it serves a debugger, whose user reads the log.
//
// Without a level, terraform-plugin-log writes everything at TRACE, and Terraform discards it unless TF_LOG is set:
// about 280 lines for a plan of one unchanged customer (terraform-plugin-framework issue 1269). So the loggers are off
// unless some variable of the log is set.
func Prepare(debugging bool) error {
	collect()
	silent.Store(!debugging && !set("TF_LOG"))
	if !Silent() {
		return nil
	}
	for _, name := range quiet {
		if err := os.Setenv(name, "OFF"); err != nil {
			return err
		}
	}
	return nil
}

var silent atomic.Bool

// Silent reports that this process logs nothing, so that nothing has to be prepared for the log.
func Silent() bool { return silent.Load() }

// set reports whether a variable whose name begins with a prefix has a value. A program that starts Terraform, such as
// terraform-exec, sets variables to the empty text.
func set(prefix string) bool {
	for _, variable := range os.Environ() {
		if name, value, _ := strings.Cut(variable, "="); strings.HasPrefix(name, prefix) && value != "" {
			return true
		}
	}
	return false
}

package provider

import (
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"time"
)

// levelVariables are the variables that set the levels of the loggers of the SDK and of this provider. Those of two
// parts of the SDK have to be off themselves: what they write is prepared whole before the level of the SDK discards
// it.
var levelVariables = []string{"TF_LOG_SDK", "TF_LOG_SDK_FRAMEWORK", "TF_LOG_SDK_PROTO", "TF_LOG_PROVIDER_BILLING"}

// Prepare sets up this process to serve the provider: what it logs, and how its garbage collector works. debugging says
// that it serves a debugger, whose user reads the log.
//
// Without a level, terraform-plugin-log writes everything at TRACE, and Terraform discards it unless TF_LOG is set:
// about 280 lines for a plan of one unchanged customer (terraform-plugin-framework issue 1269). So the loggers are off
// unless some variable of the log is set.
func Prepare(debugging bool) error {
	setHeapGrowth()
	logsNothing.Store(!debugging && !anySet("TF_LOG"))
	if !isLogOff() {
		return nil
	}
	for _, name := range levelVariables {
		if err := os.Setenv(name, "OFF"); err != nil {
			return err
		}
	}
	return nil
}

var logsNothing atomic.Bool

// isLogOff reports that this process logs nothing, so that nothing has to be prepared for the log.
func isLogOff() bool { return logsNothing.Load() }

// anySet reports whether a variable whose name begins with a prefix has a value. A program that starts Terraform, such
// as terraform-exec, sets variables to the empty text.
func anySet(prefix string) bool {
	for _, variable := range os.Environ() {
		if name, value, _ := strings.Cut(variable, "="); strings.HasPrefix(name, prefix) && value != "" {
			return true
		}
	}
	return false
}

// heapGrowth is how much the heap grows between two collections, in percent of what is in use. A plan allocates a
// hundred times what it keeps: with Go's default of 100 percent, a plan of 1,000 objects takes 1.13 times as long, and
// two thirds of the memory.
const heapGrowth = 400

// setHeapGrowth sets up the garbage collector for a process that ends with the run, unless the user has.
func setHeapGrowth() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(heapGrowth)
	}
}

// endWithParent ends this process when the one that has started it ends. Terraform ends its providers itself, unless it
// is killed.
func endWithParent() {
	parent := os.Getppid()
	go func() {
		if awaitEnd(parent) {
			os.Exit(1)
		}
	}()
}

// awaitEnd waits for the end of the parent. It returns false where it cannot.
func awaitEnd(parent int) bool {
	if runtime.GOOS == "windows" { // where the number of the parent stays, and any process can be waited for
		p, err := os.FindProcess(parent)
		if err == nil {
			_, err = p.Wait()
		}
		return err == nil
	}
	for os.Getppid() == parent {
		time.Sleep(time.Second)
	}
	return true
}

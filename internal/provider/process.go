package provider

import (
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"time"
)

// levelVariables set the levels of the loggers of the SDK and of this provider. Two parts of the SDK must be off
// themselves: they format complete messages before the SDK's level discards them.
var levelVariables = []string{"TF_LOG_SDK", "TF_LOG_SDK_FRAMEWORK", "TF_LOG_SDK_PROTO", "TF_LOG_PROVIDER_BILLING"}

// Prepare configures the log and the garbage collector of this process for serving the provider. debugging is true if
// it serves a debugger, where the user reads the log.
//
// Without a level, terraform-plugin-log writes everything at TRACE, and Terraform discards it unless TF_LOG is set:
// about 280 lines for a plan of one unchanged customer (terraform-plugin-framework issue 1269). So the loggers are off
// unless a log variable is set.
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

// isLogOff reports whether logging is off, so that log messages need not be formatted.
func isLogOff() bool { return logsNothing.Load() }

// anySet reports whether a variable with a prefix has a non-empty value. Programs that start Terraform, such as
// terraform-exec, set variables to the empty string.
func anySet(prefix string) bool {
	for _, variable := range os.Environ() {
		if name, value, _ := strings.Cut(variable, "="); strings.HasPrefix(name, prefix) && value != "" {
			return true
		}
	}
	return false
}

// heapGrowth is the growth of the heap between two collections in percent (GOGC). A plan allocates a hundred times the
// memory that it keeps: with Go's default of 100 percent, a plan of 1,000 objects takes 1.13 times as long, and two
// thirds of the memory.
const heapGrowth = 400

// setHeapGrowth configures the garbage collector for a process that ends with the run, unless the user has configured
// it.
func setHeapGrowth() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(heapGrowth)
	}
}

// endWithParent ends this process when its parent ends. Terraform ends its providers itself, unless it is killed.
func endWithParent() {
	parent := os.Getppid()
	go func() {
		if awaitEnd(parent) {
			os.Exit(1)
		}
	}()
}

// awaitEnd waits for the end of the parent. It returns false if it cannot.
func awaitEnd(parent int) bool {
	if runtime.GOOS == "windows" { // where the parent's id does not change, and any process can be waited for
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

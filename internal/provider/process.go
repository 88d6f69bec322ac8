package provider

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"sync/atomic"
	"time"
)

// quiet are the variables that set the levels of the loggers of the SDK and of this provider. Those of two parts of the
// SDK have to be off themselves: what they write is prepared whole before the level of the SDK discards it.
var quiet = []string{"TF_LOG_SDK", "TF_LOG_SDK_FRAMEWORK", "TF_LOG_SDK_PROTO", "TF_LOG_PROVIDER_BILLING"}

// Prepare sets up this process to serve the provider: what it logs, and how its garbage collector works. debugging says
// that it serves a debugger, whose user reads the log.
//
// Without a level, terraform-plugin-log writes everything at TRACE, and Terraform discards it unless TF_LOG is set:
// about 280 lines for a plan of one unchanged customer (terraform-plugin-framework issue 1269). So the loggers are off
// unless some variable of the log is set.
func Prepare(debugging bool) error {
	collect()
	silent.Store(!debugging && !anySet("TF_LOG"))
	if !isSilent() {
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

// isSilent reports that this process logs nothing, so that nothing has to be prepared for the log.
func isSilent() bool { return silent.Load() }

// anySet reports whether a variable whose name begins with a prefix has a value. A program that starts Terraform, such as
// terraform-exec, sets variables to the empty text.
func anySet(prefix string) bool {
	for _, variable := range os.Environ() {
		if name, value, _ := strings.Cut(variable, "="); strings.HasPrefix(name, prefix) && value != "" {
			return true
		}
	}
	return false
}

const (
	// growth is how much the heap grows between two collections, in percent of what is in use. A plan allocates a hundred
	// times what it keeps, and Go's default of 100 percent spends a third of the time on collections.
	growth = 400
	// least is the memory limit in bytes of a process that uses little: near it, memory counts more than time.
	least = 48 << 20
)

// collect sets up the garbage collector for a process that ends with the run, except for what the user has set.
func collect() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(growth)
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		limitMemory(least)
	}
}

// limitFor is the memory limit for a heap of which so many bytes are in use. A limit below what a process uses would
// make it collect all the time; this one leaves it at least the room that Go's default does.
func limitFor(inUse uint64) int64 { return max(least, 2*int64(inUse)+16<<20) }

// limitMemory sets the memory limit, and sets it again after the next collection. The limit is soft.
func limitMemory(limit int64) {
	debug.SetMemoryLimit(limit)
	type sentinel struct{ _ *byte }
	runtime.SetFinalizer(&sentinel{}, func(*sentinel) {
		inUse := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
		metrics.Read(inUse)
		limitMemory(limitFor(inUse[0].Value.Uint64()))
	})
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

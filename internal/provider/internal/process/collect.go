package process

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

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
		follow(least)
	}
}

// limitFor is the memory limit for a heap of which so many bytes are in use. A limit below what a process uses would
// make it collect all the time; this one leaves it at least the room that Go's default does.
func limitFor(inUse uint64) int64 { return max(least, 2*int64(inUse)+16<<20) }

// follow sets the memory limit, and sets it again after the next collection. The limit is soft.
func follow(limit int64) {
	debug.SetMemoryLimit(limit)
	type sentinel struct{ _ *byte }
	runtime.SetFinalizer(&sentinel{}, func(*sentinel) {
		inUse := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
		metrics.Read(inUse)
		follow(limitFor(inUse[0].Value.Uint64()))
	})
}

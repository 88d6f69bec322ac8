package process

import (
	"math"
	"runtime"
	"runtime/debug"
	"testing"
	"time"
)

// settings are those of the collector after collect, where they were 77 percent and no limit.
func settings(t *testing.T, percent, limit string) (int, int64) {
	t.Helper()
	t.Setenv("GOGC", percent)
	t.Setenv("GOMEMLIMIT", limit)
	debug.SetGCPercent(77)
	debug.SetMemoryLimit(math.MaxInt64)
	collect()
	got := debug.SetGCPercent(100)
	return got, debug.SetMemoryLimit(-1)
}

func TestCollectRespectsWhatTheUserSets(t *testing.T) {
	if percent, limit := settings(t, "50", "1GiB"); percent != 77 || limit != math.MaxInt64 {
		t.Errorf("the settings of the user became %d percent and %d bytes", percent, limit)
	}
	if percent, limit := settings(t, "off", ""); percent != 77 || limit < least {
		t.Errorf("GOGC alone: %d percent and %d bytes", percent, limit)
	}
	if percent, limit := settings(t, "", "1GiB"); percent != growth {
		t.Errorf("GOMEMLIMIT alone: %d percent and %d bytes", percent, limit)
	}
}

// TestCollectFollowsTheHeap: a run that needs much memory gets it, and a run that needs no more gives it back.
func TestCollectFollowsTheHeap(t *testing.T) {
	if _, limit := settings(t, "", ""); limit != least {
		t.Errorf("the limit begins at %d bytes", limit)
	}
	// Finalizers run at some time after a collection.
	until := func(what string, holds func(limit int64) bool) {
		t.Helper()
		for range 1000 {
			runtime.GC()
			if holds(debug.SetMemoryLimit(-1)) {
				return
			}
			time.Sleep(time.Millisecond)
		}
		t.Errorf("%s: the limit is %d bytes", what, debug.SetMemoryLimit(-1))
	}
	large := make([]byte, 100<<20)
	until("100 MiB in use", func(limit int64) bool { return limit >= 200<<20 })
	runtime.KeepAlive(large)
	until("nothing in use", func(limit int64) bool { return limit == least })
}

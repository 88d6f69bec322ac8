package provider

import (
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"time"
)

// logLevels are the levels of the loggers after a process was prepared in an environment that sets only these variables.
func logLevels(t *testing.T, debugging bool, variables ...string) []string {
	t.Helper()
	for _, variable := range os.Environ() {
		if name, _, _ := strings.Cut(variable, "="); strings.HasPrefix(name, "TF_LOG") {
			t.Setenv(name, "")
		}
	}
	for _, name := range quiet {
		t.Setenv(name, "")
	}
	for _, variable := range variables {
		name, value, _ := strings.Cut(variable, "=")
		t.Setenv(name, value)
	}
	if err := Prepare(debugging); err != nil {
		t.Fatal(err)
	}
	var set []string
	for _, name := range quiet {
		set = append(set, os.Getenv(name))
	}
	return set
}

func TestPrepareSilencesTheLog(t *testing.T) {
	for name, c := range map[string]struct {
		debugging bool
		variables []string
		silent    bool
	}{
		"nothing set":           {silent: true},
		"set and empty":         {variables: []string{"TF_LOG=", "TF_LOG_PROVIDER="}, silent: true},
		"the whole log":         {variables: []string{"TF_LOG=DEBUG"}},
		"the log of providers":  {variables: []string{"TF_LOG_PROVIDER=TRACE"}},
		"the log of one logger": {variables: []string{"TF_LOG_SDK_PROTO=TRACE"}},
		"of this provider":      {variables: []string{"TF_LOG_PROVIDER_BILLING=INFO"}},
		"a file for the log":    {variables: []string{"TF_LOG_PATH=terraform.log"}},
		"for a debugger":        {debugging: true},
	} {
		t.Run(name, func(t *testing.T) {
			got := logLevels(t, c.debugging, c.variables...)
			for i, level := range got {
				if (level == "OFF") != c.silent {
					t.Errorf("%s is %q", quiet[i], level)
				}
			}
			if isSilent() != c.silent {
				t.Errorf("isSilent is %t", isSilent())
			}
		})
	}
}

// collector returns the settings of the garbage collector after collect, where they were 77 percent and no limit.
func collector(t *testing.T, percent, limit string) (int, int64) {
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
	if percent, limit := collector(t, "50", "1GiB"); percent != 77 || limit != math.MaxInt64 {
		t.Errorf("the settings of the user became %d percent and %d bytes", percent, limit)
	}
	if percent, limit := collector(t, "off", ""); percent != 77 || limit < least {
		t.Errorf("GOGC alone: %d percent and %d bytes", percent, limit)
	}
	if percent, limit := collector(t, "", "1GiB"); percent != growth {
		t.Errorf("GOMEMLIMIT alone: %d percent and %d bytes", percent, limit)
	}
}

// TestCollectFollowsTheHeap: a run that needs much memory gets it, and a run that needs no more gives it back.
func TestCollectFollowsTheHeap(t *testing.T) {
	if _, limit := collector(t, "", ""); limit != least {
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

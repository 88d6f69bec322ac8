package provider

import (
	"os"
	"runtime/debug"
	"strings"
	"testing"
)

// logLevels are the levels of the loggers after a process was prepared in an environment that sets only these.
func logLevels(t *testing.T, debugging bool, variables ...string) []string {
	t.Helper()
	for _, variable := range os.Environ() {
		if name, _, _ := strings.Cut(variable, "="); strings.HasPrefix(name, "TF_LOG") {
			t.Setenv(name, "")
		}
	}
	for _, name := range levelVariables {
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
	for _, name := range levelVariables {
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
					t.Errorf("%s is %q", levelVariables[i], level)
				}
			}
			if isLogOff() != c.silent {
				t.Errorf("isLogOff is %t", isLogOff())
			}
		})
	}
}

// TestSetHeapGrowth: the garbage collector is set up, unless the user has done so.
func TestSetHeapGrowth(t *testing.T) {
	for set, want := range map[string]int{"": heapGrowth, "50": 77, "off": 77} {
		t.Setenv("GOGC", set)
		debug.SetGCPercent(77)
		setHeapGrowth()
		if percent := debug.SetGCPercent(100); percent != want {
			t.Errorf("GOGC=%q: %d percent, want %d", set, percent, want)
		}
	}
}

package main

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
)

// version is set by the release build.
var version = ""

var versionManual = manual{
	name:     "version",
	summary:  "which version this is",
	usage:    []string{""},
	about:    "Prints the version of this program, and what it was built with and for.\n",
	examples: "{sandbox} version\n",
	alone:    true,
}

// version says which version of the program this is.
func (p program) version(_ context.Context, args []string) error {
	if err := p.flags(versionManual).alone(args); err != nil {
		return err
	}
	_, err := fmt.Fprintf(p.out, "%s %s (%s, %s/%s)\n", p.called(), builtVersion(), runtime.Version(),
		runtime.GOOS, runtime.GOARCH)
	return err
}

// builtVersion is that of the release, else that of the module, when go
// install knew it.
func builtVersion() string {
	if version != "" {
		return version
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return "dev"
}

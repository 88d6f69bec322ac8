package main

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// exportLines writes an environment for a shell to read.
func exportLines(env map[string]string) string {
	var lines strings.Builder
	for _, name := range slices.Sorted(maps.Keys(env)) {
		fmt.Fprintf(&lines, "export %s='%s'\n", name, strings.ReplaceAll(env[name], "'", `'\''`))
	}
	return lines.String()
}

// writeWhole puts a file in place in one piece, readable by its owner alone:
// whoever waits for it to appear never reads half of it.
func writeWhole(path, content string) error {
	// CreateTemp makes files of mode 0600.
	file, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	_, err = file.WriteString(content)
	if err = errors.Join(err, file.Close()); err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(file.Name()))
	}
	return nil
}

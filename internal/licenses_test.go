package internal_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// licenses lists the permitted licenses of modules in a release, each with a text that only it contains.
var licenses = map[string]string{
	"Apache-2.0": "Apache License",
	"BSD":        "Redistribution and use in source and binary forms",
	"ISC":        "Permission to use, copy, modify, and/or distribute this software for any purpose",
	"MIT":        "Permission is hereby granted, free of charge",
	"MPL-2.0":    "Mozilla Public License",
}

// license returns the name of the license with this text; empty if it is not permitted in releases.
func license(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if strings.Contains(text, "GNU GENERAL PUBLIC LICENSE") {
		return ""
	}
	for name, phrase := range licenses {
		if strings.Contains(text, phrase) {
			return name
		}
	}
	return ""
}

// TestLicenses checks that the license of every module in a released program permits distribution with the provider.
func TestLicenses(t *testing.T) {
	t.Parallel()
	command := exec.CommandContext(t.Context(), "go", "list", "-deps", "-json=Module", ".",
		"./internal/cmd/sandbox")
	command.Dir = root
	out, err := command.Output()
	if err != nil {
		t.Fatal(err)
	}
	checked := map[string]bool{}
	for decoder := json.NewDecoder(bytes.NewReader(out)); ; {
		var p struct {
			Module *struct {
				Path, Dir string
				Main      bool
			}
		}
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		if p.Module == nil || p.Module.Main || checked[p.Module.Path] {
			continue
		}
		checked[p.Module.Path] = true
		files, err := filepath.Glob(filepath.Join(p.Module.Dir, "LICEN[SC]E*"))
		if err != nil || len(files) == 0 {
			t.Errorf("%s has no license file: %v", p.Module.Path, err)
			continue
		}
		text, err := os.ReadFile(files[0])
		if err != nil {
			t.Fatal(err)
		}
		if license(string(text)) == "" {
			t.Errorf("the license of %s is not permitted in releases: %s", p.Module.Path, files[0])
		}
	}
	if len(checked) < 20 {
		t.Errorf("only %d modules were checked", len(checked))
	}
}

func TestLicenseIsRecognized(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Mozilla Public License,\nversion 2.0": "MPL-2.0", "Permission is hereby granted,\n  free of charge": "MIT",
		"GNU GENERAL PUBLIC LICENSE ... Apache License": "", "All rights reserved.": "",
	} {
		if got := license(text); got != want {
			t.Errorf("license(%q) = %q, not %q", text, got, want)
		}
	}
}

package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// readSeed reads the file that --seed-file names, "-" being standard input.
func (p program) readSeed(file string) ([]byte, error) {
	switch file {
	case "":
		return nil, nil
	case "-":
		document, err := io.ReadAll(p.in)
		if err != nil {
			return nil, fmt.Errorf("--seed-file: read standard input: %w", err)
		}
		return document, nil
	default:
		document, err := os.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("--seed-file: %w", err)
		}
		return document, nil
	}
}

// blameSeed puts the name of the seed file in front of what is wrong with it.
func blameSeed(file string, err error) error {
	if file == "-" {
		file = "standard input"
	}
	if refused := new(sandbox.SeedError); errors.As(err, &refused) {
		return fmt.Errorf("%s: %w", file, refused)
	}
	return err
}

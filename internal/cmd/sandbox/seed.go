package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// readSeed reads the file that --seed-file names, "-" being standard input. An
// empty one is more likely a mistake than a wish.
func (p program) readSeed(file string) ([]byte, error) {
	if file == "" {
		return nil, nil
	}
	var document []byte
	var err error
	if file == "-" {
		document, err = io.ReadAll(p.in)
	} else {
		document, err = os.ReadFile(file)
	}
	if err == nil && len(document) == 0 {
		err = errors.New("there is nothing in it; {} seeds nothing")
	}
	if err != nil {
		return nil, fmt.Errorf("--seed-file %s: %w", file, err)
	}
	return document, nil
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

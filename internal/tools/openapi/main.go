// Command openapi validates documents against the OpenAPI 3.1 schema of the OpenAPI Initiative:
//
//	openapi DOCUMENT.json...
//
// It has its own module, because the library with the schema needs more modules than the sandbox.
package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/pb33f/libopenapi/datamodel"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

func main() {
	if err := check(os.Args[1:]); err != nil {
		fmt.Fprintf(os.Stderr, "openapi: %v\n", err)
		os.Exit(1)
	}
}

func check(files []string) error {
	published, err := jsonschema.UnmarshalJSON(strings.NewReader(datamodel.OpenAPI31SchemaData))
	if err != nil {
		return err
	}
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	if err := compiler.AddResource("openapi-3.1", published); err != nil {
		return err
	}
	schema, err := compiler.Compile("openapi-3.1")
	if err != nil {
		return err
	}
	for _, file := range files {
		if err := checkFile(schema, file); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
	}
	return nil
}

func checkFile(schema *jsonschema.Schema, file string) error {
	text, err := os.Open(file)
	if err != nil {
		return err
	}
	defer text.Close()
	document, err := jsonschema.UnmarshalJSON(text)
	if err != nil {
		return err
	}
	return schema.Validate(document)
}

package evidence

import (
	"bytes"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/rogpeppe/go-internal/txtar"
)

//go:embed testdata/*.txtar
var files embed.FS

// entries holds the recorded JSON texts of all services by name, such as "billing/customer_create".
var entries = sync.OnceValue(func() map[string][]byte {
	found := map[string][]byte{}
	archives, err := fs.Glob(files, "testdata/*.txtar")
	if err != nil {
		panic(err) // the pattern is wrong
	}
	for _, archive := range archives {
		raw, err := files.ReadFile(archive)
		if err != nil {
			panic(err) // it is embedded
		}
		service := strings.TrimSuffix(path.Base(archive), ".txtar")
		for _, file := range txtar.Parse(raw).Files {
			name := service + "/" + file.Name
			if _, twice := found[name]; twice {
				panic(name + " is recorded twice")
			}
			found[name] = file.Data
		}
	}
	return found
})

// Exchange is a request to a service with its response.
type Exchange struct {
	// Name is the service and the name in its archive, such as "billing/customer_create".
	Name string `json:"-"`
	// Source names the section of the service description and the operation of the wire contract on which the exchange is
	// based.
	Source string `json:"source"`
	// Operation is the name of one of [Operations], such as "customers.create".
	Operation string   `json:"operation"`
	Request   Request  `json:"request"`
	Response  Response `json:"response"`
}

// Request is a client's request. Headers omits the header with the token or key: no file contains a credential.
type Request struct {
	Method  string            `json:"method"`
	Path    string            `json:"path"`
	Query   map[string]string `json:"query,omitempty"`
	Headers map[string]string `json:"headers,omitempty"`
	// Body is the JSON body, nil if there is none.
	Body json.RawMessage `json:"body,omitempty"`
}

// Response is the service's response.
type Response struct {
	Status  int               `json:"status"`
	Headers map[string]string `json:"headers,omitempty"`
	// Body is the JSON body, nil for an empty response and for one that is not JSON, which is in Text.
	Body json.RawMessage `json:"body,omitempty"`
	// Text is a response that is not JSON, such as the HTML page of a proxy.
	Text string `json:"text,omitempty"`
}

// Bytes returns the response's body as it is on the wire, which may be empty.
func (r Response) Bytes() []byte {
	if r.Text != "" {
		return []byte(r.Text)
	}
	return r.Body
}

// Load returns the exchange of that name, such as "billing/customer_create". The error wraps [fs.ErrNotExist] if the
// name is unknown.
func Load(name string) (Exchange, error) {
	var exchange Exchange
	if err := readEvidence(name, &exchange); err != nil {
		return Exchange{}, fmt.Errorf("exchange %q: %w", name, err)
	}
	exchange.Name = name
	return exchange, nil
}

// All returns the exchanges with a prefix ("" for all, "billing/customer_" for those of customers), sorted by name. It
// panics if one is invalid; the package's tests prevent that.
func All(prefix string) []Exchange {
	var exchanges []Exchange
	for _, name := range slices.Sorted(maps.Keys(entries())) {
		if name == signaturesName || strings.HasPrefix(name, eventsPrefix) || !strings.HasPrefix(name, prefix) {
			continue
		}
		exchange, err := Load(name)
		if err != nil {
			panic(err)
		}
		exchanges = append(exchanges, exchange)
	}
	return exchanges
}

// readEvidence decodes one entry. It rejects unknown fields, so that a misspelled member is an error and not lost.
func readEvidence(name string, into any) error {
	raw, recorded := entries()[name]
	if !recorded {
		return fs.ErrNotExist
	}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil {
		return err
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return errors.New("more than one JSON value")
	}
	return nil
}

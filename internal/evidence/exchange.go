package evidence

import (
	"bytes"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"path"
	"strings"
)

//go:embed testdata
var files embed.FS

const evidenceRoot = "testdata"

// Exchange is one request to a service and the response to it.
type Exchange struct {
	// Name is the file's path below testdata without its ending,
	// for example "billing/customer_create".
	Name string `json:"-"`
	// Source names the section of the service description and the operation of
	// the wire contract that the exchange was written from.
	Source string `json:"source"`
	// Operation is a name of [Operations], for example "customers.create".
	Operation string   `json:"operation"`
	Request   Request  `json:"request"`
	Response  Response `json:"response"`
}

// Request is what a client sends. The header with the caller's token or key is
// left out of Headers: no file holds a credential.
type Request struct {
	Method  string            `json:"method"`
	Path    string            `json:"path"`
	Query   map[string]string `json:"query,omitempty"`
	Headers map[string]string `json:"headers,omitempty"`
	// Body is the JSON that is sent, nil when nothing is.
	Body json.RawMessage `json:"body,omitempty"`
}

// Response is what the service returns.
type Response struct {
	Status  int               `json:"status"`
	Headers map[string]string `json:"headers,omitempty"`
	// Body is the JSON that is returned. It is nil for an empty response and for
	// one that is not JSON, which is in Text.
	Body json.RawMessage `json:"body,omitempty"`
	// Text is a response that is not JSON, such as the HTML page of a proxy.
	Text string `json:"text,omitempty"`
}

// Bytes is the response's body as it is on the wire, empty when there is none.
func (r Response) Bytes() []byte {
	if r.Text != "" {
		return []byte(r.Text)
	}
	return r.Body
}

// Load reads the exchange of that name, for example "billing/customer_create".
// The error wraps [fs.ErrNotExist] when there is none.
func Load(name string) (Exchange, error) {
	var exchange Exchange
	if err := readEvidence(name, &exchange); err != nil {
		return Exchange{}, fmt.Errorf("exchange %q: %w", name, err)
	}
	exchange.Name = name
	return exchange, nil
}

// All returns the exchanges whose name starts with prefix ("" for every one,
// "billing/customer_" for those of customers), sorted by name. It panics when an
// embedded file cannot be read, which the package's own tests rule out.
func All(prefix string) []Exchange {
	var exchanges []Exchange
	for _, name := range evidenceNames("*") {
		if name == signaturesName || !strings.HasPrefix(name, prefix) {
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

// Responses returns the bodies of the responses with status 200 of these exchanges, see [All].
func Responses(prefix string) [][]byte {
	var bodies [][]byte
	for _, exchange := range All(prefix) {
		if exchange.Response.Status == http.StatusOK {
			bodies = append(bodies, exchange.Response.Body)
		}
	}
	return bodies
}

// evidenceNames are the names of the files in the folders of that pattern,
// sorted: "*" is exchanges, each in the folder of its service.
func evidenceNames(folders string) []string {
	names, err := fs.Glob(files, path.Join(evidenceRoot, folders, "*.json"))
	if err != nil {
		panic(err) // the pattern is wrong
	}
	for i, file := range names {
		names[i] = strings.TrimSuffix(strings.TrimPrefix(file, evidenceRoot+"/"), ".json")
	}
	return names
}

// readEvidence decodes one file. It is strict, so that a misspelt member is an
// error and not evidence that says less than its author meant.
func readEvidence(name string, into any) error {
	raw, err := files.ReadFile(path.Join(evidenceRoot, name+".json"))
	if err != nil {
		return err
	}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil {
		return err
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return errors.New("more than one JSON value in the file")
	}
	return nil
}
